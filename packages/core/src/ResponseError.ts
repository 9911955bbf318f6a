/**
 * Why a response to a deferred call was refused. A refused response changes
 * nothing: the call waits as it did before.
 */
import * as Schema from "effect/Schema"
import { toText } from "./Issue.js"

/** Which call was answered: its id, and the name of its tool. */
const answered = { call: Schema.String, tool: Schema.String }

const Issues = Schema.Array(
  Schema.Struct({
    path: Schema.Array(Schema.Union(Schema.String, Schema.Number)),
    expected: Schema.String,
    received: Schema.UndefinedOr(Schema.String),
    message: Schema.optionalWith(Schema.String, { exact: true })
  })
)

/**
 * The response was given for something else than what waits: for another run or
 * call, for other arguments, for the tool as it was defined before, or for an earlier step of
 * the same call.
 *
 * @category errors
 */
export class StaleResponse extends Schema.TaggedError<StaleResponse>("@wield/core/StaleResponse")("StaleResponse", {
  ...answered,
  /** The digest that came with the response. The right one is not named, for a guesser would learn it. */
  digest: Schema.String
}) {
  override get message(): string {
    return `The response to the call ${this.call} of ${this.tool} was given for another run, other arguments or hidden values, another step, or the tool before it was altered (digest ${this.digest}). Nothing was run. Ask for what waits now (an agent that is run without answers tells it), and answer that`
  }
}

/**
 * The response is not of the kind that the call waits for: a result where a
 * person's approval is asked, an approval where a client's result is, or no
 * response at all.
 *
 * @category errors
 */
export class WrongKindOfResponse extends Schema.TaggedError<WrongKindOfResponse>("@wield/core/WrongKindOfResponse")(
  "WrongKindOfResponse",
  {
    ...answered,
    /** The tags of the responses that fit. */
    expected: Schema.Array(Schema.Literal("Approve", "Deny", "Result", "Failure", "Reply")),
    /** The response's tag, or what was given instead of one. */
    received: Schema.String
  }
) {
  override get message(): string {
    const { call, expected, received, tool } = this
    const howTo = expected.includes("Approve")
      ? "Approve the call or deny it"
      : expected.includes("Reply")
        ? "Reply with a value that fits input.accepts, or deny it"
        : "Give the result or failure of the call, or deny it"
    return `The call ${call} of ${tool} waits for ${expected.join(", ")}, but was answered with ${received}. Nothing was run. ${howTo}`
  }
}

/**
 * The call cannot have been deferred: its arguments are not valid.
 *
 * @category errors
 */
export class NotWaiting extends Schema.TaggedError<NotWaiting>("@wield/core/NotWaiting")("NotWaiting", {
  ...answered,
  /** Why nothing can wait. */
  reason: Schema.String
}) {
  override get message(): string {
    return `The call ${this.call} of ${this.tool} does not wait for a response: ${this.reason}. Nothing was run`
  }
}

/**
 * The arguments that a person put in place of the model's do not fit the tool.
 *
 * @category errors
 */
export class InvalidEdit extends Schema.TaggedError<InvalidEdit>("@wield/core/InvalidEdit")("InvalidEdit", {
  ...answered,
  /** Everything that is wrong, in the order of the parameters: `Issue.Issue`s. */
  issues: Issues
}) {
  override get message(): string {
    return `The edited arguments of the call ${this.call} of ${this.tool} are invalid: ${this.issues.map(toText).join("; ")}. Nothing was run. Approve again with arguments that fit, or without any`
  }
}

/**
 * The reply does not fit what was asked.
 *
 * @category errors
 */
export class InvalidReply extends Schema.TaggedError<InvalidReply>("@wield/core/InvalidReply")("InvalidReply", {
  ...answered,
  /** Everything that is wrong, each with its place in the reply: `Issue.Issue`s. */
  issues: Issues
}) {
  override get message(): string {
    const all = this.issues.map((issue) => toText({ ...issue, path: ["reply", ...issue.path] })).join("; ")
    return `The reply to the call ${this.call} of ${this.tool} is invalid: ${all}. Nothing was run. Reply again with a value that fits input.accepts`
  }
}

/**
 * The call context lacks a hidden field of the tool, or has it in a wrong form:
 * the program's mistake. A denial is taken all the same. An agent's run also
 * fails with it where a call was left open and no one has answered it.
 *
 * @category errors
 */
export class IncompleteContext extends Schema.TaggedError<IncompleteContext>("@wield/core/IncompleteContext")(
  "IncompleteContext",
  {
    ...answered,
    /** The hidden fields that are absent or wrong; never their values. */
    fields: Schema.Array(Schema.String)
  }
) {
  override get message(): string {
    return `The call context lacks the hidden fields of ${this.tool}, or has them in another form: ${this.fields.join(", ")}. The call ${this.call} was not run, and stays open. Give them in the \`context\` of the run, and answer again as before`
  }
}

/**
 * Why a response to a deferred call was refused.
 *
 * @category errors
 */
export type ResponseError =
  | StaleResponse
  | WrongKindOfResponse
  | NotWaiting
  | InvalidEdit
  | InvalidReply
  | IncompleteContext
