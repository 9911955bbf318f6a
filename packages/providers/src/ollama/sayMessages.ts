/**
 * Ollama's chat API: turns and results of another format as messages.
 */
import type { Json, Loss, Outcome, ToolResult, Turn } from "@wield/core"
import { Json as JsonGuards } from "@wield/core"
import { argumentObject } from "../internal/argumentObject.js"
import type { NamedCall, NamedCalls } from "../internal/namedCalls.js"
import type { Saying } from "../internal/sayable.js"
import { isEmptyTurn, sayable } from "../internal/sayable.js"
import { resultText } from "../openai/resultText.js"

/** One message, or none where nothing is left to say. Ollama takes an empty one. */
export const sayParts = (
  parts: ReadonlyArray<Turn.Part>,
  saying: Saying,
  calls: NamedCalls
): ReadonlyArray<Json.JsonObject> => {
  const texts: Array<string> = []
  const entries: Array<Json.JsonObject> = []
  let thinking: Json.JsonObject = {}
  for (const part of sayable(parts, saying)) {
    if (part._tag === "Kept") {
      for (const json of part.json) if (JsonGuards.isObject(json)) thinking = { ...thinking, ...json }
      continue
    }
    if (part._tag !== "Call") {
      texts.push(part.text)
      continue
    }
    const args = argumentObject(part.call.arguments)
    if (args === undefined) {
      const reason = `The arguments of ${part.call.name} are no JSON object; {} is sent.`
      saying.losses.push({ subject: saying.subject, path: [], keyword: "arguments", reason })
    }
    const { name, nativeId } = calls.say(part, saying.toNative(part.call.name))
    entries.push({
      // Where the API that made the call had ids; Ollama before 0.12 reads past it.
      ...(nativeId === undefined ? {} : { id: nativeId }),
      type: "function",
      function: { name, arguments: args ?? {} }
    })
  }
  const content = texts.join("")
  const isEmpty = content === "" && entries.length === 0 && Object.keys(thinking).length === 0
  if (isEmpty && !isEmptyTurn(parts)) return []
  return [{ role: "assistant", content, ...thinking, ...(entries.length === 0 ? {} : { tool_calls: entries }) }]
}

/** A result names its tool; results of one turn are read in the order of its calls. */
export const sayResult = (
  call: NamedCall,
  outcome: Outcome.Outcome | undefined,
  result: ToolResult.ToolResult,
  losses: Array<Loss.Loss>
): Json.JsonObject => {
  for (const [index, part] of result.content.entries()) {
    if (part._tag !== "Image" && part._tag !== "File") continue
    const keyword = part._tag === "Image" ? "image" : "file"
    const reason = "A result of Ollama's API carries text only; the model reads that it was left out."
    losses.push({ subject: result.name, path: ["content", index], keyword, reason })
  }
  return {
    role: "tool",
    ...(call.name === "" ? {} : { tool_name: call.name }),
    ...(call.nativeId === undefined ? {} : { tool_call_id: call.nativeId }),
    content: resultText(outcome, result)
  }
}
