/**
 * One provider API's JSON: tools out, turns in, results out. Each format is a
 * plain value, so a program can hold several and pick one by name or by the
 * look of a response body.
 */
import * as Arr from "effect/Array"
import type { Option } from "effect"
import * as Anthropic from "./Anthropic.js"
import * as BedrockConverse from "./BedrockConverse.js"
import * as CohereV2 from "./CohereV2.js"
import * as Gemini from "./Gemini.js"
import * as Mistral from "./Mistral.js"
import * as Ollama from "./Ollama.js"
import * as OpenAiChat from "./OpenAiChat.js"
import * as OpenAiResponses from "./OpenAiResponses.js"
import type { WireFormat } from "./internal/contract.js"

export { decodeStream } from "./StreamDecoder.js"
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
   * How the requests of a conversation that grows share what a provider caches.
   *
   * @category models
   */
  Cache,
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
