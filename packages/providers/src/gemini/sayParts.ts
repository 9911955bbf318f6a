/** Gemini's API: a turn of another format as contents. */
import type { Json, Turn } from "@wield/core"
import { Content, ToolResult } from "@wield/core"
import { argumentObject } from "../internal/argumentObject.js"
import type { NamedCalls } from "../internal/namedCalls.js"
import type { Saying } from "../internal/sayable.js"
import { sayable } from "../internal/sayable.js"

/** One content, or none where nothing is left to say. */
export const sayParts = (
  turn: ReadonlyArray<Turn.Part>,
  saying: Saying,
  calls: NamedCalls
): ReadonlyArray<Json.JsonObject> => {
  const parts = sayable(turn, saying).flatMap((part): ReadonlyArray<Json.JsonObject> => {
    if (part._tag !== "Call") return part.text === "" ? [] : [{ text: part.text }]
    const { name, nativeId } = calls.say(part, saying.toNative(part.call.name))
    const args = argumentObject(part.call.arguments) ?? { invalid_json: textOf(part.call.arguments) }
    return [{ functionCall: { ...(nativeId === undefined ? {} : { id: nativeId }), name, args } }]
  })
  return parts.length === 0 ? [] : [{ role: "model", parts: signed(parts) }]
}

/**
 * Gemini 3 refuses a turn whose first call has no signature of its own; this
 * one Google documents for history that comes from elsewhere.
 *
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures#faqs
 */
const signed = (parts: ReadonlyArray<Json.JsonObject>): ReadonlyArray<Json.JsonObject> => {
  const first = parts.findIndex((part) => "functionCall" in part)
  return parts.map((part, index) =>
    index === first ? { ...part, thoughtSignature: "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=" } : part
  )
}

const textOf = (value: unknown): string =>
  ToolResult.toText({ id: "", name: "", isError: false, content: [Content.json(value)] })
