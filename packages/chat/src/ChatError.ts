/** Why a request of a page is refused. Nothing has run then, and nothing is lost. */
import * as Schema from "effect/Schema"

const statuses = {
  /** What came is not what the protocol says. */
  InvalidRequest: 400,
  /** The program does not know who asks. */
  NotAuthorized: 401,
  /** There is no such conversation, or it is another user's. */
  UnknownConversation: 404,
  /** The address, or the method, has no meaning here. */
  UnknownAddress: 404,
  /** A run goes on in the conversation. */
  RunGoesOn: 409,
  /** What is answered does not wait, or not for this. */
  NotWaiting: 409,
  /** Calls wait for answers: they come before another message. */
  WaitsForAnswers: 409,
  /** Another message of the conversation has this id. */
  IdTaken: 409,
  /** The body has more bytes than are taken. */
  TooLarge: 413,
  /** The body is not sent as JSON. */
  NotJson: 415,
  /** An answer does not fit what was asked. */
  InvalidAnswer: 422,
  /** The program's own mistake; its log has the reference. */
  Internal: 500
} as const

/**
 * The names of the refusals, with the status of the response.
 *
 * @category models
 */
export type Code = keyof typeof statuses

/**
 * A request was refused.
 *
 * @category errors
 */
export class Refused extends Schema.TaggedError<Refused>("@wield/chat/Refused")("Refused", {
  code: Schema.Literal(...(Object.keys(statuses) as [Code, ...Array<Code>])),
  /** What is wrong, and what to do; a page may show it. */
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
  /** Of the HTTP response. */
  get status(): number {
    return statuses[this.code]
  }
}
