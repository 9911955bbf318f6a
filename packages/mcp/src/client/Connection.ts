/**
 * One connection to one server: the interface that the official SDK stands
 * behind. It ends once and is never mended; the supervisor makes another.
 */
import type { Json } from "@wield/core"
import type * as Effect from "effect/Effect"
import type { McpError } from "../McpError.js"

/** What both sides have agreed on. */
export interface Agreement {
  /** The revision that both speak, such as `2025-11-25`. */
  readonly revision: string
  readonly serverInfo: { readonly name: string; readonly version: string } | undefined
  readonly capabilities: Json.JsonObject
  readonly instructions: string | undefined
}

/** What one request may bring beside its result. */
export interface RequestOptions {
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /** Milliseconds without an answer or progress. */
  readonly limit?: number | undefined
}

/** How far the server is. */
export interface Progress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

/** A notification of the server. */
export interface Notification {
  readonly method: string
  readonly params: Json.JsonObject
}

export interface Connection {
  readonly agreement: Agreement
  /** Sends a request and waits for its result. Interruption cancels it at the server. */
  readonly request: (
    method: string,
    params: Json.JsonObject,
    options?: RequestOptions
  ) => Effect.Effect<Json.JsonObject, McpError>
  readonly notify: (method: string, params: Json.JsonObject) => Effect.Effect<void, McpError>
  /** Waits for the end of the connection, and returns why it ended. */
  readonly ended: Effect.Effect<string>
}
