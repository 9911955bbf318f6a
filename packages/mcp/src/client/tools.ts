/**
 * The tools of a server as tools of a toolset: their names, their facts, and
 * which of them are withheld.
 */
import { createHash } from "node:crypto"
import type { Toolset } from "@wield/core"
import * as Facts from "@wield/core/Facts"
import { CallLost } from "@wield/core/CallLost"
import * as Content from "@wield/core/Content"
import * as CurrentCall from "@wield/core/CurrentCall"
import * as Issue from "@wield/core/Issue"
import * as Json from "@wield/core/Json"
import * as JsonSchema from "@wield/core/JsonSchema"
import type { NeedsInput } from "@wield/core/NeedsInput"
import * as Outcome from "@wield/core/Outcome"
import { makeBreathe } from "@wield/core/Time"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import { factsOfTool, type McpTool, partOfBlock } from "../internal/content.js"
import type { CallResult, OnDrift, OutputCheck, Progress, Withheld } from "./model.js"
import type { McpError } from "../McpError.js"
import * as Pins from "../Pins.js"
import type { RequestOptions } from "./Connection.js"

export interface Review {
  readonly offered: ReadonlyArray<McpTool>
  readonly drifts: ReadonlyArray<Pins.Drift>
  readonly pinned: Pins.Pinned
  /** Whether more is accepted than before. */
  readonly isNew: boolean
}

const fingerprints = new WeakMap<McpTool, string>()

/** Of a tool as it was listed, which does not change. */
export const fingerprintOf = (tool: McpTool): string => {
  const known = fingerprints.get(tool)
  if (known !== undefined) return known
  const fingerprint = Pins.fingerprint(tool)
  fingerprints.set(tool, fingerprint)
  return fingerprint
}

/** Holds what a server says against what was accepted. */
export const review = (
  known: Pins.Pinned | undefined,
  onDrift: OnDrift,
  tools: ReadonlyArray<McpTool>,
  instructions: string | undefined
): Effect.Effect<Review> =>
  Effect.gen(function* () {
    const accepts = (drift: Pins.Drift): Effect.Effect<boolean> =>
      typeof onDrift === "function"
        ? onDrift(drift)
        : Effect.succeed(onDrift === "accept" || (onDrift === "withhold" && drift.kind === "added"))
    const offered: Array<McpTool> = []
    const drifts: Array<Pins.Drift> = []
    const pins: Record<string, Pins.Pin> = { ...known?.tools }
    let isNew = known === undefined
    const breathe = yield* makeBreathe
    for (const tool of tools) {
      yield* breathe
      const before = Object.hasOwn(pins, tool.name) ? pins[tool.name] : undefined
      const fingerprint = fingerprintOf(tool)
      if (before?.fingerprint === fingerprint) {
        offered.push(tool)
        continue
      }
      const now: Pins.Pin = { fingerprint, tool: Json.fromObject(tool) }
      // What was never seen is accepted as a whole, as it is by the person who configures a server.
      if (known !== undefined) {
        const drift: Pins.Drift = {
          kind: before === undefined ? "added" : "altered",
          tool: tool.name,
          differences: Pins.differences(before?.tool, now.tool),
          findings: Pins.findings(now.tool)
        }
        if (!(yield* accepts(drift))) {
          drifts.push(drift)
          continue
        }
      }
      Object.defineProperty(pins, tool.name, { value: now, enumerable: true, configurable: true, writable: true })
      isNew = true
      offered.push(tool)
    }
    let said = known === undefined ? instructions : known.instructions
    if (said !== instructions) {
      const drift: Pins.Drift = {
        kind: "instructions",
        tool: "instructions",
        differences: Pins.differences(said, instructions),
        findings: Pins.findings(instructions)
      }
      if (yield* accepts(drift)) {
        said = instructions
        isNew = true
      } else drifts.push(drift)
    }
    return { offered, drifts, pinned: { tools: pins, ...(said === undefined ? {} : { instructions: said }) }, isNew }
  })

/** The tools of one name: the first is offered. */
export const withoutDuplicates = (
  tools: ReadonlyArray<McpTool>
): { readonly tools: ReadonlyArray<McpTool>; readonly withheld: ReadonlyArray<Withheld> } => {
  const seen = new Map<string, McpTool>()
  const withheld: Array<Withheld> = []
  for (const tool of tools) {
    if (!seen.has(tool.name)) seen.set(tool.name, tool)
    else withheld.push({ tool: tool.name, reason: "duplicate", problem: "the server lists another tool of this name" })
  }
  return { tools: [...seen.values()], withheld }
}

/** What the names of a server's tools begin with. */
export const prefixOf = (server: string, { prefix = `${server}_` }: { readonly prefix?: string | undefined }): string =>
  prefix

const plainName = (name: string): string => name.replaceAll(/[^A-Za-z0-9_-]/g, "_")

/** What is kept of a name that is too long. */
const longestBeginning = 55

/** Whether a tool of a server with this prefix may be offered by this name. */
export const mayBeOffered = (name: string, prefix: string): boolean =>
  name.startsWith(plainName(prefix).slice(0, longestBeginning))

/**
 * Names as every provider takes them: 64 letters, digits, `_` and `-`. A tool's name hangs on which others are offered
 * beside it, though not on their order: of those that come to one name, the tool whose own name needs no change keeps it,
 * and all others have a digest at their end.
 */
export const offeredNames = (
  tools: ReadonlyArray<Pick<McpTool, "name">>,
  prefix: string
): ReadonlyMap<string, string> => {
  const alike = new Map<string, Array<string>>()
  for (const { name } of tools) {
    const plain = plainName(`${prefix}${name}`)
    const others = alike.get(plain)
    if (others === undefined) alike.set(plain, [name])
    else others.push(name)
  }
  const names = new Map<string, string>()
  for (const [plain, all] of alike) {
    // Of several, only one is written so by the server itself.
    const own = all.length === 1 ? all[0] : all.find((name) => plainName(name) === name)
    for (const name of all) {
      const isPlain = plain.length <= 64 && name === own
      const digest = () => createHash("sha256").update(name).digest("hex").slice(0, 8)
      names.set(name, isPlain ? plain : `${plain.slice(0, longestBeginning)}_${digest()}`)
    }
  }
  return names
}

export interface ToolOptions {
  readonly isTrusted: boolean
  readonly check: OutputCheck
  readonly call: (
    parameters: Json.JsonObject,
    isRepeatable: boolean,
    options: RequestOptions
  ) => Effect.Effect<CallResult, McpError | NeedsInput>
}

export const dynamicTool = (
  tool: McpTool,
  name: string,
  { call, check, isTrusted }: ToolOptions
): Toolset.DynamicTool => {
  const facts = factsOfTool(tool, isTrusted)
  const isRepeatable = Facts.isRepeatable(facts)
  const compile =
    tool.outputSchema === undefined || check === "off"
      ? Effect.succeed(undefined)
      : Effect.map(Effect.option(JsonSchema.compile(tool.outputSchema)), Option.getOrUndefined)
  // The schema is compiled when the first result comes, and once.
  let validator: JsonSchema.Validator | null | undefined
  const validatorOnce = Effect.suspend(() =>
    validator === undefined
      ? Effect.tap(compile, (made) => Effect.sync(() => void (validator = made ?? null)))
      : Effect.succeed(validator ?? undefined)
  )
  return {
    name,
    description: tool.description,
    inputSchema: tool.inputSchema,
    outputSchema: tool.outputSchema,
    facts,
    native: { format: "mcp", json: Json.from(tool) },
    execute: (parameters) =>
      Effect.gen(function* () {
        const { input, progress } = yield* CurrentCall.CurrentCall
        const runtime = yield* Effect.runtime<never>()
        const onProgress = (value: Progress) => void Runtime.runFork(runtime)(progress(value))
        const result = yield* Effect.mapError(
          // The runner has decoded them from JSON.
          call(parameters as Json.JsonObject, isRepeatable, { onProgress, input }),
          lostOrFailed(isRepeatable)
        )
        return yield* answerOf(result, yield* validatorOnce, { check, isRepeatable })
      })
  }
}

/** A call that was sent may have had its effect where there is no answer, or none that can be read. */
const lostOrFailed =
  (isRepeatable: boolean) =>
  (error: McpError | NeedsInput): CallLost | McpError | NeedsInput => {
    const isUnanswered = error._tag === "TimedOut" || (error._tag === "Disconnected" && error.wasSent)
    const isUnread =
      error._tag === "LimitExceeded" || (error._tag === "ProtocolViolation" && error.hasAnswered === true)
    return isUnanswered || (isUnread && !isRepeatable) ? new CallLost({ reason: error.message }) : error
  }

/** The value of a success, or the failure that the model reads. */
const answerOf = (
  result: CallResult,
  validator: JsonSchema.Validator | undefined,
  { check, isRepeatable }: { readonly check: OutputCheck; readonly isRepeatable: boolean }
): Effect.Effect<unknown, unknown> => {
  const parts = result.content.map(partOfBlock)
  const { structuredContent: structured } = result
  if (result.isError === true) return Effect.fail(failureOf(parts, structured))
  const problem = check === "off" ? undefined : mismatch(validator, structured)
  if (problem !== undefined && check === "strict") {
    const said = `The server's result is invalid: ${problem}`
    return Effect.fail(isRepeatable ? said : `${said}. ${Outcome.doubt}`)
  }
  const note =
    problem === undefined ? [] : [Content.text(`The result does not fit the tool's output schema: ${problem}`)]
  if (structured === undefined) return Effect.succeed(new Content.Answer({ parts: [...parts, ...note] }))
  if (isRepeated(parts, structured)) {
    return Effect.succeed(
      note.length === 0 ? structured : new Content.Answer({ parts: [Content.json(structured), ...note] })
    )
  }
  return Effect.succeed(new Content.Answer({ parts: [...parts, Content.json(structured), ...note] }))
}

const mismatch = (validator: JsonSchema.Validator | undefined, structured: unknown): string | undefined => {
  if (validator === undefined) return undefined
  if (structured === undefined) return "the structured content is missing"
  if (validator.isValid(structured)) return undefined
  const issues = Either.match(validator.validate(structured), { onLeft: (all) => all, onRight: () => [] })
  return issues.slice(0, 3).map(Issue.toText).join("; ")
}

/** Servers send structured content as text, too, for clients that do not know it. */
const isRepeated = (parts: ReadonlyArray<Content.Part>, structured: unknown): boolean => {
  const [first, ...others] = parts
  if (first === undefined) return true
  if (first._tag !== "Text" || others.length > 0) return false
  if (first.text === structured) return true
  // A text in an object, since a structured result had to be one before 2026-07-28.
  const values = Json.isObject(structured) ? Object.values(structured) : []
  if (values.length === 1 && values[0] === first.text) return true
  try {
    return Json.canonical(Json.parse(first.text, { numbers: "rounded" })) === Json.canonical(structured)
  } catch {
    return false
  }
}

/** A failure is a JSON value: images and files are named by their kind. */
const failureOf = (parts: ReadonlyArray<Content.Part>, structured: unknown): unknown => {
  const text = parts
    .map((part) =>
      part._tag === "Text" ? part.text : part._tag === "JsonValue" ? JSON.stringify(part.value) : `(${part.mediaType})`
    )
    .join("\n")
  return text === "" ? (structured ?? "The tool failed without a reason") : text
}
