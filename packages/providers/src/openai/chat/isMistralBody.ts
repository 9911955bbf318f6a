/**
 * Whether a response is Mistral's own, as far as it shows.
 */
import { Json } from "@wield/core"
import type { Fields } from "../../internal/wireField.js"
import { objectField } from "../../internal/wireField.js"

/**
 * Mistral answers as OpenAI does, so that a plain answer in text is taken for
 * OpenAI's. What shows is content in chunks with reasoning or references in
 * it, tokens counted by Mistral's names, and calls without a `type` whose ids
 * are nine letters and digits.
 */
export const isMistralBody = (body: Fields): boolean => {
  const usage = objectField(body, "usage")
  if (usage !== undefined && ("num_cached_tokens" in usage || "prompt_audio_seconds" in usage)) return true
  const { choices } = body
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined
  const message = Json.isObject(choice) ? objectField(choice, "message") : undefined
  const { content, tool_calls: calls } = message ?? {}
  if (Array.isArray(content) && content.some(isMistralChunk)) return true
  return Array.isArray(calls) && calls.length > 0 && calls.every(isMistralCall)
}

const isMistralChunk = (item: unknown): boolean =>
  Json.isObject(item) && (Array.isArray(item["thinking"]) || Array.isArray(item["reference_ids"]))

const isMistralCall = (entry: unknown): boolean =>
  Json.isObject(entry) && !("type" in entry) && typeof entry["id"] === "string" && /^[a-zA-Z0-9]{9}$/.test(entry["id"])
