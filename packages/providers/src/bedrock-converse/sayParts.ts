/**
 * Bedrock's Converse API: a turn of another format as content blocks.
 */
import type { Turn } from "@wield/core"
import { Json } from "@wield/core"
import { argumentObject } from "../internal/argumentObject.js"
import type { CallPairs } from "../internal/callPairs.js"
import type { Saying } from "../internal/sayable.js"
import { emptyTurn, isEmptyTurn, sayable } from "../internal/sayable.js"
import type { Fields } from "../internal/wireField.js"
import { objectField } from "../internal/wireField.js"

export const sayParts = (
  parts: ReadonlyArray<Turn.Part>,
  saying: Saying,
  pairs: CallPairs
): ReadonlyArray<Json.Json> => {
  const content = sayable(parts, saying).flatMap((part): ReadonlyArray<Json.Json> => {
    if (part._tag === "Kept") return part.json
    // A blank text is refused.
    if (part._tag !== "Call") return part.text.trim() === "" ? [] : [{ text: part.text }]
    const { arguments: sent, name } = part.call
    const input = argumentObject(sent)
    if (input === undefined) {
      const reason = `The arguments of ${name} are no JSON object; {} is sent.`
      saying.losses.push({ subject: saying.subject, path: [], keyword: "arguments", reason })
    }
    return [{ toolUse: { toolUseId: pairs.call(part), name: saying.toNative(name), input: input ?? {} } }]
  })
  const called = new Set(content.map(ownCallId))
  const answered = new Set(content.map((block) => fieldOf(block, "toolResult")?.["toolUseId"]))
  const sent = content.filter((block) => {
    const result = fieldOf(block, "toolResult")
    if (result !== undefined) return called.has(result["toolUseId"])
    const id = ownCallId(block)
    return id === undefined || answered.has(id)
  })
  // Claude: a message may not end with its reasoning.
  while (fieldOf(sent.at(-1), "reasoningContent") !== undefined) sent.pop()
  if (sent.length === 0 && isEmptyTurn(parts)) saying.losses.push(emptyTurn(saying.subject))
  return sent
}

/** The id of a call that Bedrock ran: without its result beside it, the API refuses it. */
const ownCallId = (block: Json.Json): unknown => {
  const call = fieldOf(block, "toolUse")
  return call?.["type"] === "server_tool_use" ? call["toolUseId"] : undefined
}

const fieldOf = (block: Json.Json | undefined, key: string): Fields | undefined =>
  Json.isObject(block) ? objectField(block, key) : undefined
