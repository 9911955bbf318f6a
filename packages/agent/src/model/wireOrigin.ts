/** Who answers at an address, by the names that OpenTelemetry's conventions give providers. */
import type { WireFormat } from "@wield/providers"
import type { Origin, WireOptions } from "../Model.js"

const hosts: ReadonlyArray<readonly [RegExp, string]> = [
  [/(^|\.)openai\.com$/, "openai"],
  [/(^|\.)anthropic\.com$/, "anthropic"],
  [/^generativelanguage\.googleapis\.com$/, "gcp.gemini"],
  [/aiplatform\.googleapis\.com$/, "gcp.vertex_ai"],
  [/^bedrock.*\.amazonaws\.com(\.cn)?$/, "aws.bedrock"],
  [/\.openai\.azure\.(com|us|cn)$/, "azure.ai.openai"],
  [/\.(services|inference)\.ai\.azure\.com$/, "azure.ai.inference"],
  [/(^|\.)mistral\.ai$/, "mistral_ai"],
  [/(^|\.)cohere\.(com|ai)$/, "cohere"],
  [/(^|\.)x\.ai$/, "x_ai"],
  [/(^|\.)deepseek\.com$/, "deepseek"],
  [/(^|\.)groq\.com$/, "groq"],
  [/(^|\.)perplexity\.ai$/, "perplexity"],
  [/(^|\.)moonshot\.(ai|cn)$/, "moonshot_ai"]
]

/** At another address, the format says whose API is spoken. */
const formats: { readonly [format: string]: string } = {
  anthropic: "anthropic",
  "bedrock-converse": "aws.bedrock",
  "cohere-v2": "cohere",
  gemini: "gcp.gemini",
  mistral: "mistral_ai",
  "openai-chat": "openai",
  "openai-responses": "openai"
}

export const wireOrigin = (
  { endpoint, name }: WireFormat.WireFormat,
  { isStreaming = true, settings, url }: WireOptions
): Origin => {
  const base = url ?? endpoint.url
  const address = base !== undefined && URL.canParse(base) ? new URL(base) : undefined
  const host = address?.hostname ?? ""
  return {
    provider: hosts.find(([pattern]) => pattern.test(host))?.[1] ?? formats[name] ?? name,
    ...(address === undefined ? {} : { address: host, port: portOf(address) }),
    isStreaming,
    settings
  }
}

const portOf = ({ port, protocol }: URL): number => (port === "" ? (protocol === "http:" ? 80 : 443) : Number(port))
