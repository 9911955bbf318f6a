/** Bedrock's Converse API: names, limits and address. */
import type { Endpoint } from "../WireFormat.js"
import type { NameRule } from "../internal/nameMap.js"

export const formatName = "bedrock-converse"

/** The API's model of `toolSpec.name` and of `toolUse.name`. */
export const nameRule: NameRule = { pattern: /^[a-zA-Z0-9_-]{1,64}$/, maxLength: 64 }

/** The API's model of `toolUseId`. Kimi's ids are such as `functions.now:0`. */
export const idRule: NameRule = { pattern: /^[a-zA-Z0-9_.:-]{1,64}$/, maxLength: 64 }

export const endpoint: Endpoint = {
  // Each region has its own; a default one would send data where nobody chose to.
  url: undefined,
  key: { header: "authorization", prefix: "Bearer ", variable: "AWS_BEARER_TOKEN_BEDROCK" },
  headers: {},
  // The model may be an ARN, with colons and slashes.
  path: (model, isStreaming) => `/model/${encodeURIComponent(model)}/${isStreaming ? "converse-stream" : "converse"}`,
  body: () => ({})
}

/** China's regions have a domain of their own. */
export const regionUrl = (region: string): string =>
  `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`
