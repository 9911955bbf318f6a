/** A call that waits for a person, and the answer, as JSON that a host can keep and send. */
import { type Json, type Outcome, Response, type ToolCall } from "@wield/core"

/**
 * A call that waits for a person. It is JSON: it may be answered by another
 * process.
 *
 * @category models
 */
export interface Waiting {
  readonly id: string
  readonly name: string
  /** The visible arguments, valid and as the model sent them. */
  readonly arguments: unknown
  /** Why a person is asked, where the rule says so. */
  readonly why?: string
  /** What exactly is asked about: an answer holds for nothing else. */
  readonly digest: string
  readonly call: ToolCall.ToolCall
}

/**
 * What a person answers; `arguments` are other ones than the model's.
 *
 * @category models
 */
export type Reply = "approve" | { readonly approve: Json.JsonObject } | { readonly deny: string }

/**
 * A reply to the call of this digest, as a host hands it back: what a host
 * shows to a person has the digest, and the answer repeats it.
 *
 * @category models
 */
export interface Answer {
  readonly digest: string
  readonly reply: Reply
}

/**
 * Answers a call at once, for hosts without approvals of their own;
 * `undefined` refuses it.
 *
 * @category models
 */
export type Ask = (waiting: Waiting) => Reply | undefined | Promise<Reply | undefined>

/**
 * Of a deferred call, what a person is shown.
 *
 * @category conversions
 */
export const waitingOf = ({ arguments: given, call, digest, id, name, why }: Outcome.Deferred): Waiting => ({
  id,
  name,
  arguments: given,
  ...(why === undefined ? {} : { why }),
  digest,
  call
})

/**
 * Of a reply, the response that a deferred call takes.
 *
 * @category conversions
 */
export const responseOf = (reply: Reply): Response.Response => {
  if (reply === "approve") return Response.approve
  return "approve" in reply ? Response.approveWith(reply.approve) : Response.deny(reply.deny)
}

/**
 * Whether a value from outside, such as one that a host kept, is an answer.
 *
 * @category guards
 */
export const isAnswer = (value: unknown): value is Answer => {
  if (typeof value !== "object" || value === null || !("digest" in value) || !("reply" in value)) return false
  const { digest, reply } = value
  if (typeof digest !== "string") return false
  if (reply === "approve") return true
  if (typeof reply !== "object" || reply === null) return false
  return (
    ("deny" in reply && typeof reply.deny === "string") || ("approve" in reply && typeof reply.approve === "object")
  )
}
