/** Chats with the model of the agent, or with a scripted one. */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { Conflict, Failed, id, JsonValue, Milliseconds, NotFound, optional, ReadOnly } from "./parts.js"

const Session = Schema.Struct({
  id: Schema.String,
  conversation: Schema.String,
  /** Of the conversation: the first thing that a person said, unless it was given another. */
  title: optional(Schema.String),
  changedAt: Milliseconds,
  model: Schema.Literal("agent", "scripted"),
  status: Schema.Literal("idle", "running", "waiting"),
  /** The run that goes on, or the last one. */
  run: optional(Schema.String),
  /** Scripted turns that were not played yet. */
  left: Schema.Number
})

/**
 * A chat in the playground.
 *
 * @category models
 */
export interface Session extends Schema.Schema.Type<typeof Session> {}

const ScriptedPart = Schema.Union(
  Schema.Struct({ _tag: Schema.Literal("Text", "Reasoning", "Refusal"), text: Schema.String }),
  Schema.Struct({ _tag: Schema.Literal("Call"), name: Schema.String, arguments: JsonValue })
)

/**
 * A part of a turn of a scripted model.
 *
 * @category models
 */
export type ScriptedPart = typeof ScriptedPart.Type

const Prompt = Schema.Struct({
  /** Without one the conversation goes on where it is. */
  prompt: optional(Schema.String),
  /** Turns of a scripted model, each a list of parts, added to those that are left. */
  script: optional(Schema.Array(Schema.Array(ScriptedPart)))
})

/**
 * A message to the model.
 *
 * @category models
 */
export interface Prompt extends Schema.Schema.Type<typeof Prompt> {}

export const playground = HttpApiGroup.make("playground")
  .add(HttpApiEndpoint.get("list", "/playground").addSuccess(Schema.Struct({ sessions: Schema.Array(Session) })))
  .add(
    HttpApiEndpoint.post("start", "/playground")
      .setPayload(
        Schema.Struct({
          model: Schema.Literal("agent", "scripted"),
          /** A conversation to go on with; a new one unless given. */
          conversation: optional(Schema.String)
        })
      )
      .addSuccess(Session)
      .addError(NotFound)
      .addError(ReadOnly)
  )
  .add(
    // Answers at once; the run's events come over the stream.
    HttpApiEndpoint.post("prompt")`/playground/${id}/prompt`
      .setPayload(Prompt)
      .addSuccess(Session)
      .addError(NotFound)
      .addError(Conflict)
      .addError(ReadOnly)
  )
  .add(HttpApiEndpoint.post("stop")`/playground/${id}/stop`.addSuccess(Session).addError(NotFound).addError(ReadOnly))
  .addError(Failed)
