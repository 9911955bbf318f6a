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

/** How far the server is. */
export interface Progress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

/** What one request may bring beside its result. */
export interface RequestOptions {
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/** What the program does for the server, while a connection lasts. */
export interface Handlers {
  readonly onNotification: (method: string, params: Json.JsonObject) => void
  /** Answers what a server asks: `elicitation/create`, `sampling/createMessage`, `roots/list`. */
  readonly answer: (method: string, params: Json.JsonObject) => Effect.Effect<Json.JsonObject, unknown>
  /** What the client says it can do. A request of another kind is refused by the SDK. */
  readonly capabilities: Json.JsonObject
}

export interface Connection {
  readonly agreement: Agreement
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

/** The limits of a connection, in milliseconds and bytes. */
export interface Limits {
  /** For the start of the server and the handshake. 30 seconds unless given. */
  readonly connect: number
  /** For an answer to the first question, which servers of older revisions may ignore. 2 seconds unless given. */
  readonly probe: number
  /** For an answer, or the next progress. 5 minutes unless given. */
  readonly call: number
  /** For an answer, whatever the progress. 1 hour unless given. */
  readonly total: number
  /** For one message of the server. 10 MiB unless given. */
  readonly messageBytes: number
  /** For one list, such as that of the tools. 10,000 unless given. */
  readonly items: number
  /** For one list. 100 unless given. */
  readonly pages: number
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
