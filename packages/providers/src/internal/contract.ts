/** What a wire format is. The formats are made to it; `WireFormat.ts` has them all. */
import type { Json, Loss, Message, Outcome, ToolDefinition, Turn } from "@wield/core"
import type { Either } from "effect"
import type { ApiError } from "../ApiError.js"
import type { StreamDecoder } from "../StreamDecoder.js"
import type { WireError } from "../WireError.js"

/** Which tools the model may or must call. */
export type ToolChoice =
  | { readonly _tag: "Auto" }
  | { readonly _tag: "None" }
  | { readonly _tag: "Required" }
  /** The model must call one of these. Where the API can name only one or none, this is reported as a loss. */
  | { readonly _tag: "OneOf"; readonly names: ReadonlyArray<string> }

/** How the tools are offered. */
export interface ToolsOptions {
  /** Left out of the request when not given. */
  readonly choice?: ToolChoice | undefined
  /** Whether the model may make several calls in one turn. Left out of the request when not given. */
  readonly isParallel?: boolean | undefined
  /** Ask the API to hold the model to the schemas, where it can. */
  readonly isStrict?: boolean | undefined
  /**
   * Mark the definitions as a prefix to be cached, where the API wants a mark (Anthropic, Bedrock). In a request with
   * `cache`, true also marks for models and servers of which it is not known that they take marks.
   */
  readonly isCached?: boolean | undefined
}

/** The part of a request body that offers tools. */
export interface EncodedTools {
  /** Keys of the request body, such as `tools` and `tool_choice`: spread it into the body. Equal input gives equal bytes. */
  readonly body: Json.JsonObject
  /** What the format cannot say. */
  readonly losses: ReadonlyArray<Loss.Loss>
}

/** What was offered, so that calls can be read back as they are meant. */
export interface Offered {
  /** The definitions that were encoded: names that the API made it necessary to map are mapped back by them. */
  readonly definitions?: ReadonlyArray<ToolDefinition.ToolDefinition> | undefined
  /** The tools were encoded in strict mode: `null` for an absent optional parameter is taken away again. */
  readonly isStrict?: boolean | undefined
}

/**
 * What to append to the conversation after a turn: the turn itself, verbatim,
 * then its results.
 */
export interface EncodedResults {
  /** Messages (or items, or contents) to append to the request's history, which stands under the format's `historyKey`. */
  readonly messages: ReadonlyArray<Json.Json>
  /** Ids of the calls that have no result yet. The request must not be sent before they have one. */
  readonly pending: ReadonlyArray<string>
  readonly losses: ReadonlyArray<Loss.Loss>
}

/**
 * A whole request in Wield's words: the conversation, the tools on offer, and
 * whatever else the body held.
 */
export interface Request {
  readonly messages: ReadonlyArray<Message.Message>
  /** Those that came out of a request body keep it in `native`. */
  readonly definitions: ReadonlyArray<ToolDefinition.ToolDefinition>
  readonly options: ToolsOptions
  /** The other keys of the body (model, temperature, …), verbatim, and the format they belong to. */
  readonly settings: { readonly format: string; readonly json: Json.JsonObject } | undefined
  /** The model that it is for, where its API's bodies do not say: Gemini 3 takes media inside of results. */
  readonly model?: string | undefined
  /** Host of the server that it is for: turns that another made are re-encoded. */
  readonly host?: string | undefined
  /** Has the provider cache all that is sent, where it has to be asked. */
  readonly cache?: Cache | undefined
  /**
   * The tool among the definitions whose results find others (`{ tools: [{ name, description, parameters }] }`). An API
   * with `takesFound` takes the found ones from there; to others it is a tool like any other.
   */
  readonly search?: string | undefined
  /** What it finds, as it is defined now: the `providerSettings` of found tools, which no result has. */
  readonly findable?: ReadonlyArray<ToolDefinition.ToolDefinition> | undefined
  /**
   * Tools that the API's own search finds. An API with `takesFound` is sent that search and these as deferred; to others
   * they are tools like any other.
   */
  readonly deferred?: ReadonlyArray<ToolDefinition.ToolDefinition> | undefined
  /** What of a decoded body has no words here: it is kept in `native` only. */
  readonly losses: ReadonlyArray<Loss.Loss>
}

/** How the requests of a conversation that grows share what a provider caches. */
export interface Cache {
  /** The same for all of them, and for no others: the conversation's id. OpenAI sends requests of one key to one cache. */
  readonly key?: string | undefined
}

/** A request body, and what it could not say. */
export interface EncodedRequest {
  readonly body: Json.JsonObject
  /** What a response is read with, where that is more than the definitions of the request. */
  readonly offered?: Offered | undefined
  readonly losses: ReadonlyArray<Loss.Loss>
}

/** An HTTP response that is no turn. */
export interface ErrorResponse {
  readonly status: number
  /** By lower-case names. */
  readonly headers?: { readonly [name: string]: string | undefined } | undefined
  /** Parsed JSON, or else text. */
  readonly body: unknown
}

/**
 * How an API is called over HTTP: by POST, with a JSON body, to the base URL
 * and the path behind it.
 */
export interface Endpoint {
  /** The base URL, without a slash at its end; `undefined` where each region has its own (Bedrock). */
  readonly url: string | undefined
  /** What goes behind the base URL. The model is percent-encoded in it; it may have a query. */
  readonly path: (model: string, isStreaming: boolean) => string
  /** The header that carries the key, what stands before the key in it, and the environment variable that people keep it in. */
  readonly key: { readonly header: string; readonly prefix: string; readonly variable: string }
  /** Headers of every request, by lower-case names. */
  readonly headers: { readonly [name: string]: string }
  /** Keys of the body that name the model, ask for a stream, and that the API does not do without. */
  readonly body: (model: string, isStreaming: boolean) => Json.JsonObject
}

/** The rest of a format: streams, whole requests, errors. */
export interface Conversing {
  /** Reads a streamed response body. Never throws. */
  readonly streamDecoder: (offered?: Offered) => StreamDecoder
  /** Reads a whole request body: its messages, tools and settings. Never throws. */
  readonly decodeRequest: (body: unknown) => Either.Either<Request, WireError>
  /**
   * A request body. What came from a body of this format is put back verbatim;
   * what came from another, or from another server or model family
   * (`Maker.keepOwn`), is re-encoded, and what cannot be said is a loss.
   */
  readonly encodeRequest: (request: Request) => EncodedRequest
  /** What an error response means and what a program can do about it. Never throws. */
  readonly decodeError: (response: ErrorResponse) => ApiError
}

/** One provider API's JSON. */
export interface WireFormat extends Conversing {
  /** Names the format in turns, errors and losses, such as `openai-chat`. */
  readonly name: string
  /** What people call the API, such as `OpenAI Chat Completions`. */
  readonly title: string
  /** The key of a request body that holds the conversation: `messages`, `input` or `contents`. */
  readonly historyKey: string
  /** How the API is called over HTTP. Wire formats send nothing themselves. */
  readonly endpoint: Endpoint
  /** The part of a request body that offers these tools. */
  readonly encodeTools: (
    definitions: ReadonlyArray<ToolDefinition.ToolDefinition>,
    options?: ToolsOptions
  ) => EncodedTools
  /** Reads a response body (already parsed JSON). Never throws. */
  readonly decodeTurn: (body: unknown, offered?: Offered) => Either.Either<Turn.Turn, WireError>
  /**
   * The turn and the outcomes of its calls, as messages to append. Outcomes are
   * paired by call id. A turn of another format is re-encoded, and what that
   * loses is reported.
   */
  readonly encodeResults: (turn: Turn.Turn, outcomes: ReadonlyArray<Outcome.Outcome>) => EncodedResults
  /**
   * Whether it is known that this model, at this host, takes tools that a search of the application's has found from the
   * search's result, so that `tools` and what is cached stay as they are. Absent where the API has no such form.
   */
  readonly takesFound?: ((to: Message.Maker) => boolean) | undefined
  /** Whether a response body looks like this format. */
  readonly isFormatOf: (body: unknown) => boolean
}
