/**
 * Bedrock's Converse API: a turn of another format as content blocks.
 */
import type { Json, Loss, Turn } from "@wield/core"
import { argumentObject } from "../internal/argumentObject.js"
import type { CallPairs } from "../internal/callPairs.js"

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
): ReadonlyArray<Json.JsonObject> => {
  const { subject, losses } = context
  return parts.flatMap((part, index): ReadonlyArray<Json.JsonObject> => {
    const lose = (keyword: string, reason: string): ReadonlyArray<never> => {
      losses.push({ subject, path: [index], keyword, reason })
      return []
    }
    switch (part._tag) {
      case "Text":
      case "Refusal":
        // A blank text is refused.
        return part.text.trim() === "" ? [] : [{ text: part.text }]
      case "Reasoning":
        return lose("reasoning", "Reasoning is sent back only with the signature of the model that wrote it.")
      case "Call": {
        const { call, executedBy } = part
        if (executedBy === "provider") {
          return lose("call", `Another API ran ${call.name} itself; this one could not pair the call with its result.`)
        }
        if (!context.isPaired(call.id)) {
          return lose("call", `The call ${JSON.stringify(call.id)} has no result, and the API refuses one without.`)
        }
        const input = argumentObject(call.arguments)
        if (input === undefined) lose("arguments", `The arguments of ${call.name} are no JSON object; {} is sent.`)
        const toolUse = {
          toolUseId: context.pairs.call(call.id),
          name: context.toNative(call.name),
          input: input ?? {}
        }
        return [{ toolUse }]
      }
    }
  })
}
