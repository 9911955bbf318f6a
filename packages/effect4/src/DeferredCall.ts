/** A call that waits for a person, a client or input, as JSON: what a paused run gives away and an answer names. */
import { DeferredCall as DeferredCall3 } from "@wield/effect3"
import type * as Effect from "effect/Effect"
import type { AnswerError } from "./Errors.js"
import type { Facts } from "./Facts.js"
import { into4 } from "./internal/seam.js"
import type { Input } from "./Outcome.js"
import * as Response from "./Response.js"
import type { ToolCall } from "./ToolCall.js"

/**
 * A call that waits.
 *
 * @category models
 */
export interface DeferredCall {
  /** Names this request and no other: keep a table of requests by it. */
  readonly id: string
  readonly conversation: string
  readonly entry: string
  readonly call: ToolCall
  readonly name: string
  /** The visible arguments, parsed and valid. */
  readonly arguments: { readonly [name: string]: unknown }
  readonly waitsFor: "approval" | "client" | "input"
  readonly input?: Input | undefined
  /**
   * The calls of sub-agents that it waits within, the outermost first: it is a
   * call of the sub-agent that the last of them runs.
   */
  readonly within?: ReadonlyArray<{ readonly call: ToolCall; readonly name: string }> | undefined
  /** Why a person is asked, where the policy says so. */
  readonly why: string | undefined
  readonly digest: string
  readonly facts: Facts
  readonly description: string | undefined
  /** Milliseconds since 1970; it cannot be answered after. */
  readonly expiresAt: number | undefined
  readonly signature: string | undefined
}

/**
 * A request with its answer, as the next run takes it.
 *
 * @category models
 */
export interface Answer {
  readonly request: DeferredCall
  readonly response: Response.Response
}

/**
 * The call may run as it is.
 *
 * @category answers
 */
export const approve = (request: DeferredCall): Answer => ({ request, response: Response.approve })

/**
 * The call may not run; the model reads the reason.
 *
 * @category answers
 */
export const deny = (request: DeferredCall, reason: string): Answer => ({ request, response: Response.deny(reason) })

/**
 * The call may run with these arguments: all of the visible ones, encoded.
 *
 * @category answers
 */
export const approveWith = (request: DeferredCall, edited: { readonly [name: string]: unknown }): Answer => ({
  request,
  response: Response.approveWith(edited)
})

/**
 * What a client's execution came to, encoded.
 *
 * @category answers
 */
export const result = (request: DeferredCall, encoded: unknown): Answer => ({
  request,
  response: Response.result(encoded)
})

/**
 * How a client's execution failed, encoded.
 *
 * @category answers
 */
export const failure = (request: DeferredCall, encoded: unknown): Answer => ({
  request,
  response: Response.failure(encoded)
})

/**
 * The reply to what a handler asked.
 *
 * @category answers
 */
export const reply = (request: DeferredCall, value: unknown): Answer => ({ request, response: Response.reply(value) })

/**
 * Any other answer.
 *
 * @category answers
 */
export const answer = (request: DeferredCall, response: Response.Response): Answer => ({ request, response })

/**
 * An answer from outside, such as the JSON of an HTTP request.
 *
 * @category decoding
 */
export const decodeAnswer = (json: unknown): Effect.Effect<Answer, AnswerError> =>
  into4(DeferredCall3.decodeAnswer(json))
