/** Gemini's API: names, limits and address. */
import type { Endpoint } from "../WireFormat.js"
import type { NameRule } from "../internal/nameMap.js"

export const formatName = "gemini"

/** Vertex AI's rule, which is the narrower one: the developer API also lets a digit come first. */
export const nameRule: NameRule = { pattern: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/, maxLength: 64 }

/** Which entry of `tools` offers the server-side tool that a `toolCall` part names by its type. */
export const serverTools: ReadonlyMap<string, string> = new Map([
  ["GOOGLE_SEARCH_WEB", "googleSearch"],
  ["GOOGLE_SEARCH_IMAGE", "googleSearch"],
  ["URL_CONTEXT", "urlContext"],
  ["GOOGLE_MAPS", "googleMaps"],
  ["FILE_SEARCH", "fileSearch"]
])

/**
 * Finish reasons as Vertex AI numbers them: with `$alt=json;enum-encoding=int`,
 * as Google's REST transport for Python asks, enums arrive as numbers.
 */
export const numberedFinishReasons: ReadonlyArray<string> = [
  "FINISH_REASON_UNSPECIFIED",
  "STOP",
  "MAX_TOKENS",
  "SAFETY",
  "RECITATION",
  "OTHER",
  "BLOCKLIST",
  "PROHIBITED_CONTENT",
  "SPII",
  "MALFORMED_FUNCTION_CALL",
  "MODEL_ARMOR",
  "IMAGE_SAFETY",
  "IMAGE_PROHIBITED_CONTENT",
  "IMAGE_RECITATION",
  "IMAGE_OTHER",
  "UNEXPECTED_TOOL_CALL",
  "NO_IMAGE"
]

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
