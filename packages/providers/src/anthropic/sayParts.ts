/** Anthropic's Messages API: a turn of another format as messages. */
import type { Json, Turn } from "@wield/core"
import { Content, ToolResult } from "@wield/core"
import { argumentObject } from "../internal/argumentObject.js"
import type { CallPairs } from "../internal/callPairs.js"
import type { Saying } from "../internal/sayable.js"
import { sayable } from "../internal/sayable.js"

/** One message, or none where nothing is left to say: Anthropic: "messages must have non-empty content". */
export const sayParts = (
  parts: ReadonlyArray<Turn.Part>,
  saying: Saying,
  pairs: CallPairs
): ReadonlyArray<Json.JsonObject> => {
  const content = sayable(parts, saying).flatMap((part): ReadonlyArray<Json.JsonObject> => {
    // Anthropic: "text content blocks must be non-empty".
    if (part._tag !== "Call") return part.text === "" ? [] : [{ type: "text", text: part.text }]
    const { arguments: sent, name } = part.call
    const input = argumentObject(sent) ?? { INVALID_JSON: textOf(sent) }
    return [{ type: "tool_use", id: pairs.call(part), name: saying.toNative(name), input }]
  })
  return content.length === 0 ? [] : [{ role: "assistant", content }]
}

const textOf = (value: unknown): string =>
  ToolResult.toText({ id: "", name: "", isError: false, content: [Content.json(value)] })
