/**
 * The wire formats of model providers, both ways.
 *
 * @since 0.1.0
 */

/** @since 0.1.0 */
export * as Anthropic from "./Anthropic.js"
/** @since 0.1.0 */
export * as ApiError from "./ApiError.js"
/** @since 0.1.0 */
export * as BedrockConverse from "./BedrockConverse.js"
/** @since 0.1.0 */
export * as CohereV2 from "./CohereV2.js"
/** @since 0.1.0 */
export * as Dialect from "./Dialect.js"
/** @since 0.1.0 */
export * as Gemini from "./Gemini.js"
/** @since 0.1.0 */
export * as Mistral from "./Mistral.js"
/** @since 0.1.0 */
export * as NameMap from "./NameMap.js"
/** @since 0.1.0 */
export * as Ollama from "./Ollama.js"
/** @since 0.1.0 */
export * as OpenAiChat from "./OpenAiChat.js"
/** @since 0.1.0 */
export * as OpenAiResponses from "./OpenAiResponses.js"
export type {
  /**
   * A streamed response body being read.
   *
   * @since 0.1.0
   * @category models
   */
  StreamDecoder
} from "./StreamDecoder.js"
/** @since 0.1.0 */
export * as WireError from "./WireError.js"
/** @since 0.1.0 */
export * as WireFormat from "./WireFormat.js"
