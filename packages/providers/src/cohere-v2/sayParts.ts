/**
 * Cohere's Chat API: a turn of another format as a message.
 */
import type { Json, Loss, Turn } from "@wield/core"
import type { CallPairs } from "../internal/callPairs.js"
import { argumentText } from "../openai/argumentText.js"

/** `undefined` where nothing is left to say. */
export const sayParts = (
  parts: ReadonlyArray<Turn.Part>,
  context: {
    readonly subject: string
    readonly toNative: (name: string) => string
    readonly pairs: CallPairs
    /** Whether this call may be said: it has a result. */
    readonly isPaired: (id: string) => boolean
    readonly losses: Array<Loss.Loss>
  }
): Json.JsonObject | undefined => {
  const texts: Array<string> = []
  const calls: Array<Json.JsonObject> = []
  for (const [index, part] of parts.entries()) {
    const lose = (keyword: string, reason: string): void =>
      void context.losses.push({ subject: context.subject, path: [index], keyword, reason })
    if (part._tag === "Reasoning") lose("reasoning", "The reasoning of a model is left to the API that it came from.")
    else if (part._tag !== "Call") {
      if (part.text !== "") texts.push(part.text)
    } else if (part.executedBy === "provider") {
      lose("call", `Another API ran ${part.call.name} itself; this one could not pair the call with its result.`)
    } else if (!context.isPaired(part.call.id)) {
      lose("call", `The call ${JSON.stringify(part.call.id)} has no result, and the API refuses one without.`)
    } else {
      calls.push({
        id: context.pairs.call(part.call.id),
        type: "function",
        function: { name: context.toNative(part.call.name), arguments: argumentText(part.call.arguments) }
      })
    }
  }
  if (texts.length === 0 && calls.length === 0) return undefined
  const [only, ...others] = texts
  return {
    role: "assistant",
    ...(only === undefined
      ? {}
      : { content: others.length === 0 ? only : texts.map((text) => ({ type: "text", text })) }),
    ...(calls.length === 0 ? {} : { tool_calls: calls })
  }
}
