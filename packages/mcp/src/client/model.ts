/** What is said of a client: how it is made, what it offers, and what goes to and fro. */
import type * as Json from "@wield/core/Json"
import type * as Toolset from "@wield/core/Toolset"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Block, McpTool, ResourceContents } from "../internal/content.js"
import type { McpError } from "../McpError.js"
import type * as Pins from "../Pins.js"

/**
 * The limits of a connection, in milliseconds, bytes and items.
 *
 * @category models
 */
export interface Limits {
  /** For the start of the server and the handshake. 30 seconds unless given. */
  readonly connect: number
  /**
   * For an answer to the first question, which programs of older revisions may ignore. It begins when the program has
   * answered anything. 2 seconds unless given; over HTTP a third of `connect` if that is longer.
   */
  readonly probe: number
  /** For an answer, or the next progress. 5 minutes unless given; `Infinity` for no limit. */
  readonly call: number
  /** For an answer, whatever the progress. 1 hour unless given; `Infinity` for no limit. */
  readonly total: number
  /** For one message of the server, and for one list over all its pages. 10 MiB unless given. */
  readonly messageBytes: number
  /** For one list, such as that of the tools. 10,000 unless given. */
  readonly items: number
  /** For one list. 100 unless given. */
  readonly pages: number
}

/**
 * How to treat a server.
 *
 * @category models
 */
export interface Options<R = never> extends Inputs<R> {
  /** Begins the name of each of its tools. The server's name and `_` unless given. */
  readonly prefix?: string | undefined
  /**
   * What its annotations count for. `none` (the default): they are shown, and its
   * tools are taken for destructive, open-world and not to be repeated. `hints`:
   * they are facts.
   */
  readonly trust?: "none" | "hints" | undefined
  /** `eager` (the default) connects at once; `lazy` when it is first needed. */
  readonly start?: "eager" | "lazy" | undefined
  readonly limits?: Partial<Limits> | undefined
  /** Which of its tools are used, by the server's own names: `only` these, `except` those. The others cannot be called. */
  readonly tools?:
    | { readonly only?: ReadonlyArray<string> | undefined; readonly except?: ReadonlyArray<string> | undefined }
    | undefined
  /** What to do with a result that does not fit the output schema. `note` unless given. */
  readonly outputSchemas?: OutputCheck | undefined
  /** Where accepted definitions are kept. In memory unless given. */
  readonly pins?: Pins.Service | undefined
  /** What to do with a tool that is not what was accepted. `withhold` unless given. */
  readonly onDrift?: OnDrift | undefined
  /** Which messages of its log the server sends: those of this level and above. */
  readonly logLevel?: LogLevel | undefined
}

/**
 * What this program does for the server. The server learns that it can be asked
 * where there is a function for it, or `"defer"`.
 *
 * `"defer"` is for calls of the toolset, and servers that speak 2026-07-28. Older
 * ones learn that they cannot ask.
 *
 * @category models
 */
export interface Inputs<R = never> {
  /** Asks a person. With `"defer"` the call waits, and its question is answered later, also in another process. */
  readonly elicit?: ((request: Elicitation) => Effect.Effect<ElicitationAnswer, unknown, R>) | "defer" | undefined
  /** Lets a model answer `sampling/createMessage`: `{ role, content, model }`. `"defer"` as for `elicit`. */
  readonly sample?: ((request: Json.JsonObject) => Effect.Effect<Json.JsonObject, unknown, R>) | "defer" | undefined
  /** Folders and files that the server may work in. */
  readonly roots?: ReadonlyArray<Root> | undefined
}

/**
 * A question of the server to a person.
 *
 * @category models
 */
export type Elicitation =
  | {
      readonly mode: "form"
      readonly message: string
      /** A flat object of texts, numbers, booleans and choices. */
      readonly requestedSchema: Json.JsonSchema
    }
  | {
      readonly mode: "url"
      readonly message: string
      /** Show it to the person before anything opens it. */
      readonly url: string
    }

/**
 * What a server asks in a call that waits: a person's answer, or (`sample`) that
 * of a model to a request of `sampling/createMessage`.
 *
 * @category models
 */
export type Question = Elicitation | { readonly mode: "sample"; readonly request: Json.JsonObject }

/**
 * What the person answered: `decline` is a no, `cancel` no answer.
 *
 * @category models
 */
export type ElicitationAnswer =
  | { readonly action: "accept"; readonly content?: Json.JsonObject | undefined }
  | { readonly action: "decline" | "cancel" }

/**
 * A folder or file that the server may work in.
 *
 * @category models
 */
export interface Root {
  /** A `file://` URI. */
  readonly uri: string
  readonly name?: string | undefined
}

/**
 * What becomes of a result that does not fit its tool's output schema: `strict`
 * fails the call, `note` tells the model, `off` does not look.
 *
 * @category models
 */
export type OutputCheck = "strict" | "note" | "off"

/**
 * What becomes of a tool that is not what was accepted. `withhold` takes new
 * tools and withholds altered ones; `strict` withholds both; `accept` takes both.
 * A function decides each: `true` accepts it.
 *
 * @category models
 */
export type OnDrift = "withhold" | "strict" | "accept" | ((drift: Pins.Drift) => Effect.Effect<boolean>)

/**
 * A tool of the server that is not offered, and cannot be called.
 *
 * @category models
 */
export interface Withheld {
  /** The server's own name of the tool; `instructions` for its instructions. */
  readonly tool: string
  /**
   * `drifted`: it is not what was accepted. `invalid`: its schema cannot be read. `duplicate`: another has its name.
   * `misspelt`: `tools.except` has a name that no tool has, and means this one most likely.
   */
  readonly reason: "drifted" | "invalid" | "duplicate" | "misspelt"
  readonly problem: string
  readonly drift?: Pins.Drift | undefined
}

/**
 * Levels of a server's log.
 *
 * @category models
 */
export type LogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency"

/**
 * A message of the server's log.
 *
 * @category models
 */
export interface LogMessage {
  readonly level: LogLevel
  readonly logger: string | undefined
  readonly data: Json.Json
}

/**
 * Whether there is a connection.
 *
 * @category models
 */
export type State =
  | { readonly _tag: "Idle" }
  | { readonly _tag: "Connecting" }
  | { readonly _tag: "Ready"; readonly revision: string }
  | { readonly _tag: "Disconnected"; readonly reason: string }

/**
 * How far a call is.
 *
 * @category models
 */
export interface Progress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

/**
 * An answer to a call, as the server sent it.
 *
 * @category models
 */
export interface CallResult {
  readonly content: ReadonlyArray<Block>
  /** A JSON value; an object in revisions before 2026-07-28. */
  readonly structuredContent?: unknown
  readonly isError?: boolean | undefined
  readonly _meta?: Json.JsonObject | undefined
}

/**
 * What a completion is for: an argument of a prompt, or a variable of a resource
 * template.
 *
 * @category models
 */
export interface Completion {
  readonly ref: { readonly prompt: string } | { readonly resource: string }
  readonly argument: string
  /** What was typed so far. */
  readonly value: string
  /** Arguments that are known already. */
  readonly given?: { readonly [name: string]: string } | undefined
}

/**
 * One server. It lives until its scope closes.
 *
 * @category models
 */
export interface Client {
  /** The configured name. A server's own name is for display only. */
  readonly name: string
  /** Its tools. The toolset follows what the server announces. */
  readonly toolset: Toolset.Toolset<Toolset.DynamicTools, never, McpError>
  readonly state: Effect.Effect<State>
  /** The state now, and each next one. */
  readonly states: Stream.Stream<State>
  /** The revision of the protocol that both speak, such as `2026-07-28`. */
  readonly revision: Effect.Effect<string, McpError>
  /** What the server wants a model to know. It is not given to a model by itself. */
  readonly instructions: Effect.Effect<string | undefined, McpError>
  /** What the server calls itself, for display. */
  readonly serverInfo: Effect.Effect<{ readonly name: string; readonly version: string } | undefined, McpError>
  /** The tools that are not offered, and why. */
  readonly withheld: Effect.Effect<ReadonlyArray<Withheld>, McpError>
  /** Accepts withheld tools as they are now: those with these names, or all. */
  readonly accept: (tools?: ReadonlyArray<string>) => Effect.Effect<void, McpError>
  /** The tools that are offered, as the server lists them. */
  readonly listTools: Effect.Effect<ReadonlyArray<McpTool>, McpError>
  /**
   * Calls a tool by the server's own name, past every policy: models go by the
   * toolset. A `Disconnected` error whose `wasSent` is true means that the call may
   * have taken effect.
   */
  readonly callTool: (
    name: string,
    parameters?: Json.JsonObject,
    options?: { readonly onProgress?: ((progress: Progress) => void) | undefined }
  ) => Effect.Effect<CallResult, McpError>
  readonly listResources: Effect.Effect<ReadonlyArray<Json.JsonObject>, McpError>
  readonly listResourceTemplates: Effect.Effect<ReadonlyArray<Json.JsonObject>, McpError>
  readonly readResource: (uri: string) => Effect.Effect<ReadonlyArray<ResourceContents>, McpError>
  readonly listPrompts: Effect.Effect<ReadonlyArray<Json.JsonObject>, McpError>
  /** The prompt's description and messages, as the server sent them. */
  readonly getPrompt: (
    name: string,
    parameters?: { readonly [name: string]: string }
  ) => Effect.Effect<Json.JsonObject, McpError>
  readonly complete: (completion: Completion) => Effect.Effect<ReadonlyArray<string>, McpError>
  /** Emits whenever the resource has changed, and after each new connection, when it may have. */
  readonly subscribe: (uri: string) => Stream.Stream<void, McpError>
  /** The server's log. */
  readonly logs: Stream.Stream<LogMessage>
}
