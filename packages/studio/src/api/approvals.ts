/** Calls that wait, and answers to them. */
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as CoreOutcome from "@wield/core/Outcome"
import * as Schema from "effect/Schema"
import { Failed, id, JsonRecord, JsonValue, Milliseconds, NotChanged, NotFound, optional, WaitsFor } from "./parts.js"
import { CallAnswered } from "./runs.js"
import { Call, Facts } from "./tools.js"

const Approval = Schema.Struct({
  id: Schema.String,
  tool: Schema.String,
  description: optional(Schema.String),
  call: Call,
  /** The visible arguments, parsed and valid. */
  arguments: JsonRecord,
  /** The schema for a form that changes them; absent where the tool is there no longer. */
  inputSchema: optional(JsonRecord),
  waitsFor: WaitsFor,
  /** What is asked, where the call waits for input. */
  input: optional(CoreOutcome.InputJson),
  why: optional(Schema.String),
  /** What an answer is bound to. */
  digest: Schema.String,
  facts: Facts,
  /** Who asks. */
  from: Schema.Struct({
    kind: Schema.Literal("playground", "call", "agent", "store"),
    /** The title of the conversation; of a call by hand without one, the tool. */
    name: Schema.String,
    run: optional(Schema.String),
    conversation: optional(Schema.String)
  }),
  askedAt: optional(Milliseconds),
  expiresAt: optional(Milliseconds)
})

/**
 * A call that waits for an answer.
 *
 * @category models
 */
export interface Approval extends Schema.Schema.Type<typeof Approval> {}

const Reply = Schema.Union(
  Schema.Struct({ _tag: Schema.Literal("Approve") }),
  /** All visible arguments, in place of the model's. */
  Schema.Struct({ _tag: Schema.Literal("ApproveWith"), arguments: JsonRecord }),
  Schema.Struct({ _tag: Schema.Literal("Deny"), reason: Schema.String }),
  /** For a call that waits for a client: what the client found. */
  Schema.Struct({ _tag: Schema.Literal("Result"), value: JsonValue }),
  /** For a call that waits for input. */
  Schema.Struct({ _tag: Schema.Literal("Reply"), value: JsonValue })
)

/**
 * An answer to a call that waits.
 *
 * @category models
 */
export type Reply = typeof Reply.Type

const ApprovalAnswer = Schema.Struct({
  /** The digest that was displayed. With another one the answer is a Conflict. */
  digest: Schema.String,
  reply: Reply
}).annotations({
  // In the wrong place, an edit would be lost, and what the model sent would run.
  parseOptions: { onExcessProperty: "error" }
})

/**
 * An answer bound to what was shown.
 *
 * @category models
 */
export interface ApprovalAnswer extends Schema.Schema.Type<typeof ApprovalAnswer> {}

const Answered = Schema.Struct({
  /** The run that goes on. */
  run: optional(Schema.String),
  /** Of a call by hand: how it ended. */
  outcome: optional(CoreOutcome.Json)
})

/**
 * What an answer has led to.
 *
 * @category models
 */
export interface Answered extends Schema.Schema.Type<typeof Answered> {}

const Decision = Schema.Struct({
  /** The approval's id. */
  id: Schema.String,
  at: Milliseconds,
  /** The run that has asked, and the one that goes on with the answer. */
  asked: optional(Schema.String),
  run: optional(Schema.String),
  conversation: optional(Schema.String),
  answer: CallAnswered,
  /** How the call has ended since, with the beginning of its text. */
  outcome: optional(Schema.Struct({ _tag: Schema.String, isError: Schema.Boolean, text: optional(Schema.String) }))
})

/**
 * What was answered, by whom, and what came of it.
 *
 * @category models
 */
export interface Decision extends Schema.Schema.Type<typeof Decision> {}

export const approvals = HttpApiGroup.make("approvals")
  .add(HttpApiEndpoint.get("list", "/approvals").addSuccess(Schema.Struct({ approvals: Schema.Array(Approval) })))
  // The newest first.
  .add(HttpApiEndpoint.get("decisions", "/decisions").addSuccess(Schema.Struct({ decisions: Schema.Array(Decision) })))
  .add(
    HttpApiEndpoint.post("answer")`/approvals/${id}`
      .setPayload(ApprovalAnswer)
      .addSuccess(Answered)
      .addError(NotFound)
      .addError(NotChanged)
  )
  .addError(Failed)
