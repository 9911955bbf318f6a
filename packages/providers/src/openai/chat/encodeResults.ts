/**
 * A turn and the results of its calls, as messages of the next Chat
 * Completions request: one message of the role `tool` per call, text only.
 */
import type { Loss, ToolResult } from "@wield/core"
import { Json } from "@wield/core"
import { pairOutcomes } from "../internal/pairOutcomes.js"
import { resultText } from "../openai/resultText.js"
import type { WireFormat } from "../WireFormat.js"
import { assistantMessage } from "./assistantMessage.js"
import { name } from "./name.js"

export const encodeResults: WireFormat["encodeResults"] = (turn, outcomes) => {
  const { results, pending, losses } = pairOutcomes(turn, outcomes)
  const sent = assistantMessage(turn)
  const isLegacy = turn.format === name && turn.native.some(hasFunctionCall)
  const messages: Array<Json.Json> = [...sent.messages]
  const lost: Array<Loss.Loss> = [...sent.losses, ...losses]
  for (const { part, outcome, result } of results) {
    const content = resultText(outcome, result)
    messages.push(
      isLegacy
        ? { role: "function", name: part.nativeName, content }
        : { role: "tool", tool_call_id: part.nativeId ?? part.call.id, content }
    )
    lost.push(...leftOut(result))
  }
  return { messages, pending, losses: lost }
}

/** A message that calls by `function_call` alone wants its result under the function's name. */
const hasFunctionCall = (message: Json.Json): boolean => {
  if (!Json.isObject(message)) return false
  const { tool_calls: calls, function_call: call } = message
  return Json.isObject(call) && !(Array.isArray(calls) && calls.length > 0)
}

const leftOut = (result: ToolResult.ToolResult): ReadonlyArray<Loss.Loss> =>
  result.content.flatMap((part, index) =>
    part._tag === "Image" || part._tag === "File"
      ? [
          {
            subject: result.name,
            path: ["content", index],
            keyword: part._tag === "Image" ? "image" : "file",
            reason: "A Chat Completions result carries text only; the model reads that it was left out."
          }
        ]
      : []
  )
