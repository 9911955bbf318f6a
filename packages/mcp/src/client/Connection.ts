/**
 * One connection to one server: the interface that the official SDK stands
 * behind. It ends once and is never mended; the supervisor makes another.
 */
import type { CurrentCall, Json } from "@wield/core"
import type * as Effect from "effect/Effect"
import type { Limits, Progress, Withheld } from "./model.js"
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
  /** What the call has asked for, with the reply, where it goes on with one. */
  readonly input?: CurrentCall.Call["input"]
}

/** What the program does for the server, while a connection lasts. */
export interface Handlers {
  readonly onNotification: (method: string, params: Json.JsonObject) => void
  /** Answers what a server asks: `elicitation/create`, `sampling/createMessage`, `roots/list`. */
  readonly answer: (method: string, params: Json.JsonObject) => Effect.Effect<Json.JsonObject, unknown>
  /** What the client says it can do. A request of another kind is refused by the SDK. */
  readonly capabilities: Json.JsonObject
  /** What it says to servers before 2026-07-28. */
  readonly legacyCapabilities: Json.JsonObject
}

export interface Connection {
  readonly agreement: Agreement
  /** The tools of the last list that cannot be understood. */
  readonly withheld: () => ReadonlyArray<Withheld>
  /** Sends a request and waits for its result. Interruption cancels it at the server. */
  readonly request: (
    method: string,
    params: Json.JsonObject,
    options?: RequestOptions
  ) => Effect.Effect<Json.JsonObject, McpError>
  /** Asks for news of resources. What it gives ends that. */
  readonly watch: (uri: string) => Effect.Effect<Effect.Effect<void>, McpError>
  /** Waits for the end of the connection, and returns why it ended. */
  readonly ended: Effect.Effect<string>
}

export const defaultLimits: Limits = {
  connect: 30_000,
  probe: 2_000,
  call: 300_000,
  total: 3_600_000,
  messageBytes: 10 * 1024 * 1024,
  items: 10_000,
  pages: 100
}
