/**
 * The items of a response as the parts of a turn.
 */
import type { Turn } from "@wield/core"
import { Json, ToolCall } from "@wield/core"
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
export const itemParts = (item: Fields, index: number, reader: ItemReader): ReadonlyArray<Turn.Part> => {
  // In a request a message may come without its type.
  if (item["type"] === "message" || (item["type"] === undefined && item["role"] === "assistant")) {
    return messageParts(item["content"])
  }
  if (item["type"] === "reasoning") return [{ _tag: "Reasoning", text: reasoningText(item) }]
  const call = callPart(item, index, reader)
  return call === undefined ? [] : [call]
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
