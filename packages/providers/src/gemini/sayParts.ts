/** Gemini's API: a turn of another format as contents. */
import type { Json, Turn } from "@wield/core"
import { Content, Json as JsonGuards, ToolResult } from "@wield/core"
import { argumentObject } from "../internal/argumentObject.js"
import type { NamedCalls } from "../internal/namedCalls.js"
import type { Saying } from "../internal/sayable.js"
import { isEmptyTurn, sayable } from "../internal/sayable.js"

/** One content. */
export const sayParts = (
  turn: ReadonlyArray<Turn.Part>,
  saying: Saying,
  calls: NamedCalls
): ReadonlyArray<Json.JsonObject> => {
  const parts = sayable(turn, saying).flatMap((part): ReadonlyArray<Json.Json> => {
    if (part._tag === "Kept") return part.json
    if (part._tag !== "Call") return part.text === "" ? [] : [{ text: part.text }]
    const { name, nativeId } = calls.say(part, saying.toNative(part.call.name))
    const args = argumentObject(part.call.arguments) ?? { invalid_json: textOf(part.call.arguments) }
    return [{ functionCall: { ...(nativeId === undefined ? {} : { id: nativeId }), name, args } }]
  })
  // The API refuses a content without parts, and takes an empty text.
  if (parts.length === 0) return isEmptyTurn(turn) ? [{ role: "model", parts: [{ text: "" }] }] : []
  return [{ role: "model", parts: signed(parts) }]
}

/**
 * Gemini 3 refuses a turn whose first call has no signature of its own; this
 * one Google documents for history that comes from elsewhere.
 *
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures#faqs
 */
const signed = (parts: ReadonlyArray<Json.Json>): ReadonlyArray<Json.Json> => {
  const first = parts.findIndex((part) => JsonGuards.isObject(part) && "functionCall" in part)
  return parts.map((part, index) =>
    index === first && JsonGuards.isObject(part)
      ? { ...part, thoughtSignature: "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=" }
      : part
  )
}

const textOf = (value: unknown): string =>
  ToolResult.toText({ id: "", name: "", isError: false, content: [Content.json(value)] })
