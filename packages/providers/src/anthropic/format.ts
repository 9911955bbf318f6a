/** Anthropic's Messages API: names, limits and address. */
import type { Endpoint } from "../WireFormat.js"
import type { NameRule } from "../internal/nameMap.js"

export const formatName = "anthropic"

/** The API's own error message states this pattern; its guide still says 64 characters. */
export const nameRule: NameRule = { pattern: /^[a-zA-Z0-9_-]{1,128}$/, maxLength: 128 }

/** The API's own error message states this pattern, and no length. */
export const idRule: NameRule = { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64 }

/** The API refuses a request without a limit. All of its models take this one; newer ones take far more. */
const maxTokens = 4096

export const endpoint: Endpoint = {
  url: "https://api.anthropic.com",
  key: { header: "x-api-key", prefix: "", variable: "ANTHROPIC_API_KEY" },
  headers: { "anthropic-version": "2023-06-01" },
  path: () => "/v1/messages",
  body: (model, isStreaming) => ({ model, max_tokens: maxTokens, ...(isStreaming ? { stream: true } : {}) })
}
