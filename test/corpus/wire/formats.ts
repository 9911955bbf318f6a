/** The wire formats that the recordings are of, and what belongs to each. */
import * as providers from "@wield/providers"
import type { WireFormat } from "@wield/providers"
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

interface Known extends Omit<Case, "format"> {
  /** The module's name in the package. */
  readonly module: string
}

const known: ReadonlyArray<Known> = [
  {
    wire: "openai-chat",
    module: "OpenAiChat",
    endpoint: /\/chat(\/completions)?$/,
    differences: openAiChat
  },
  { wire: "openai-responses", module: "OpenAiResponses", endpoint: /\/responses$/, differences: openAiResponses },
  { wire: "anthropic-messages", module: "Anthropic", endpoint: /\/messages$/, differences: anthropic },
  {
    wire: "gemini-generatecontent",
    module: "Gemini",
    endpoint: /:(generateContent|streamGenerateContent)$/,
    differences: gemini
  },
  {
    wire: "bedrock-converse",
    module: "BedrockConverse",
    endpoint: /\/converse(-stream)?$/,
    differences: bedrockConverse
  },
  { wire: "mistral-chat", module: "Mistral", endpoint: /\/chat\/completions$/, differences: mistral },
  { wire: "cohere-v2", module: "CohereV2", endpoint: /\/v2\/chat$/, differences: cohereV2 },
  { wire: "ollama-chat", module: "Ollama", endpoint: /\/api\/chat$/, differences: ollama }
]

const modules: { readonly [name: string]: unknown } = providers

const isFormat = (value: unknown): value is WireFormat.WireFormat =>
  typeof value === "object" && value !== null && "decodeTurn" in value

const formatOf = (module: string): WireFormat.WireFormat | undefined => {
  const value = modules[module]
  if (typeof value !== "object" || value === null || !("format" in value)) return undefined
  return isFormat(value.format) ? value.format : undefined
}

export const cases: ReadonlyArray<Case> = known.flatMap(({ module, ...rest }) => {
  const format = formatOf(module)
  return format === undefined ? [] : [{ ...rest, format }]
})

/** Recorded formats that the package does not speak yet. */
export const missing: ReadonlyArray<string> = known
  .filter(({ module }) => formatOf(module) === undefined)
  .map(({ wire }) => wire)
