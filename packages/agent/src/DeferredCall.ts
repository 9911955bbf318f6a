/**
 * A call that waits for a person or a client, as JSON: what a paused run gives
 * away and an answer names.
 *
 * @since 0.1.0
 */
import type { Facts, Json, Response, ToolCall } from "@wield/core"

/**
 * A call that waits.
 *
 * @since 0.1.0
 * @category models
 */
export interface DeferredCall {
  /** The id of the conversation. */
  readonly conversation: string
  /** The id of the assistant's entry that has the call. */
  readonly entry: string
  /** The call as the model sent it. */
  readonly call: ToolCall.ToolCall
  readonly name: string
  /** The visible arguments, parsed and valid, as the model sent them. */
  readonly arguments: Json.JsonObject
  readonly waitsFor: "approval" | "client"
  /** Why a person is asked, where the policy says so. */
  readonly why: string | undefined
  /** Of tool, definition and arguments; what an answer answers. */
  readonly digest: string
  readonly facts: Facts.Facts
  /** What the tool is for, as the model reads it. */
  readonly description: string | undefined
  /** Milliseconds since 1970; it cannot be answered after. */
  readonly expiresAt: number | undefined
  /** HMAC-SHA-256 over all of the above, hexadecimal, where the agent signs. */
  readonly signature: string | undefined
}

/**
 * What a person or a client answers.
 *
 * @since 0.1.0
 * @category models
 */
export interface Answer {
  readonly request: DeferredCall
  readonly response: Response.Response
}
