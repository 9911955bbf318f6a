/**
 * The items of a response as the parts of a turn.
 */
import type { Turn } from "@wield/core"
import { Json, ToolCall } from "@wield/core"
import { PartList } from "../internal/partList.js"
import type { Fields } from "../internal/wireField.js"
import { stringField } from "../internal/wireField.js"
import type { OfferedTools } from "../openai/offeredTools.js"
import type { ReadArguments } from "../openai/readArguments.js"
import type { CallItem } from "./callItem.js"
import { callItem } from "./callItem.js"
import type { CallIds } from "./callIds.js"
import { name as formatName } from "./name.js"

/** What is needed to read an item back as it is meant. */
export interface ItemReader {
  readonly callId: CallIds
  readonly tools: OfferedTools
  readonly readArguments: ReadArguments
  readonly answered: ReadonlySet<unknown>
}

/**
 * The parts of one item: several for a message of several contents, none for
 * an item that neither says nor calls anything (an output, a listing of tools,
 * a compaction).
 */
const itemParts = (item: Fields, index: number, reader: ItemReader): ReadonlyArray<Turn.Part> => {
  // In a request a message may come without its type.
  if (item["type"] === "message" || (item["type"] === undefined && item["role"] === "assistant")) {
    return messageParts(item["content"])
  }
  // Items are parsed JSON.
  const native = { format: formatName, json: [item as Json.JsonObject] }
  if (item["type"] === "reasoning") return [{ _tag: "Reasoning", text: reasoningText(item), native }]
  const call = callPart(item, index, reader)
  if (call === undefined) return []
  return [call.executedBy === "provider" ? { ...call, native } : call]
}

/** The parts of all items. What neither says nor calls anything, an empty message too, goes with the API's own item beside it. */
export const partsOf = (
  items: ReadonlyArray<Fields>,
  placeOf: (item: Fields, position: number) => number,
  reader: ItemReader
): ReadonlyArray<Turn.Part> => {
  const list = new PartList()
  items.forEach((item, position) => {
    const parts = itemParts(item, placeOf(item, position), reader)
    for (const part of parts) list.add(part)
    if (parts.length === 0) list.addWordless(item as Json.JsonObject)
  })
  return list.parts
}

/** The call that an item is, if it is one. */
export const callPart = (item: Fields, index: number, reader: ItemReader): Turn.CallPart | undefined => {
  const call = callItem(item, reader.answered)
  return call === undefined ? undefined : partOf(call, index, reader)
}

const messageParts = (content: unknown): ReadonlyArray<Turn.Part> => {
  if (typeof content === "string") return content === "" ? [] : [{ _tag: "Text", text: content }]
  if (!Array.isArray(content)) return []
  const parts: Array<Turn.Part> = []
  for (const piece of content) {
    if (!Json.isObject(piece)) continue
    const refusal = stringField(piece, "refusal")
    const text = stringField(piece, "text")
    if (refusal !== undefined) parts.push({ _tag: "Refusal", text: refusal })
    else if (text !== undefined && text !== "") parts.push({ _tag: "Text", text })
  }
  return parts
}

/** DeepSeek and open models send the reasoning itself as `content`, OpenAI at most a summary. */
const reasoningText = (item: Fields): string => texts(item["content"]) || texts(item["summary"])

const texts = (list: unknown): string =>
  Array.isArray(list)
    ? list.map((piece) => (Json.isObject(piece) ? (stringField(piece, "text") ?? "") : "")).join("\n\n")
    : ""

const partOf = (call: CallItem, index: number, reader: ItemReader): Turn.CallPart => {
  const { id, nativeId } = reader.callId(call.sentId, index)
  const nativeName = call.names.find(reader.tools.hasProviderTool) ?? call.names[0]
  const name = reader.tools.fromNative(nativeName)
  const args = call.sent === undefined || call.sent === null ? {} : reader.readArguments(name, call.sent)
  const { executedBy } = call
  return { _tag: "Call", call: ToolCall.make(id, name, args), executedBy, nativeName, nativeId, format: formatName }
}
