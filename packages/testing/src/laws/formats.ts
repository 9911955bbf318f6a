/** The wire formats that every definition has to survive. */
import {
  Anthropic,
  BedrockConverse,
  CohereV2,
  Gemini,
  Mistral,
  Ollama,
  OpenAiChat,
  OpenAiResponses,
  type WireFormat
} from "@wield/providers"

export const formats: ReadonlyArray<WireFormat.WireFormat> = [
  OpenAiChat.format,
  OpenAiResponses.format,
  Anthropic.format,
  Gemini.format,
  BedrockConverse.format,
  Mistral.format,
  CohereV2.format,
  Ollama.format
]
