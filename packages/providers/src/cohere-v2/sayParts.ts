/**
 * Cohere's Chat API: a turn of another format as a message.
 */
import type { Json, Turn } from "@wield/core"
import type { CallPairs } from "../internal/callPairs.js"
import type { Saying } from "../internal/sayable.js"
import { sayable } from "../internal/sayable.js"
import { argumentText } from "../openai/argumentText.js"

/** One message, or none where nothing is left to say. */
export const sayParts = (
  parts: ReadonlyArray<Turn.Part>,
  saying: Saying,
  pairs: CallPairs
): ReadonlyArray<Json.JsonObject> => {
  const texts: Array<string> = []
  const calls: Array<Json.JsonObject> = []
  for (const part of sayable(parts, saying)) {
    if (part._tag === "Call") {
      const { arguments: sent, name } = part.call
      const described = { name: saying.toNative(name), arguments: argumentText(sent) }
      calls.push({ id: pairs.call(part), type: "function", function: described })
    } else if (part.text !== "") texts.push(part.text)
  }
  if (texts.length === 0 && calls.length === 0) return []
  const [only, ...others] = texts
  return [
    {
      role: "assistant",
      ...(only === undefined
        ? {}
        : { content: others.length === 0 ? only : texts.map((text) => ({ type: "text", text })) }),
      ...(calls.length === 0 ? {} : { tool_calls: calls })
    }
  ]
}
