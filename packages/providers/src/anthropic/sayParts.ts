/** Anthropic's Messages API: a turn of another format as content blocks. */
import type { Json, Loss, Turn } from "@wield/core"
import { Content, ToolResult } from "@wield/core"
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
): ReadonlyArray<Json.JsonObject> =>
  parts.flatMap((part, index): ReadonlyArray<Json.JsonObject> => {
    const lose = (keyword: string, reason: string): ReadonlyArray<never> => {
      context.losses.push({ subject: context.subject, path: [index], keyword, reason })
      return []
    }
    switch (part._tag) {
      case "Text":
      case "Refusal":
        // Anthropic: "text content blocks must be non-empty".
        return part.text === "" ? [] : [{ type: "text", text: part.text }]
      case "Reasoning":
        return lose("reasoning", "Anthropic takes back only reasoning that it has signed itself; it is left out.")
      case "Call": {
        const { call, executedBy } = part
        if (executedBy === "provider") {
          return lose("providerCall", `The provider ran ${call.name} itself; the call and its result are left out.`)
        }
        if (!context.isPaired(call.id)) {
          return lose("call", `The call ${call.id} of ${call.name} has no result; it is left out.`)
        }
        const input = argumentObject(call.arguments) ?? { INVALID_JSON: textOf(call.arguments) }
        return [{ type: "tool_use", id: context.pairs.call(call.id), name: context.toNative(call.name), input }]
      }
    }
  })

const textOf = (value: unknown): string =>
  ToolResult.toText({ id: "", name: "", isError: false, content: [Content.json(value)] })
