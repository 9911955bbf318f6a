/**
 * How Ollama's own API is called over HTTP.
 *
 * @see https://docs.ollama.com/api
 */
import type { Endpoint } from "../WireFormat.js"

export const endpoint: Endpoint = {
  // By number: where `localhost` is ::1 first, Ollama does not listen.
  url: "http://127.0.0.1:11434",
  // Only ollama.com and proxies ask for one.
  key: { header: "authorization", prefix: "Bearer ", variable: "OLLAMA_API_KEY" },
  headers: {},
  path: () => "/api/chat",
  // Ollama streams unless told not to.
  body: (model, isStreaming) => ({ model, stream: isStreaming })
}
