/**
 * How Cohere's API is called over HTTP.
 *
 * @see https://docs.cohere.com/reference/chat
 */
import type { Endpoint } from "../WireFormat.js"

export const endpoint: Endpoint = {
  url: "https://api.cohere.com",
  key: { header: "authorization", prefix: "Bearer ", variable: "CO_API_KEY" },
  headers: {},
  path: () => "/v2/chat",
  body: (model, isStreaming) => (isStreaming ? { model, stream: true } : { model })
}
