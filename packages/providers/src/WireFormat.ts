/**
 * One provider API's JSON: tools out, turns in, results out. Each format is a
 * plain value, so a program can hold several and pick one by name or by the
 * look of a response body.
 */
import type { Json, Loss, Message, Outcome, ToolDefinition, Turn, TurnEvent } from "@wield/core"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import type { Either, Option } from "effect"
import * as Stream from "effect/Stream"
import * as Anthropic from "./Anthropic.js"
import type { ApiError } from "./ApiError.js"
import * as BedrockConverse from "./BedrockConverse.js"
import * as CohereV2 from "./CohereV2.js"
import * as Gemini from "./Gemini.js"
import * as Mistral from "./Mistral.js"
import * as Ollama from "./Ollama.js"
import * as OpenAiChat from "./OpenAiChat.js"
import * as OpenAiResponses from "./OpenAiResponses.js"
import type { StreamDecoder } from "./StreamDecoder.js"
import type { WireError } from "./WireError.js"

/**
 * Which tools the model may or must call.
 *
 * @category models
 */
export type ToolChoice =
  | { readonly _tag: "Auto" }
  | { readonly _tag: "None" }
  | { readonly _tag: "Required" }
  /** The model must call one of these. Where the API can name only one or none, this is reported as a loss. */
  | { readonly _tag: "OneOf"; readonly names: ReadonlyArray<string> }

/**
 * How the tools are offered.
 *
 * @category models
 */
export interface ToolsOptions {
  /** Left out of the request when not given. */
  readonly choice?: ToolChoice | undefined
  /** Whether the model may make several calls in one turn. Left out of the request when not given. */
  readonly isParallel?: boolean | undefined
  /** Ask the API to hold the model to the schemas, where it can. */
  readonly isStrict?: boolean | undefined
  /** Mark the definitions as a prefix to be cached, where the API wants a mark (Anthropic, Bedrock). */
  readonly isCached?: boolean | undefined
}

/**
 * The part of a request body that offers tools.
 *
 * @category models
 */
export interface EncodedTools {
  /** Keys of the request body, such as `tools` and `tool_choice`: spread it into the body. Equal input gives equal bytes. */
  readonly body: Json.JsonObject
  /** What the format cannot say. */
  readonly losses: ReadonlyArray<Loss.Loss>
}

/**
 * What was offered, so that calls can be read back as they are meant.
 *
 * @category models
 */
export interface Offered {
  /** The definitions that were encoded: names that the API made it necessary to map are mapped back by them. */
  readonly definitions?: ReadonlyArray<ToolDefinition.ToolDefinition> | undefined
  /** The tools were encoded in strict mode: `null` for an absent optional parameter is taken away again. */
  readonly isStrict?: boolean | undefined
}

/**
 * What to append to the conversation after a turn: the turn itself, verbatim,
 * then its results.
 *
 * @category models
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
 *
 * @category models
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
  /** What of a decoded body has no words here: it is kept in `native` only. */
  readonly losses: ReadonlyArray<Loss.Loss>
}

/**
 * A request body, and what it could not say.
 *
 * @category models
 */
export interface EncodedRequest {
  readonly body: Json.JsonObject
  readonly losses: ReadonlyArray<Loss.Loss>
}

/**
 * An HTTP response that is no turn.
 *
 * @category models
 */
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
 *
 * @category models
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

/**
 * The rest of a format: streams, whole requests, errors.
 *
 * @category models
 */
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

/**
 * One provider API's JSON.
 *
 * @category models
 */
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
  /** Whether a response body looks like this format. */
  readonly isFormatOf: (body: unknown) => boolean
}

/**
 * Every wire format there is, by name. What one of them takes for its own body,
 * none of the others does.
 *
 * @category guards
 */
export const all: ReadonlyArray<WireFormat> = [
  Anthropic.format,
  BedrockConverse.format,
  CohereV2.format,
  Gemini.format,
  Mistral.format,
  Ollama.format,
  OpenAiChat.format,
  OpenAiResponses.format
]

/**
 * The format of a response body (already parsed JSON), by its look; none where
 * it looks like no known format. Error bodies are recognised too, where their
 * shape is one API's alone.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { WireFormat } from "@wield/providers"
 * import { Option } from "effect"
 *
 * const nameOf = (body: unknown) => WireFormat.detect(body).pipe(Option.map((format) => format.name))
 * assert.deepStrictEqual(nameOf({ type: "message", role: "assistant", content: [] }), Option.some("anthropic"))
 * assert.deepStrictEqual(nameOf({ candidates: [] }), Option.some("gemini"))
 * assert.deepStrictEqual(nameOf({ hello: "world" }), Option.none())
 * ```
 *
 * @category guards
 */
export const detect = (body: unknown): Option.Option<WireFormat> =>
  Arr.findFirst(all, (format) => format.isFormatOf(body))

/**
 * A streamed response body as a stream of turn events, the last of which is `Finished`. When the body breaks off or is
 * not of the format, the turn as far as it came is finished, marked incomplete, and then the stream fails.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Anthropic, WireFormat } from "@wield/providers"
 * import { Effect, Stream } from "effect"
 *
 * const body = [
 *   { type: "message_start", message: { id: "msg_1", role: "assistant", content: [] } },
 *   { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
 *   { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Noon." } },
 *   { type: "message_delta", delta: { stop_reason: "end_turn" } },
 *   { type: "message_stop" }
 * ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
 * const bytes = Stream.fromIterable(body).pipe(Stream.encodeText)
 * const events = bytes.pipe(WireFormat.decodeStream(Anthropic.format), Stream.runCollect, Effect.runSync)
 * assert.deepStrictEqual([...events].map(({ _tag }) => _tag), ["TextDelta", "Finished"])
 * ```
 *
 * @category streaming
 */
export const decodeStream =
  (format: Pick<Conversing, "streamDecoder">, offered?: Offered) =>
  <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<TurnEvent.TurnEvent, E | WireError | ApiError, R> =>
    Stream.suspend(() => {
      const decoder = format.streamDecoder(offered)
      const failed = Stream.suspend(() => {
        const failure = decoder.failure()
        return failure === undefined ? Stream.empty : Stream.fail(failure)
      })
      return bytes.pipe(
        // Asked for each piece: a stream hands over several at once, and what came before a failure counts.
        Stream.map((piece) => ({ events: decoder.push(piece), hasFailed: decoder.failure() !== undefined })),
        // The rest of a body that cannot be read is not waited for.
        Stream.takeUntil(({ hasFailed }) => hasFailed),
        Stream.mapConcat(({ events }) => events),
        Stream.concat(Stream.suspend(() => Stream.fromIterable(decoder.end()))),
        Stream.concat(failed),
        Stream.catchAllCause((cause) =>
          Cause.isInterruptedOnly(cause)
            ? Stream.failCause(cause)
            : Stream.concat(
                Stream.suspend(() => Stream.fromIterable(decoder.end())),
                Stream.failCause(cause)
              )
        )
      )
    })
