/**
 * The answer to a deferred call: a person's to an approval, a client's to a
 * call that it executed, anyone's to what its handler asks.
 */
import type * as Tool from "@effect/ai/Tool"
import { canonical, type Json, type JsonObject } from "./Json.js"
import { holds, orThrow } from "./Options.js"
import type { Outcome } from "./Outcome.js"

/**
 * The call may run; where a person changed the arguments, with those in place
 * of the model's.
 *
 * @category models
 */
export interface Approve {
  readonly _tag: "Approve"
  /** All of the visible arguments, encoded as a model would send them; the model's own unless given. */
  readonly arguments?: JsonObject | undefined
}

/**
 * The call may not run; the model reads the reason.
 *
 * @category models
 */
export interface Deny {
  readonly _tag: "Deny"
  readonly reason: string
}

/**
 * The client executed the call; its value is encoded, as it came over the wire,
 * and is checked against the tool's success schema.
 *
 * @category models
 */
export interface Result<out Encoded = unknown> {
  readonly _tag: "Result"
  readonly encoded: Encoded
}

/**
 * The client could not execute the call; its failure is encoded and is checked
 * against the tool's failure schema.
 *
 * @category models
 */
export interface Failure<out Encoded = unknown> {
  readonly _tag: "Failure"
  readonly encoded: Encoded
}

/**
 * The reply to what the call's handler asks; it has to fit `input.accepts`.
 *
 * @category models
 */
export interface Reply {
  readonly _tag: "Reply"
  readonly value: Json
}

/**
 * The answer to a deferred call.
 *
 * @category models
 */
export type Response<Success = unknown, Failed = unknown> = Approve | Deny | Result<Success> | Failure<Failed> | Reply

/**
 * The answers that fit a call of one tool of these; any, where only the run time
 * knows the tool.
 *
 * @category type-level
 */
export type To<Tools, Name extends string> = [Name] extends [keyof Tools]
  ? Response<Tool.SuccessEncoded<Tools[Name]>, Tool.FailureEncoded<Tools[Name]>>
  : Response

/**
 * The call may run.
 *
 * @category constructors
 */
export const approve: Approve = { _tag: "Approve" }

/**
 * The call may run with these arguments in place of the model's. They are the
 * visible arguments, all of them, encoded as a model would send them. They are
 * checked like a model's, and their names too; the model reads that a person
 * changed them, and to what.
 *
 * @category constructors
 */
export const approveWith = (edited: JsonObject): Approve => {
  // Without them, what the person has changed would run as it was. Of others, a run says what is wrong.
  orThrow(areGiven(edited), "The arguments of an approval")
  return { _tag: "Approve", arguments: edited }
}

const areGiven = holds("an object", (edited) => edited !== undefined)

/**
 * The call may not run; the model reads the reason.
 *
 * @category constructors
 */
export const deny = (reason: string): Deny => ({ _tag: "Deny", reason })

/**
 * The client's value, encoded.
 *
 * @category constructors
 */
export const result = <const Encoded>(encoded: Encoded): Result<Encoded> => ({ _tag: "Result", encoded })

/**
 * The client's failure, encoded.
 *
 * @category constructors
 */
export const failure = <const Encoded>(encoded: Encoded): Failure<Encoded> => ({ _tag: "Failure", encoded })

/**
 * The reply to what the call's handler asks. The handler goes on with it.
 *
 * @category constructors
 */
export const reply = (value: Json): Reply => ({ _tag: "Reply", value })

/**
 * Whether a call came to its end by another answer than this one, which was
 * given at the same time or before: this one was not taken. `shown` are the
 * arguments that the call was answered with.
 *
 * @category accessors
 */
export const isOverruled = (response: Response, outcome: Outcome, shown: unknown): boolean => {
  // What ended without having begun was never answered.
  if (!outcome.notes.some(({ _tag }) => _tag === "Replayed")) return false
  if (outcome._tag === "Denied" || response._tag === "Deny")
    return (outcome._tag === "Denied") !== (response._tag === "Deny")
  if (response._tag === "Result") return outcome._tag === "Failure"
  if (response._tag === "Failure") return outcome._tag === "Success"
  if (response._tag !== "Approve") return false
  const ran = outcome.notes.find((note) => note._tag === "Edited")?.arguments ?? shown
  return ran !== undefined && canonical(ran) !== canonical(response.arguments ?? shown ?? ran)
}
