/** Makes of a call's ending the result, or the failure that the caller gets. */
import type { Json } from "@wield/core"
import * as Facts from "@wield/core/Facts"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import {
  FunctionFailed,
  LimitExceeded,
  ScriptExited,
  ScriptNotStarted,
  ScriptRaised,
  UnreadableOutput,
  type ExecutionError
} from "../ExecutionError.js"
import type { Answer } from "./Reply.js"
import type { Redaction } from "../process/redaction.js"
import type { Ending, ExceededLimit, Written } from "./Ending.js"
import { interpretText } from "./interpretText.js"
import { takeOutputFile } from "./outputFile.js"

export interface Expected {
  readonly tool: string
  readonly kind: "script" | "function-file"
  /** Whether standard output is the result where nothing else is. */
  readonly isPrinted: boolean
  /** The path that `LLM_OUTPUT` had. */
  readonly outputFile: string
  readonly allowed: { readonly [limit in ExceededLimit]: number }
  readonly redaction: Redaction
}

type Result = Either.Either<Json.Json, ExecutionError>

const doubt = { mayHaveTakenEffect: true } as const

/** A call of a tool. Where its calls may be repeated, no error says that this one may have taken effect. */
export const withDoubtOf = <A>(
  facts: Partial<Facts.Facts>,
  call: Effect.Effect<A, ExecutionError>
): Effect.Effect<A, ExecutionError> => (Facts.isRepeatable(facts) ? Effect.mapError(call, withoutDoubt) : call)

const withoutDoubt = (error: ExecutionError): ExecutionError => {
  const certain = { mayHaveTakenEffect: undefined }
  switch (error._tag) {
    case "LimitExceeded":
      return new LimitExceeded({ ...error, ...certain })
    case "ScriptExited":
      return new ScriptExited({ ...error, ...certain })
    case "UnreadableOutput":
      return new UnreadableOutput({ ...error, ...certain })
    default:
      return error
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true })

const decodeUtf8 = (bytes: Buffer): Either.Either<string, string> =>
  Either.try({
    try: () => decoder.decode(bytes),
    catch: () => "it is not UTF-8; print text in UTF-8, or encode bytes in base64"
  })

/** Characters of what an error says: one that quotes what it could not read is as long as that, and a model reads it. */
const longestDetail = 4096

const brief = (text: string): string =>
  text.length <= longestDetail ? text : `${text.slice(0, longestDetail)}… (${text.length} characters)`

export const toResult = (ending: Ending, expected: Expected): Result => {
  const { allowed, isPrinted, outputFile, redaction, tool } = expected
  const standardError = ending.standardErrorTail
  const written = takeOutputFile(outputFile, allowed.output)

  const exceeded = (limit: ExceededLimit, written?: Written): Result =>
    Either.left(
      new LimitExceeded({
        tool,
        limit,
        ...(written === undefined ? {} : { written }),
        allowed: allowed[limit],
        standardError,
        ...doubt
      })
    )

  const unreadable = (detail: string): Result =>
    Either.left(new UnreadableOutput({ tool, detail: brief(redaction.text(detail)), standardError, ...doubt }))

  // Twice: an escape of JSON may hide a secret until it is read.
  const interpreted = (text: string): Json.Json => redaction.json(interpretText(redaction.text(text)))

  /** What it wrote or printed, as `$(…)` gives it: without the ends of its last lines. */
  const output = (): Result => {
    if (Either.isLeft(written)) {
      return written.left._tag === "OutputTooLarge" ? exceeded("output", "result") : unreadable(written.left.detail)
    }
    const bytes = written.right ?? (isPrinted ? ending.standardOutput : undefined)
    if (bytes === undefined || (written.right === undefined && bytes.length === 0)) return Either.right(null)
    return Either.match(decodeUtf8(bytes), {
      onLeft: unreadable,
      onRight: (text) => Either.right(interpreted(text.replace(/\n+$/, "")))
    })
  }

  const exited = (code: number | null, signal: string | null): Result => {
    if (code === 0 && signal === null) return output()
    const text = Either.isRight(written) && written.right !== undefined ? written.right.toString("utf8") : undefined
    const printed = isPrinted ? ending.standardOutputTail : ""
    const before = (text === undefined ? printed : redaction.text(text)).slice(-4096).trimEnd()
    return Either.left(
      new ScriptExited({
        tool,
        ...(signal === null ? {} : { signal, ...doubt }),
        ...(code === null ? {} : { exitCode: code }),
        standardError,
        ...(before === "" ? {} : { output: before })
      })
    )
  }

  const notStarted = (reason: "argument" | "import-failed", detail: string): Result =>
    Either.left(new ScriptNotStarted({ tool, reason, detail: brief(redaction.text(detail)), standardError }))

  const answered = (answer: Answer): Result => {
    switch (answer.type) {
      case "value": {
        const value = ending.isSecretAnswered ? redaction.json(answer.value) : answer.value
        return expected.kind === "function-file" ? succeeded(value) : Either.right(value)
      }
      case "text":
        return Either.right(interpreted(answer.text))
      case "none":
        return output()
      case "raised":
        return Either.left(
          new ScriptRaised({
            tool,
            error: brief(redaction.text(answer.error)),
            detail: brief(redaction.text(answer.detail)),
            standardError
          })
        )
      case "unreadable":
        return unreadable(answer.detail)
      case "argument":
        return notStarted("argument", answer.detail)
      case "exited":
        return exited(answer.code, answer.signal)
    }
  }

  /** Of a function file: `(text, success)`. */
  const succeeded = (value: Json.Json): Result => {
    if (!Array.isArray(value) || value.length !== 2 || typeof value[1] !== "boolean") return Either.right(value)
    const [text, isSuccess]: ReadonlyArray<Json.Json> = value
    if (isSuccess === true) return Either.right(text ?? null)
    const detail = brief(typeof text === "string" ? text : JSON.stringify(text))
    return Either.left(new FunctionFailed({ tool, detail }))
  }

  const { cause } = ending
  switch (cause.type) {
    case "answered":
      return answered(cause.answer)
    case "failed":
      return notStarted("import-failed", `${cause.error}: ${cause.detail}`)
    case "ended":
      return exited(cause.ended.code, cause.ended.signal)
    case "exceeded":
      return exceeded(cause.limit, cause.limit === "output" ? cause.written : undefined)
    case "malformed":
      return unreadable(`the program that runs it broke off: ${cause.detail}; a script must not write to descriptor 4`)
    case "interrupted":
      return exited(null, "SIGKILL")
  }
}
