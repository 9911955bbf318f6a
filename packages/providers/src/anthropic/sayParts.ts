/** Anthropic's Messages API: a turn of another format as messages. */
import type { Json, Turn } from "@wield/core"
import { Content, Json as JsonGuards, ToolResult } from "@wield/core"
import { argumentObject } from "../internal/argumentObject.js"
import type { CallPairs } from "../internal/callPairs.js"
import type { Saying } from "../internal/sayable.js"
import { emptyTurn, isEmptyTurn, sayable } from "../internal/sayable.js"

/** One message, or none where nothing is left to say: Anthropic: "messages must have non-empty content". */
export const sayParts = (
  parts: ReadonlyArray<Turn.Part>,
  saying: Saying,
  pairs: CallPairs
): ReadonlyArray<Json.JsonObject> => {
  const content = sayable(parts, saying).flatMap((part): ReadonlyArray<Json.Json> => {
    if (part._tag === "Kept") return part.json
    // Anthropic: "text content blocks must be non-empty".
    if (part._tag !== "Call") return part.text === "" ? [] : [{ type: "text", text: part.text }]
    const { arguments: sent, name } = part.call
    const input = argumentObject(sent) ?? { INVALID_JSON: textOf(sent) }
    return [{ type: "tool_use", id: pairs.call(part), name: saying.toNative(name), input }]
  })
  const sent = sendable(content)
  if (sent.length > 0) return [{ role: "assistant", content: sent }]
  if (isEmptyTurn(parts)) saying.losses.push(emptyTurn(saying.subject))
  return []
}

/** Without what the API refuses: a call of its own without its result or the reverse, and reasoning at the end. */
const sendable = (content: ReadonlyArray<Json.Json>): ReadonlyArray<Json.Json> => {
  const called = new Set(content.map(ownCallId))
  const answered = new Set(content.map(answeredId))
  const sent = content.filter((block) => {
    const [id, answers] = [ownCallId(block), answeredId(block)]
    return (id === undefined || answered.has(id)) && (answers === undefined || called.has(answers))
  })
  while (isReasoning(sent.at(-1))) sent.pop()
  return sent
}

const ownCallId = (block: Json.Json): unknown =>
  JsonGuards.isObject(block) && (block["type"] === "server_tool_use" || block["type"] === "mcp_tool_use")
    ? block["id"]
    : undefined

const answeredId = (block: Json.Json): unknown => (JsonGuards.isObject(block) ? block["tool_use_id"] : undefined)

export const isReasoning = (block: Json.Json | undefined): boolean =>
  JsonGuards.isObject(block) && (block["type"] === "thinking" || block["type"] === "redacted_thinking")

const textOf = (value: unknown): string =>
  ToolResult.toText({ id: "", name: "", isError: false, content: [Content.json(value)] })
