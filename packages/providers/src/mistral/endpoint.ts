/**
 * How Mistral's API is called over HTTP.
 *
 * @see https://docs.mistral.ai/api
 */
import type { Endpoint } from "../WireFormat.js"

export const endpoint: Endpoint = {
  url: "https://api.mistral.ai/v1",
  key: { header: "authorization", prefix: "Bearer ", variable: "MISTRAL_API_KEY" },
  headers: {},
  path: () => "/chat/completions",
  // Mistral refuses `stream_options`, and tells the tokens of every stream.
  body: (model, isStreaming) => (isStreaming ? { model, stream: true } : { model })
}
