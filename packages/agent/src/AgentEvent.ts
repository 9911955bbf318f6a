/** What a run tells while it goes on. */
import type { ToolCall, ToolRunner, Toolset } from "@wield/core"
import * as JsonValue from "@wield/core/Json"
import * as Outcome from "@wield/core/Outcome"
import * as ToolResult from "@wield/core/ToolResult"
import * as Turn from "@wield/core/Turn"
import * as Schema from "effect/Schema"
import type { AgentResult } from "./AgentResult.js"
import type { Entry } from "./Conversation.js"
import * as DeferredCall from "./DeferredCall.js"
import type { ModelError } from "./ModelError.js"

/**
 * What a run tells while it goes on.
 *
 * - `TurnStarted`: the model is asked. `entry` is the id that its message will have.
 * - `ModelGaveWay`: the model failed before it said anything, and the next one is asked.
 * - `TextDelta`, `ReasoningDelta`, `RefusalDelta`: more text of that kind.
 * - `CallAnnounced`: the model begins to write a call.
 * - `ArgumentsDelta`: more argument text of an announced call.
 * - `CallStarted`, `CallProgress`, `CallFinished`: a call on its way through the
 *   runner; calls run side by side, so that their events interleave. A call that
 *   waits for a person finishes as `Deferred` without having started; it starts,
 *   and finishes again, when it was answered.
 * - `TurnBroken`: the model's response broke off; `isRetried` says whether it is
 *   asked again. Text that came before is not part of the conversation.
 * - `TurnFinished`: the turn and the outcomes of its calls are recorded.
 * - `MessageTaken`: a message of the inbox is recorded, as the entry of this id.
 * - `UsageKnown`: what the turn took, and the total of the run, sub-agents included.
 * - `Done`: always last, unless the run fails.
 *
 * @category models
 */
export type AgentEvent<Tools = Toolset.DynamicTools, Output = unknown, CE = unknown> =
  | { readonly _tag: "TurnStarted"; readonly step: number; readonly entry: string; readonly model: string }
  | { readonly _tag: "ModelGaveWay"; readonly from: string; readonly to: string; readonly error: ModelError }
  | { readonly _tag: "TextDelta"; readonly text: string }
  | { readonly _tag: "ReasoningDelta"; readonly text: string }
  | { readonly _tag: "RefusalDelta"; readonly text: string }
  | { readonly _tag: "CallAnnounced"; readonly index: number; readonly id: string; readonly name: string }
  | { readonly _tag: "ArgumentsDelta"; readonly index: number; readonly text: string }
  | { readonly _tag: "CallStarted"; readonly call: ToolCall.ToolCall }
  | { readonly _tag: "CallProgress"; readonly call: ToolCall.ToolCall; readonly value: unknown }
  | {
      readonly _tag: "CallFinished"
      readonly call: ToolCall.ToolCall
      readonly outcome: ToolRunner.OutcomeOf<Tools>
    }
  | {
      readonly _tag: "TurnBroken"
      readonly step: number
      readonly entry: string
      readonly error: ModelError
      readonly isRetried: boolean
    }
  | {
      readonly _tag: "TurnFinished"
      readonly step: number
      readonly entry: string
      readonly turn: Turn.Turn
      readonly outcomes: ReadonlyArray<ToolRunner.OutcomeOf<Tools>>
    }
  | { readonly _tag: "MessageTaken"; readonly entry: string }
  | { readonly _tag: "UsageKnown"; readonly usage: Turn.Usage; readonly total: Turn.Usage }
  | { readonly _tag: "Done"; readonly result: AgentResult<Output, CE> }

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** @internal */
export const happening = <Tag extends string, Fields extends Schema.Struct.Fields>(tag: Tag, fields: Fields) =>
  Schema.Struct({ _tag: Schema.Literal(tag), ...fields })

const text = { text: Schema.String }

const Call = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  /** As the model sent them, text or JSON. */
  arguments: optional(Schema.Unknown)
})

/** @internal */
export const Usage = Schema.Struct({
  input: optional(Schema.Number),
  output: optional(Schema.Number),
  reasoning: optional(Schema.Number),
  cacheRead: optional(Schema.Number),
  cacheWrite: optional(Schema.Number)
})

const HappeningSchema = Schema.Union(
  happening("TurnStarted", { step: Schema.Number, entry: Schema.String, model: Schema.String }),
  happening("ModelGaveWay", { from: Schema.String, to: Schema.String, message: Schema.String }),
  happening("TextDelta", text),
  happening("ReasoningDelta", text),
  happening("RefusalDelta", text),
  happening("CallAnnounced", { index: Schema.Number, id: Schema.String, name: Schema.String }),
  happening("ArgumentsDelta", { index: Schema.Number, text: Schema.String }),
  happening("CallStarted", { call: Call }),
  happening("CallProgress", { call: Call, value: optional(Schema.Unknown) }),
  happening("CallFinished", {
    call: Call,
    outcome: Outcome.Json,
    /** The stages of the call in their order, and how many milliseconds each took, where something has heard them. */
    stages: optional(Schema.Array(Schema.Struct({ stage: Schema.String, milliseconds: Schema.Number })))
  }),
  happening("TurnBroken", {
    /** Absent where another process took the turn, as in `TurnFinished`. */
    step: optional(Schema.Number),
    entry: Schema.String,
    message: Schema.String,
    isRetried: Schema.Boolean
  }),
  happening("TurnFinished", {
    step: optional(Schema.Number),
    entry: Schema.String,
    ...text,
    model: optional(Schema.String),
    finish: optional(Schema.String),
    usage: optional(Usage),
    /** The pages that it cites. */
    sources: optional(Schema.Array(Schema.Struct({ url: Schema.String, title: optional(Schema.String) })))
  }),
  happening("MessageTaken", { entry: Schema.String }),
  happening("UsageKnown", { usage: Usage, total: Usage })
)

/**
 * The JSON of an event, except of `Done`: for what goes on in a run. Names and
 * fields are those of `AgentEvent`; an error is its message, and the outcomes of
 * a turn come with its calls.
 *
 * @category schemas
 */
export const Happening: Schema.Schema<Happening> = HappeningSchema

/**
 * @category models
 */
export type Happening = typeof HappeningSchema.Type

const ended = {
  /** The id of the conversation. */
  conversation: Schema.String,
  ...text,
  steps: Schema.Number,
  usage: Usage
}

/** Handed on as it is: `DeferredCall.DeferredCall` reads it. */
const Request = Schema.declare(
  (value): value is typeof DeferredCall.DeferredCall.Encoded => JsonValue.isObject(value),
  { identifier: "DeferredCall", jsonSchema: { type: "object", description: "A call that waits" } }
)

const JsonSchema = Schema.Union(
  ...HappeningSchema.members,
  happening("Done", {
    result: Schema.Union(
      happening("Finished", { ...ended, output: Schema.Unknown }),
      happening("Paused", { ...ended, requests: Schema.Array(Request) }),
      happening("Stopped", { ...ended, by: Schema.String })
    )
  })
)

/**
 * The JSON of an event: for a page, a log, or another process.
 *
 * @category schemas
 */
export const Json: Schema.Schema<Json> = JsonSchema

/**
 * @category models
 */
export type Json = typeof JsonSchema.Type

/**
 * An event as JSON.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Agent, AgentEvent } from "@wield/agent"
 * import { ScriptedModel } from "@wield/testing"
 * import { Effect, Stream } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const agent = yield* Agent.make({ model: yield* ScriptedModel.make([ScriptedModel.text("Good morning.")]) })
 *   return yield* Stream.runCollect(Stream.map(Agent.stream(agent, "Hello?"), AgentEvent.toJson))
 * })
 * Effect.runPromise(program).then((events) => {
 *   const last = JSON.parse(JSON.stringify([...events].at(-1)))
 *   assert.strictEqual(last.result.text, "Good morning.")
 * })
 * ```
 *
 * @category conversions
 */
export const toJson = (event: AgentEvent): Json => (event._tag === "Done" ? doneJson(event.result) : toHappening(event))

/**
 * The same for what goes on in a run.
 *
 * @category conversions
 */
export const toHappening = (event: Exclude<AgentEvent, { readonly _tag: "Done" }>): Happening => {
  switch (event._tag) {
    case "CallStarted":
      return { _tag: "CallStarted", call: callJson(event.call) }
    case "CallProgress":
      return { _tag: "CallProgress", call: callJson(event.call), value: JsonValue.attempt(event.value) }
    case "CallFinished":
      return { _tag: "CallFinished", call: callJson(event.call), outcome: Outcome.toJson(event.outcome) }
    case "ModelGaveWay":
      return { _tag: "ModelGaveWay", from: event.from, to: event.to, message: event.error.message }
    case "TurnBroken": {
      const { entry, error, isRetried, step } = event
      return { _tag: "TurnBroken", step, entry, message: error.message, isRetried }
    }
    case "TurnFinished": {
      const { entry, step, turn } = event
      const sources = Turn.sources(turn)
      return {
        _tag: "TurnFinished",
        step,
        entry,
        text: Turn.text(turn),
        ...(turn.model === undefined ? {} : { model: turn.model }),
        finish: turn.finish,
        usage: JsonValue.withoutUndefined(turn.usage),
        ...(sources.length === 0 ? {} : { sources })
      }
    }
    case "UsageKnown":
      return {
        _tag: "UsageKnown",
        usage: JsonValue.withoutUndefined(event.usage),
        total: JsonValue.withoutUndefined(event.total)
      }
    default:
      return event
  }
}

const callJson = ({ arguments: args, id, name }: ToolCall.ToolCall): typeof Call.Type =>
  args === undefined ? { id, name } : { id, name, arguments: JsonValue.attempt(args) }

const doneJson = (result: AgentResult<unknown, unknown>): Json => {
  const { conversation, steps, text, usage } = result
  const common = { conversation: conversation.id, text, steps, usage: JsonValue.withoutUndefined(usage) }
  switch (result._tag) {
    case "Finished":
      return { _tag: "Done", result: { _tag: "Finished", ...common, output: JsonValue.attempt(result.output) } }
    case "Paused":
      return { _tag: "Done", result: { _tag: "Paused", ...common, requests: encodeRequests(result.requests) } }
    case "Stopped":
      return { _tag: "Done", result: { _tag: "Stopped", ...common, by: result.by } }
  }
}

const encodeRequests = Schema.encodeSync(Schema.Array(DeferredCall.DeferredCall))

/**
 * What a conversation has recorded, as the events that led to it: for a page
 * that draws an old conversation, or missed a run. `from` is the place of the
 * first entry to begin with.
 *
 * A conversation keeps what the model read: of a call, whether it was an error,
 * and no other way to end. Calls without a result have begun, and no more.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Agent, AgentEvent } from "@wield/agent"
 * import { ScriptedModel } from "@wield/testing"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const agent = yield* Agent.make({ model: yield* ScriptedModel.make([ScriptedModel.text("Good morning.")]) })
 *   const { entries } = yield* Agent.run(agent, "Hello?")
 *   return AgentEvent.fromEntries(entries).map(({ _tag }) => _tag)
 * })
 * Effect.runPromise(program).then((tags) =>
 *   assert.deepStrictEqual(tags, ["TurnStarted", "TextDelta", "TurnFinished"])
 * )
 * ```
 *
 * @category conversions
 */
export const fromEntries = (entries: ReadonlyArray<Entry>, from = 0): ReadonlyArray<AgentEvent> => {
  const calls = new Map<string, ToolCall.ToolCall>()
  const begun = new Set<string>()
  let step = 0
  return entries.flatMap((entry, index): ReadonlyArray<AgentEvent> => {
    const { message, summaryOf } = entry
    if (summaryOf !== undefined) return []
    if (message._tag === "Assistant") {
      for (const call of Turn.calls(message)) calls.set(call.id, call)
      if (index < from) return []
      for (const { id } of Turn.calls(message)) begun.add(id)
      return turnEvents(entry, message, ++step)
    }
    if (message._tag !== "Results" || index < from) return []
    return message.results.flatMap((result): ReadonlyArray<AgentEvent> => {
      const call = calls.get(result.id)
      if (call === undefined) return []
      const finished = { _tag: "CallFinished", call, outcome: outcomeOf(call, result) } as const
      return begun.has(call.id) ? [finished] : [{ _tag: "CallStarted", call }, finished]
    })
  })
}

const turnEvents = (
  { id, turn }: Entry,
  { native, parts }: Extract<Entry["message"], { readonly _tag: "Assistant" }>,
  step: number
): ReadonlyArray<AgentEvent> => {
  const recorded: Turn.Turn = {
    format: native?.format ?? "",
    id: undefined,
    model: turn?.model,
    parts,
    usage: turn?.usage ?? Turn.unknownUsage,
    finish: turn?.finish ?? "stop",
    nativeFinish: undefined,
    native: native?.json ?? [],
    isComplete: turn?.isComplete ?? true
  }
  return [
    { _tag: "TurnStarted", step, entry: id, model: turn?.model ?? "" },
    ...parts.flatMap((part): ReadonlyArray<AgentEvent> => {
      if (part._tag === "Call") return part.executedBy === "provider" ? [] : [{ _tag: "CallStarted", call: part.call }]
      return part.text === "" ? [] : [{ _tag: `${part._tag}Delta`, text: part.text }]
    }),
    { _tag: "TurnFinished", step, entry: id, turn: recorded, outcomes: [] }
  ]
}

const outcomeOf = (call: ToolCall.ToolCall, result: ToolResult.ToolResult): Outcome.Outcome => {
  // Images and files stand in `content`.
  const words = result.content.filter((part) => part._tag === "Text" || part._tag === "JsonValue")
  const text = ToolResult.toText({ ...result, content: words })
  const values = words.map((part) => (part._tag === "Text" ? part.text : part.value))
  const ofContent = values.every((value) => typeof value === "string") ? text : values.length === 1 ? values[0] : values
  // Remarks for the model, such as that a person changed the arguments, stand beside the value.
  const encoded = result.structured === undefined ? ofContent : result.structured
  return result.isError
    ? new Outcome.Failure({ call, failure: encoded, encoded, text, isRaised: false })
    : new Outcome.Success({ call, result: encoded, encoded, text, content: result.content })
}
