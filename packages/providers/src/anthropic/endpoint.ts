/**
 * How Anthropic's Messages API is called over HTTP.
 *
 * @see https://platform.claude.com/docs/en/api/overview
 */
import type { Endpoint } from "../WireFormat.js"

/** The API refuses a request without a limit. All of its models take this one; newer ones take far more. */
const maxTokens = 4096

export const endpoint: Endpoint = {
  url: "https://api.anthropic.com",
  key: { header: "x-api-key", prefix: "", variable: "ANTHROPIC_API_KEY" },
  headers: { "anthropic-version": "2023-06-01" },
  path: () => "/v1/messages",
  body: (model, isStreaming) => ({ model, max_tokens: maxTokens, ...(isStreaming ? { stream: true } : {}) })
}
