/**
 * One provider API's JSON: tools out, turns in, results out. Each format is a
 * plain value, so a program can hold several and pick one by name or by the
 * look of a response body.
 */
import type { TurnEvent } from "@wield/core"
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import type { Option } from "effect"
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
import type { Conversing, Offered, WireFormat } from "./internal/contract.js"
import type { WireError } from "./WireError.js"

export type {
  /**
   * Which tools the model may or must call.
   *
   * @category models
   */
  ToolChoice,
  /**
   * How the tools are offered.
   *
   * @category models
   */
  ToolsOptions,
  /**
   * The part of a request body that offers tools.
   *
   * @category models
   */
  EncodedTools,
  /**
   * What was offered, so that calls can be read back as they are meant.
   *
   * @category models
   */
  Offered,
  /**
   * What to append to the conversation after a turn: the turn itself, verbatim,
   * then its results.
   *
   * @category models
   */
  EncodedResults,
  /**
   * A whole request in Wield's words: the conversation, the tools on offer, and
   * whatever else the body held.
   *
   * @category models
   */
  Request,
  /**
   * A request body, and what it could not say.
   *
   * @category models
   */
  EncodedRequest,
  /**
   * An HTTP response that is no turn.
   *
   * @category models
   */
  ErrorResponse,
  /**
   * How an API is called over HTTP: by POST, with a JSON body, to the base URL
   * and the path behind it.
   *
   * @category models
   */
  Endpoint,
  /**
   * The rest of a format: streams, whole requests, errors.
   *
   * @category models
   */
  Conversing,
  /**
   * One provider API's JSON.
   *
   * @category models
   */
  WireFormat
} from "./internal/contract.js"

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
