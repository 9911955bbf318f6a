/**
 * A message without what real clients change when they send it back, so that
 * what is left can be compared. Each difference is one that the APIs accept.
 */

/** Fields that the recorded clients leave out of the history, or make anew. */
const rebuilt: ReadonlySet<string> = new Set([
  "caller", // Anthropic: who made the call; left out
  "annotations", // OpenAI: left out
  "logprobs", // OpenAI: left out
  "parsed_arguments", // OpenAI's Python library adds it to its own objects
  "status", // OpenAI Responses: of an item; left out
  "object",
  "index"
])

export const comparable = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== "object" || value === null) return value
  const entries: Array<[string, unknown]> = []
  for (const [key, inner] of Object.entries(value)) {
    if (inner === null || rebuilt.has(key)) continue
    // Gemini: bytes in either alphabet of base64; Google's clients re-encode them.
    if (key === "thoughtSignature" && typeof inner === "string") {
      entries.push([key, inner.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")])
    } else if (key === "functionCall" && typeof inner === "object") {
      // Gemini: clients add ids of their own where the API sent none.
      entries.push([key, { ...(comparable(inner) as object), id: undefined }])
    } else entries.push([key, comparable(inner)])
  }
  return Object.fromEntries(entries)
}
