/**
 * Cohere's Chat API: a turn of another format as a message.
 */
import type { Json, Turn } from "@wield/core"
import type { CallPairs } from "../internal/callPairs.js"
import type { Saying } from "../internal/sayable.js"
import { emptyTurn, isEmptyTurn, sayable } from "../internal/sayable.js"
import { Json as JsonGuards } from "@wield/core"
import { argumentText } from "../openai/argumentText.js"

/** One message, or none where nothing is left to say. */
export const sayParts = (
  parts: ReadonlyArray<Turn.Part>,
  saying: Saying,
  pairs: CallPairs
): ReadonlyArray<Json.JsonObject> => {
  const content: Array<Json.Json> = []
  let plan: Json.JsonObject = {}
  const calls: Array<Json.JsonObject> = []
  for (const part of sayable(parts, saying)) {
    if (part._tag === "Call") {
      const { arguments: sent, name } = part.call
      const described = { name: saying.toNative(name), arguments: argumentText(sent) }
      calls.push({ id: pairs.call(part), type: "function", function: described })
    } else if (part._tag === "Kept") {
      // The plan stands in a field of its own, thinking among the content.
      for (const json of part.json) {
        if (JsonGuards.isObject(json) && "tool_plan" in json) plan = { ...plan, ...json }
        else content.push(json)
      }
    } else if (part.text !== "") content.push({ type: "text", text: part.text })
  }
  // A plan alone is no message: Cohere: "message must not be empty in a turn".
  if (content.length === 0 && calls.length === 0) {
    if (isEmptyTurn(parts)) saying.losses.push(emptyTurn(saying.subject))
    return []
  }
  const [only, ...others] = content
  const text = JsonGuards.isObject(only) && only["type"] === "text" && others.length === 0 ? only["text"] : undefined
  return [
    {
      role: "assistant",
      ...(only === undefined ? {} : { content: text ?? content }),
      ...plan,
      ...(calls.length === 0 ? {} : { tool_calls: calls })
    }
  ]
}
