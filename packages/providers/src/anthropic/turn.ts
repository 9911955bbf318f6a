/** Anthropic's Messages API: a response body as a turn. Streams and requests read their blocks by it too. */
import type { Json, Message, Turn } from "@wield/core"
import * as ToolCall from "@wield/core/ToolCall"
import * as Either from "effect/Either"
import type { WireError } from "../WireError.js"
import type { Offered } from "../internal/contract.js"
import { fail, formatName, nameRule, table } from "./format.js"
import { finishOf, usageOf, withCutCall } from "../internal/format.js"
import { decodeBlocks } from "../internal/partList.js"
import { type CallReader, callReader } from "../internal/tools.js"
import { type Fields, type Path, isList, isObject, objectField, stringField, listOf } from "../internal/wireField.js"

export const decodeTurn = (body: unknown, offered?: Offered): Either.Either<Turn.Turn, WireError> => {
  if (!isObject(body)) return fail([], "an object", body)
  const error = objectField(body, "error")
  // An error body is no turn; its own words are worth more than its shape.
  if (error !== undefined) {
    const words = [stringField(error, "type"), stringField(error, "message")]
    return fail(["error"], "a message", words.filter((text) => text !== undefined).join(": "))
  }
  const { content: sent } = body
  const content = typeof sent === "string" ? [{ type: "text", text: sent }] : listOf(body, "content", "stop_reason")
  if (!isList(content)) return fail(["content"], "an array of content blocks", content)
  const reader = callReader(offered, nameRule)
  return Either.map(
    decodeBlocks(content, (block, index) => decodeBlock(block, ["content", index], reader)),
    (parts) =>
      // The API sends a call that was cut off with the input so far.
      withCutCall(turnOf(body, content, parts, true))
  )
}

/**
 * One content block as a part; `undefined` for the blocks that only the
 * provider reads again (results of its own tools, uploads): they stay in the
 * native message.
 */
export const decodeBlock = (
  block: unknown,
  path: Path,
  reader: CallReader
): Either.Either<Turn.Part | undefined, WireError> => {
  if (!isObject(block)) return fail(path, "a content block", block)
  const { text, type } = block
  const native: Message.Native = { format: formatName, json: [block] }
  switch (type) {
    case "text":
      return typeof text === "string" || text === null
        ? Either.right({ _tag: "Text", text: text ?? "" })
        : fail([...path, "text"], "a string", text)
    case "thinking":
      // Empty where the model's reasoning is sent as a signature only.
      return Either.right({ _tag: "Reasoning", text: stringField(block, "thinking") ?? "", native })
    case "redacted_thinking":
      return Either.right({ _tag: "Reasoning", text: "", native })
    case "tool_use":
      return decodeCall(block, path, reader, "application")
    case "server_tool_use":
    case "mcp_tool_use":
      return Either.map(decodeCall(block, path, reader, "provider"), (part) => ({ ...part, native }))
    default:
      return typeof type === "string"
        ? Either.right(undefined)
        : fail([...path, "type"], "the type of a content block", type)
  }
}

const decodeCall = (
  block: Fields,
  path: Path,
  reader: CallReader,
  executedBy: Turn.CallPart["executedBy"]
): Either.Either<Turn.CallPart, WireError> => {
  const { id, name: nativeName } = block
  if (typeof id !== "string" || id === "") return fail([...path, "id"], "the id of a call", id)
  if (typeof nativeName !== "string") return fail([...path, "name"], "the name of a tool", nativeName)
  const name = reader.fromNative(nativeName)
  const call = ToolCall.make(id, name, reader.readArguments(name, block["input"] ?? {}))
  return Either.right({ _tag: "Call", call, executedBy, nativeName, nativeId: id, format: formatName })
}

/** A turn from the fields of a message and its blocks, as they were sent and as they were decoded. */
export const turnOf = (
  message: Fields,
  blocks: ReadonlyArray<Json.Json>,
  parts: ReadonlyArray<Turn.Part>,
  isComplete: boolean
): Turn.Turn => {
  const nativeFinish = stringField(message, "stop_reason")
  const explanation =
    nativeFinish === "refusal" ? stringField(objectField(message, "stop_details"), "explanation") : undefined
  return {
    format: formatName,
    id: stringField(message, "id"),
    model: stringField(message, "model"),
    parts: explanation === undefined ? parts : [...parts, { _tag: "Refusal", text: explanation }],
    usage: usageOf(table, objectField(message, "usage") ?? {}),
    finish: finishOf(table, nativeFinish, parts),
    nativeFinish,
    // An empty turn is an error in the next request ("messages must have non-empty content"), so it leaves no message.
    native: blocks.length === 0 ? [] : [{ role: "assistant", content: blocks }],
    isComplete
  }
}

/** Whether a response body looks like a message of this API, or like one of its errors. */
export const isFormatOf = (body: unknown): boolean =>
  isObject(body) &&
  ((body["type"] === "message" && isList(body["content"])) || (body["type"] === "error" && isObject(body["error"])))
