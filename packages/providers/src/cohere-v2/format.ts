/** Cohere's Chat API: names, limits and address. */
import type { Endpoint } from "../WireFormat.js"
import type { NameRule } from "../internal/nameMap.js"

export const formatName = "cohere-v2"

/** Cohere: letters, digits and underscores, "and must not begin with a digit"; it states no length. */
export const nameRule: NameRule = { pattern: /^[a-zA-Z_][a-zA-Z0-9_]*$/, maxLength: 128 }

/** Cohere makes ids of the tool's name and twelve characters; it states no rule. */
export const idRule: NameRule = { pattern: /^[\x20-\x7e]+$/, maxLength: 256 }

export const endpoint: Endpoint = {
  url: "https://api.cohere.com",
  key: { header: "authorization", prefix: "Bearer ", variable: "CO_API_KEY" },
  headers: {},
  path: () => "/v2/chat",
  body: (model, isStreaming) => (isStreaming ? { model, stream: true } : { model })
}
