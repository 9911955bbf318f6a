/** Gemini's API: a turn of another format as the parts of a content. */
import type { Json, Loss, Turn } from "@wield/core"
import { Content, ToolResult } from "@wield/core"
import { argumentObject } from "../internal/argumentObject.js"
import type { NamedCalls } from "../internal/namedCalls.js"

export const sayParts = (
  parts: ReadonlyArray<Turn.Part>,
  context: {
    readonly subject: string
    readonly toNative: (name: string) => string
    readonly calls: NamedCalls
    /** Whether this call may be said: it has a result. */
    readonly isPaired: (id: string) => boolean
    readonly losses: Array<Loss.Loss>
  }
): ReadonlyArray<Json.JsonObject> =>
  signed(
    parts.flatMap((part, index): ReadonlyArray<Json.JsonObject> => {
      const lose = (keyword: string, reason: string): ReadonlyArray<never> => {
        context.losses.push({ subject: context.subject, path: [index], keyword, reason })
        return []
      }
      switch (part._tag) {
        case "Text":
        case "Refusal":
          return part.text === "" ? [] : [{ text: part.text }]
        case "Reasoning":
          return lose("reasoning", "Gemini reads its own thoughts out of signatures, and no others; it is left out.")
        case "Call": {
          const { call, executedBy } = part
          if (executedBy === "provider") {
            return lose("providerCall", `The provider ran ${call.name} itself; the call and its result are left out.`)
          }
          if (!context.isPaired(call.id)) {
            return lose("call", `The call ${call.id} of ${call.name} has no result; it is left out.`)
          }
          const { name, nativeId } = context.calls.say(part, context.toNative(call.name))
          const args = argumentObject(call.arguments) ?? { invalid_json: textOf(call.arguments) }
          return [{ functionCall: { ...(nativeId === undefined ? {} : { id: nativeId }), name, args } }]
        }
      }
    })
  )

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
