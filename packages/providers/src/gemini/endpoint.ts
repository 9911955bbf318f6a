/**
 * How Gemini's API is called over HTTP, by developers and on Vertex AI.
 *
 * @see https://ai.google.dev/api/generate-content
 */
import type { Endpoint } from "../WireFormat.js"

export const endpoint: Endpoint = {
  url: "https://generativelanguage.googleapis.com/v1beta",
  key: { header: "x-goog-api-key", prefix: "", variable: "GEMINI_API_KEY" },
  headers: {},
  path: (model, isStreaming) =>
    // Without `alt=sse` the API streams one JSON array.
    `/${resource(model)}:${isStreaming ? "streamGenerateContent?alt=sse" : "generateContent"}`,
  // Model and streaming stand in the address.
  body: () => ({})
}

/** Google's lists name a model `models/…`, and one's own `tunedModels/…`. */
const resource = (model: string): string => {
  const [, collection, id] = /^(models|tunedModels)\/(.+)$/s.exec(model) ?? [undefined, "models", model]
  return `${collection}/${encodeURIComponent(id ?? model)}`
}
