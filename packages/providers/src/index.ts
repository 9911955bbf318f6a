/** The wire formats of model providers, both ways. */

export * as Anthropic from "./Anthropic.js"
export * as ApiError from "./ApiError.js"
export * as BedrockConverse from "./BedrockConverse.js"
export * as CohereV2 from "./CohereV2.js"
export * as Dialect from "./Dialect.js"
export * as Gemini from "./Gemini.js"
export * as Maker from "./Maker.js"
export * as Mistral from "./Mistral.js"
export * as NameMap from "./NameMap.js"
export * as Ollama from "./Ollama.js"
export * as OpenAiChat from "./OpenAiChat.js"
export * as OpenAiResponses from "./OpenAiResponses.js"
export type {
  /**
   * A streamed response body being read.
   *
   * @category models
   */
  StreamDecoder
} from "./StreamDecoder.js"
export * as WireError from "./WireError.js"
export * as WireFormat from "./WireFormat.js"
