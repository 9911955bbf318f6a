/**
 * Whether a response is Mistral's own, as far as it shows.
 */
import { Json } from "@wield/core"
import type { Fields } from "../../internal/wireField.js"
import { objectField, stringField } from "../../internal/wireField.js"

/**
 * Mistral answers almost as OpenAI does. What shows is the id, 32 hexadecimal
 * digits where OpenAI's begins with `chatcmpl-`, beside a model of Mistral's;
 * content in chunks with reasoning or references in it; tokens counted by
 * Mistral's names; and calls without a `type` whose ids are nine letters and
 * digits.
 */
export const isMistralBody = (body: Fields): boolean => {
  if (hexId.test(stringField(body, "id") ?? "") && ownModel.test(stringField(body, "model") ?? "")) return true
  const usage = objectField(body, "usage")
  if (usage !== undefined && ("num_cached_tokens" in usage || "prompt_audio_seconds" in usage)) return true
  const { choices } = body
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined
  const message = Json.isObject(choice) ? objectField(choice, "message") : undefined
  const { content, tool_calls: calls } = message ?? {}
  if (Array.isArray(content) && content.some(isMistralChunk)) return true
  return Array.isArray(calls) && calls.length > 0 && calls.every(isMistralCall)
}

const hexId = /^(cmpl-)?[0-9a-f]{32}$/

/** Other hosts put the maker before the name: `mistralai/…`. */
const ownModel = /^(ft:)?(open-|labs-)?(mistral|ministral|mixtral|magistral|codestral|devstral|pixtral|voxtral)/

const isMistralChunk = (item: unknown): boolean =>
  Json.isObject(item) && (Array.isArray(item["thinking"]) || Array.isArray(item["reference_ids"]))

const isMistralCall = (entry: unknown): boolean =>
  Json.isObject(entry) && !("type" in entry) && typeof entry["id"] === "string" && /^[a-zA-Z0-9]{9}$/.test(entry["id"])
