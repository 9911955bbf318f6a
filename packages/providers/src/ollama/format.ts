/** Ollama's chat API: names, limits and address. */
import type { Endpoint } from "../WireFormat.js"
import type { NameRule } from "../internal/nameMap.js"

export const formatName = "ollama"

/** Ollama takes any name; what the model's template makes of it is the model's matter. */
export const nameRule: NameRule = { pattern: /^[^]+$/, maxLength: 1024 }

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
