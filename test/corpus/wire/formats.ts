/** The wire formats that the recordings are of, and what belongs to each. */
import type { WireFormat } from "@wield/providers"
import {
  Anthropic,
  BedrockConverse,
  CohereV2,
  Gemini,
  Mistral,
  Ollama,
  OpenAiChat,
  OpenAiResponses
} from "@wield/providers"
import type { Difference } from "./Difference.js"
import { anthropic } from "./normalisations/anthropic.js"
import { bedrockConverse } from "./normalisations/bedrockConverse.js"
import { cohereV2 } from "./normalisations/cohereV2.js"
import { gemini } from "./normalisations/gemini.js"
import { mistral } from "./normalisations/mistral.js"
import { ollama } from "./normalisations/ollama.js"
import { openAiChat } from "./normalisations/openAiChat.js"
import { openAiResponses } from "./normalisations/openAiResponses.js"

export interface Case {
  /** The format by the name that the recordings give it. */
  readonly wire: string
  readonly format: WireFormat.WireFormat
  /** The end of the path at which the API answers with turns; others count tokens and the like. */
  readonly endpoint: RegExp
  /** How a request may differ that was said anew, without what was kept verbatim. */
  readonly differences: ReadonlyArray<Difference>
}

export const cases: ReadonlyArray<Case> = [
  { wire: "openai-chat", format: OpenAiChat.format, endpoint: /\/chat(\/completions)?$/, differences: openAiChat },
  {
    wire: "openai-responses",
    format: OpenAiResponses.format,
    endpoint: /\/responses$/,
    differences: openAiResponses
  },
  { wire: "anthropic-messages", format: Anthropic.format, endpoint: /\/messages$/, differences: anthropic },
  {
    wire: "gemini-generatecontent",
    format: Gemini.format,
    endpoint: /:(generateContent|streamGenerateContent)$/,
    differences: gemini
  },
  {
    wire: "bedrock-converse",
    format: BedrockConverse.format,
    endpoint: /\/converse(-stream)?$/,
    differences: bedrockConverse
  },
  { wire: "mistral-chat", format: Mistral.format, endpoint: /\/chat\/completions$/, differences: mistral },
  { wire: "cohere-v2", format: CohereV2.format, endpoint: /\/v2\/chat$/, differences: cohereV2 },
  { wire: "ollama-chat", format: Ollama.format, endpoint: /\/api\/chat$/, differences: ollama }
]
