/**
 * How the call of a script can fail. The model reads the message: it holds no
 * stack, no environment and no path that the script itself did not print.
 */
import * as Outcome from "@wield/core/Outcome"
import * as Schema from "effect/Schema"

/** It had begun, and its tool is not known to be one whose calls may be repeated. */
const unsure = { mayHaveTakenEffect: Schema.optional(Schema.Literal(true)) }

const doubtOf = ({ mayHaveTakenEffect }: { readonly mayHaveTakenEffect?: true | undefined }): string =>
  mayHaveTakenEffect === true ? `. ${Outcome.doubt}` : ""

/**
 * The script ended with another exit code than 0, or by a signal.
 *
 * @category errors
 */
export class ScriptExited extends Schema.TaggedError<ScriptExited>("@wield/scripts/ScriptExited")("ScriptExited", {
  tool: Schema.String,
  /** Absent where a signal ended it. */
  exitCode: Schema.optional(Schema.Number),
  /** Such as `SIGSEGV`. */
  signal: Schema.optional(Schema.String),
  /** The last lines of its standard error, at most 20 and 4 KiB, secrets redacted. */
  standardError: Schema.String,
  /** What it had answered before, where it had. */
  output: Schema.optional(Schema.String),
  ...unsure
}) {
  override get message(): string {
    const how =
      this.signal === undefined ? `exited with code ${this.exitCode ?? "unknown"}` : `was ended by ${this.signal}`
    const output = this.output === undefined ? "" : `\nIts output before:\n${this.output}`
    return `${this.tool} ${how}${doubtOf(this)}${this.standardError === "" ? "" : `:\n${this.standardError}`}${output}`
  }
}

/**
 * The script's function raised.
 *
 * @category errors
 */
export class ScriptRaised extends Schema.TaggedError<ScriptRaised>("@wield/scripts/ScriptRaised")("ScriptRaised", {
  tool: Schema.String,
  /** The class of what was raised, such as `ValueError`. */
  error: Schema.String,
  /** What it says, 4,096 characters at most. */
  detail: Schema.String,
  /** The last lines of its standard error, traceback included, for the program: the model does not read them. */
  standardError: Schema.String
}) {
  override get message(): string {
    return `${this.tool} failed: ${this.error}${this.detail === "" ? "" : `: ${this.detail}`}`
  }
}

/**
 * A function file answered that it did not succeed (`return text, False`).
 *
 * @category errors
 */
export class FunctionFailed extends Schema.TaggedError<FunctionFailed>("@wield/scripts/FunctionFailed")(
  "FunctionFailed",
  {
    tool: Schema.String,
    /** What it answered, 4,096 characters at most. */
    detail: Schema.String
  }
) {
  override get message(): string {
    return this.detail
  }
}

const tooMuch = (written: "result" | "standardOutput" | "standardError" | undefined, size: string): string => {
  if (written === "result") return `gave a result of more than ${size}`
  const where = { standardOutput: " to standard output", standardError: " to standard error" }
  return `wrote more than ${size}${written === undefined ? "" : where[written]}`
}

/** In the largest unit of which it is a whole number. */
const sizeOf = (bytes: number): string =>
  bytes % 1024 ** 2 === 0 ? `${bytes / 1024 ** 2} MiB` : bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${bytes} bytes`

/**
 * The script took, wrote or started more than it may; it and all that it
 * started was killed.
 *
 * @category errors
 */
export class LimitExceeded extends Schema.TaggedError<LimitExceeded>("@wield/scripts/LimitExceeded")("LimitExceeded", {
  tool: Schema.String,
  limit: Schema.Literal("time", "output", "processes", "memory"),
  /** Of the limit `output`: what was too long. */
  written: Schema.optional(Schema.Literal("result", "standardOutput", "standardError")),
  /** Milliseconds, bytes or processes. */
  allowed: Schema.Number,
  standardError: Schema.String,
  ...unsure
}) {
  override get message(): string {
    const what = {
      time: `took longer than ${this.allowed} ms`,
      output: tooMuch(this.written, sizeOf(this.allowed)),
      processes: `started more than ${this.allowed} processes`,
      memory: `used more than ${sizeOf(this.allowed)} of memory`
    }[this.limit]
    const advice = this.limit === "output" ? "; ask it for less at once" : ""
    return `${this.tool} ${what} and was stopped${advice}${doubtOf(this)}`
  }
}

/**
 * What the script gave is no JSON value: an object that JSON cannot say, NaN,
 * bytes that are not UTF-8.
 *
 * @category errors
 */
export class UnreadableOutput extends Schema.TaggedError<UnreadableOutput>("@wield/scripts/UnreadableOutput")(
  "UnreadableOutput",
  { tool: Schema.String, detail: Schema.String, standardError: Schema.String, ...unsure }
) {
  override get message(): string {
    return `The result of ${this.tool} cannot be read: ${this.detail}${doubtOf(this)}`
  }
}

/**
 * The script could not be started: its interpreter or a tool that it requires
 * is missing, importing it failed, a variable that it needs is not set, or an
 * argument that its schema accepts cannot be made what it asks for (a date that
 * is not one, a NUL character in Bash). Nothing of the function ran.
 *
 * @category errors
 */
export class ScriptNotStarted extends Schema.TaggedError<ScriptNotStarted>("@wield/scripts/ScriptNotStarted")(
  "ScriptNotStarted",
  {
    tool: Schema.String,
    reason: Schema.Literal(
      "interpreter-missing",
      "tool-missing",
      "import-failed",
      "environment-missing",
      "argument",
      "internal"
    ),
    detail: Schema.String,
    standardError: Schema.String
  }
) {
  override get message(): string {
    return this.reason === "argument"
      ? `${this.tool} cannot take these arguments: ${this.detail}`
      : `${this.tool} could not be started: ${this.detail}`
  }
}

/**
 * How the call of a script can fail.
 *
 * @category errors
 */
export type ExecutionError =
  | ScriptExited
  | ScriptRaised
  | FunctionFailed
  | LimitExceeded
  | UnreadableOutput
  | ScriptNotStarted

const isOne = Schema.is(
  Schema.Union(ScriptExited, ScriptRaised, FunctionFailed, LimitExceeded, UnreadableOutput, ScriptNotStarted)
)

/**
 * Whether a value, such as the `failure` of an outcome, is an error of a script.
 * The failures of tools whose names the compiler does not know are `unknown` to
 * it; by this they differ by `_tag`, with their fields.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { ExecutionError } from "@wield/scripts"
 *
 * const exitCodeOf = (failure: unknown): number | undefined =>
 *   ExecutionError.isExecutionError(failure) && failure._tag === "ScriptExited" ? failure.exitCode : undefined
 *
 * const failure: unknown = new ExecutionError.ScriptExited({ tool: "fs_cat", exitCode: 2, standardError: "" })
 * assert.strictEqual(exitCodeOf(failure), 2)
 * assert.strictEqual(exitCodeOf(new Error("of another tool")), undefined)
 * ```
 *
 * @category guards
 */
export const isExecutionError = (value: unknown): value is ExecutionError => isOne(value)
