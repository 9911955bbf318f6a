/**
 * Why an answer to a deferred call is not taken. Nothing has changed then: no
 * call ran, and the conversation is what it was.
 *
 * No error says what a call's arguments, a secret or a signature are.
 */
import type { ResponseError } from "@wield/core"
import * as Schema from "effect/Schema"

const named = {
  /** The id of the conversation. */
  conversation: Schema.String,
  /** The id of the assistant's entry that has the call. */
  entry: Schema.String,
  /** The id of the call. */
  call: Schema.String
}

const theCall = (error: { readonly conversation: string; readonly entry: string; readonly call: string }): string =>
  // Calls of a run without a name are of no conversation.
  `the call ${error.call} in the entry ${error.entry}${error.conversation === "" ? "" : ` of the conversation ${error.conversation}`}`

/**
 * The conversation has no such call: the answer is for another conversation, or
 * the conversation was truncated meanwhile.
 *
 * @category errors
 */
export class UnknownRequest extends Schema.TaggedError<UnknownRequest>("@wield/agent/UnknownRequest")(
  "UnknownRequest",
  named
) {
  override get message(): string {
    return `An answer names ${theCall(this)}, which is not there: answer the requests of the run that is paused now`
  }
}

/**
 * The call has been answered already, by another answer. The same answer again
 * is no error: the run goes on.
 *
 * @category errors
 */
export class AlreadyAnswered extends Schema.TaggedError<AlreadyAnswered>("@wield/agent/AlreadyAnswered")(
  "AlreadyAnswered",
  {
    ...named,
    /**
     * What the first answer was. Absent where several processes have recorded answers, of which only the call's result
     * tells the one that counts, and, without a conversation (`run.answer`), where the request does not say what it waits
     * for.
     */
    response: Schema.optional(Schema.Literal("Approve", "Deny", "Result", "Failure", "Reply"))
  }
) {
  override get message(): string {
    const how =
      this.response === "Approve" ? "by an approval" : this.response === "Deny" ? "by a denial" : "in another way"
    return `${sentence(theCall(this))} has been answered already, ${how}: the first answer counts, and this one was not taken. Go on without this one: the result of the call says what was decided`
  }
}

/**
 * The signature is not that of the request: something of it was changed on its
 * way, or another secret signed it.
 *
 * @category errors
 */
export class TamperedRequest extends Schema.TaggedError<TamperedRequest>("@wield/agent/TamperedRequest")(
  "TamperedRequest",
  {
    ...named,
    /** `missing` where the request came back without a signature. */
    signature: Schema.Literal("missing", "wrong")
  }
) {
  override get message(): string {
    const how = this.signature === "missing" ? "has no signature" : "is not as it was signed"
    return `The request for ${theCall(this)} ${how}: send it back as it was given out, and keep the secret that signed it among the secrets, or run the conversation again without this answer, and answer the request that it then gives`
  }
}

/**
 * The request could be approved or replied to until a time that is over. What a client has done, and a denial, are still taken.
 *
 * @category errors
 */
export class ExpiredRequest extends Schema.TaggedError<ExpiredRequest>("@wield/agent/ExpiredRequest")(
  "ExpiredRequest",
  {
    ...named,
    /** Milliseconds since 1970. */
    expiresAt: Schema.Number,
    /** When the answer came, in milliseconds since 1970. */
    now: Schema.Number
  }
) {
  override get message(): string {
    return `${sentence(theCall(this))} could be answered until ${time(this.expiresAt)}, and it is ${time(this.now)}: run the conversation again without this answer, and answer the request that it then gives`
  }
}

/**
 * What came is no answer.
 *
 * @category errors
 */
export class InvalidAnswer extends Schema.TaggedError<InvalidAnswer>("@wield/agent/InvalidAnswer")("InvalidAnswer", {
  /** Where it is wrong; empty for the answer itself. */
  path: Schema.Array(Schema.Union(Schema.String, Schema.Number)),
  /** What should stand there. */
  expected: Schema.String
}) {
  override get message(): string {
    const where = this.path.length === 0 ? "" : ` at ${this.path.join(".")}`
    return `This is no answer to a deferred call: expected${where} ${this.expected}`
  }
}

/**
 * Why an answer to a deferred call is not taken; that it is stale, of the wrong
 * kind, or an edit that does not fit, is the core's `ResponseError`.
 *
 * @category errors
 */
export type AnswerError =
  | UnknownRequest
  | AlreadyAnswered
  | TamperedRequest
  | ExpiredRequest
  | InvalidAnswer
  | ResponseError

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** A time that no date can say (a client may send any number) is said as the number that it is. */
const time = (milliseconds: number): string =>
  Math.abs(milliseconds) <= 8.64e15 ? new Date(milliseconds).toISOString() : String(milliseconds)
