/** Runs and their events, as they happen and as files. */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as AgentEvent from "@wield/agent/AgentEvent"
import * as Schema from "effect/Schema"
import { Count, id, JsonValue, Milliseconds, NotChanged, NotFound, optional, ReadOnly, WaitsFor } from "./parts.js"
import { Call } from "./tools.js"

export const Usage = AgentEvent.Usage

/**
 * Tokens; what the provider does not tell is absent.
 *
 * @category models
 */
export interface Usage extends Schema.Schema.Type<typeof Usage> {}

const { happening } = AgentEvent

/** A person, or a client, has answered a call that waited. */
export const CallAnswered = happening("CallAnswered", {
  /** With the arguments that were shown. */
  call: Call,
  waitsFor: WaitsFor,
  why: optional(Schema.String),
  reply: Schema.Literal("Approve", "ApproveWith", "Deny", "Result", "Reply"),
  /** Of Deny. */
  reason: optional(Schema.String),
  /** Of ApproveWith: all arguments. Of Result and Reply: what was sent. */
  value: optional(JsonValue),
  by: Schema.Struct({ who: Schema.String, way: optional(Schema.String) })
})

const Happening = Schema.Union(
  happening("RunStarted", {
    /** The agent's name, or the tool's for a call by hand. */
    name: Schema.String,
    kind: Schema.Literal("agent", "playground", "calls"),
    conversation: optional(Schema.String),
    prompt: optional(Schema.String)
  }),
  /** A call is in one stage for a while. `milliseconds` is how long it has been there, at least 200. */
  happening("CallWaits", { call: Call, stage: Schema.String, milliseconds: Schema.Number }),
  happening("Journal", {
    call: Schema.String,
    action: Schema.Literal("begin", "finish", "interrupt", "abandon"),
    /** Of `begin`: what the journal knew. */
    known: optional(Schema.Literal("Fresh", "Running", "Begun", "Interrupted", "Finished"))
  }),
  CallAnswered,
  happening("RunEnded", {
    result: Schema.Literal("Finished", "Paused", "Stopped", "Failed", "Interrupted"),
    text: optional(Schema.String),
    /** Of Stopped: the condition. Of Failed: the error. */
    message: optional(Schema.String),
    steps: optional(Schema.Number)
  }),
  AgentEvent.Happening
)

/**
 * What happened. The names are those of `AgentEvent`; a run of calls without a
 * model has `RunStarted`, `CallStarted`, `CallProgress`, `CallWaits`, `CallAnswered`, `CallFinished`, `RunEnded`.
 *
 * @category models
 */
export type Happening = typeof Happening.Type

const Event = Schema.Struct({
  /** Rises by one with each event of the studio. */
  sequence: Schema.Number,
  run: Schema.String,
  at: Milliseconds,
  event: Happening
})

/**
 * An event of a run.
 *
 * @category models
 */
export interface Event extends Schema.Schema.Type<typeof Event> {}

const Run = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  kind: Schema.Literal("agent", "playground", "calls"),
  /** Runs of one conversation follow each other. */
  conversation: optional(Schema.String),
  /** Names the process of a run from elsewhere: recorded remotely, or imported. */
  origin: optional(Schema.String),
  status: Schema.Literal("running", "finished", "paused", "stopped", "failed", "interrupted"),
  startedAt: Milliseconds,
  endedAt: optional(Milliseconds),
  /** What a person said, in this run or before it in the conversation; of a call by hand, its arguments. */
  title: optional(Schema.String),
  steps: Schema.Number,
  calls: Schema.Number,
  /** Names of the first tools that were called. */
  tools: Schema.Array(Schema.String),
  /** Calls that ended as an error. */
  errors: Schema.Number,
  /** The kinds of these errors: tags of outcomes. */
  problems: Schema.Array(Schema.String),
  /** The last error's words, or why the run failed. */
  problem: optional(Schema.String),
  /** How the last call ended. */
  outcome: optional(Schema.String),
  usage: Usage,
  /** What its own turns took, by the model's id. */
  models: Schema.Record({ key: Schema.String, value: Usage }),
  /** In the currency of the studio's prices; absent where a model has none or does not say what it took. */
  cost: optional(Schema.Number),
  /** Sequence numbers. */
  first: Schema.Number,
  last: Schema.Number,
  events: Schema.Number,
  /** Older events that had to make room. */
  dropped: Schema.Number
})

/**
 * A run in the list.
 *
 * @category models
 */
export interface Run extends Schema.Schema.Type<typeof Run> {}

const Runs = Schema.Struct({ runs: Schema.Array(Run), last: Schema.Number })

const RunEvents = Schema.Struct({
  run: Run,
  events: Schema.Array(Event),
  /** There is more: ask again, after the last of these. */
  isMore: Schema.Boolean
})

const RunFile = Schema.Struct({
  wield: Schema.Literal("run"),
  version: Schema.Literal(1),
  id: Schema.String,
  origin: optional(Schema.String),
  dropped: Schema.Number,
  events: Schema.Array(Schema.Struct({ at: Milliseconds, event: Happening }))
})

/**
 * A run as a file. It imports elsewhere and exports there as the same bytes.
 *
 * @category models
 */
export interface RunFile extends Schema.Schema.Type<typeof RunFile> {}

export const runs = HttpApiGroup.make("runs")
  // The newest first.
  .add(HttpApiEndpoint.get("list", "/runs").addSuccess(Runs))
  .add(
    // Bodies of up to 20 MiB, the size of what the recorder keeps.
    HttpApiEndpoint.post("import", "/runs/import").setPayload(RunFile).addSuccess(Run).addError(NotChanged)
  )
  .add(
    HttpApiEndpoint.get("events")`/runs/${id}/events`
      .setUrlParams(Schema.Struct({ after: optional(Count), limit: optional(Count) }))
      .addSuccess(RunEvents)
      .addError(NotFound)
  )
  .add(HttpApiEndpoint.get("export")`/runs/${id}/export`.addSuccess(RunFile).addError(NotFound))
  .add(
    /**
     * Server-sent events, from the one after `after` on:
     *
     * - `event: hello`, data `{ epoch, last }`, once at the begin;
     * - `event: event`, `id:` its sequence, data `Event`;
     * - `event: gap`, data `{ after }`: events up to this sequence had to make room before they were sent;
     * - `event: changed`, data `{ what: Changed }`, without `id:`: ask for that list again. After a reconnect, ask for all;
     * - a comment every 15 seconds.
     *
     * An `epoch` other than the studio's begins at its first event.
     */
    HttpApiEndpoint.get("stream", "/events")
      .setUrlParams(
        Schema.Struct({ after: optional(Count), epoch: optional(Schema.String), run: optional(Schema.String) })
      )
      .addSuccess(HttpApiSchema.Text({ contentType: "text/event-stream" }))
  )
  .add(
    // Events of another process (`Recorder.layerRemote`), in their order.
    HttpApiEndpoint.post("record", "/events")
      .setPayload(
        Schema.Struct({
          origin: Schema.String,
          /** With the sequence numbers it tells events that came before, which are skipped. */
          epoch: Schema.String,
          events: Schema.Array(Event)
        })
      )
      .addError(ReadOnly)
  )

const Changed = Schema.Literal("tools", "toolsets", "runs", "approvals", "conversations", "playground", "problems")

/**
 * Which list has changed.
 *
 * @category models
 */
export type Changed = typeof Changed.Type
