/** Conversations, and where they are forked. */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { Count, Failed, id, Milliseconds, NotFound, optional, ReadOnly } from "./parts.js"
import { Usage } from "./runs.js"
import { Call } from "./tools.js"

const Conversation = Schema.Struct({
  id: Schema.String,
  /** The first thing that a person said, unless the program or a fork gave it another. */
  title: optional(Schema.String),
  createdAt: Milliseconds,
  changedAt: Milliseconds,
  /** How many entries it has. */
  length: Schema.Number,
  /** How many calls wait in it. */
  waiting: Schema.Number
})

/**
 * A conversation in the list.
 *
 * @category models
 */
export interface Conversation extends Schema.Schema.Type<typeof Conversation> {}

const Conversations = Schema.Struct({
  conversations: Schema.Array(Conversation),
  /** Give it as `from` for the next page. */
  next: optional(Schema.String)
})

const Part = Schema.Union(
  Schema.Struct({ _tag: Schema.Literal("Text", "Reasoning", "Refusal"), text: Schema.String }),
  Schema.Struct({ _tag: Schema.Literal("Call"), call: Call, executedBy: Schema.Literal("application", "provider") }),
  Schema.Struct({
    _tag: Schema.Literal("Result"),
    id: Schema.String,
    name: Schema.String,
    isError: Schema.Boolean,
    /** The tag of the call's outcome. */
    outcome: Schema.String,
    text: Schema.String
  }),
  Schema.Struct({
    _tag: Schema.Literal("Answer"),
    /** The id of the call; of one within a sub-agent, behind that of the call that runs it: `c/a`. */
    call: Schema.String,
    reply: Schema.Literal("Approve", "ApproveWith", "Deny", "Result", "Failure", "Reply"),
    at: Milliseconds,
    who: optional(Schema.String),
    reason: optional(Schema.String),
    /** What a person put in the place of the arguments. */
    arguments: optional(Schema.Unknown)
  }),
  Schema.Struct({
    _tag: Schema.Literal("Image", "File"),
    mediaType: Schema.String,
    /** Base64; absent for one that stands at an address. */
    data: optional(Schema.String),
    url: optional(Schema.String)
  })
)

/**
 * A part of a message.
 *
 * @category models
 */
export type Part = typeof Part.Type

const Entry = Schema.Struct({
  /** Names the turn to fork at. */
  id: Schema.String,
  at: Milliseconds,
  role: Schema.Literal("system", "user", "assistant", "results", "summary"),
  parts: Schema.Array(Part),
  model: optional(Schema.String),
  usage: optional(Usage)
})

/**
 * A message of a conversation.
 *
 * @category models
 */
export interface Entry extends Schema.Schema.Type<typeof Entry> {}

const ConversationDetail = Schema.Struct({ conversation: Conversation, entries: Schema.Array(Entry) })

export const conversations = HttpApiGroup.make("conversations")
  .add(
    HttpApiEndpoint.get("list", "/conversations")
      .setUrlParams(
        Schema.Struct({
          /** A part of a title, an id or a text. */
          query: optional(Schema.String),
          from: optional(Schema.String),
          limit: optional(Count)
        })
      )
      .addSuccess(Conversations)
  )
  .add(HttpApiEndpoint.get("get")`/conversations/${id}`.addSuccess(ConversationDetail).addError(NotFound))
  .add(
    // A new conversation with the entries up to and including `at`.
    HttpApiEndpoint.post("fork")`/conversations/${id}/fork`
      .setPayload(Schema.Struct({ at: optional(Schema.String) }))
      .addSuccess(Conversation)
      .addError(NotFound)
      .addError(ReadOnly)
  )
  .addError(Failed)
