/** Anthropic's Messages API: a response body as a turn. Streams and requests read their blocks by it too. */
import type { Message, Turn } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as ToolCall from "@wield/core/ToolCall"
import * as Either from "effect/Either"
import type { WireError } from "../WireError.js"
import type { Offered } from "../WireFormat.js"
import { formatName, nameRule, table, usageOf } from "./format.js"
import { finishOf } from "../internal/format.js"
import { decodeBlocks } from "../internal/partList.js"
import { type CallReader, callReader } from "../internal/tools.js"
import { type Fields, objectField, stringField, wireError } from "../internal/wireField.js"

export const decodeTurn = (body: unknown, offered?: Offered): Either.Either<Turn.Turn, WireError> => {
  if (!Json.isObject(body)) return Either.left(wireError(formatName, [], "an object", body))
  const error = objectField(body, "error")
  if (error !== undefined) return Either.left(apiError(error))
  const content = body["content"]
  if (!Array.isArray(content)) {
    return Either.left(wireError(formatName, ["content"], "an array of content blocks", content))
  }
  const reader = callReader(offered, nameRule)
  return Either.map(
    decodeBlocks(content, (block, index) => decodeBlock(block, ["content", index], reader)),
    (parts) => turnOf(body, content, parts, true)
  )
}

/** An error body is no turn; its own words are worth more than its shape. */
const apiError = (error: Fields): WireError =>
  wireError(
    formatName,
    ["error"],
    "a message",
    [stringField(error, "type"), stringField(error, "message")].filter((text) => text !== undefined).join(": ")
  )

/**
 * One content block as a part; `undefined` for the blocks that only the
 * provider reads again (results of its own tools, uploads): they stay in the
 * native message.
 */
export const decodeBlock = (
  block: unknown,
  path: ReadonlyArray<string | number>,
  reader: CallReader
): Either.Either<Turn.Part | undefined, WireError> => {
  if (!Json.isObject(block)) return Either.left(wireError(formatName, path, "a content block", block))
  switch (block["type"]) {
    case "text": {
      const text = block["text"]
      return typeof text === "string"
        ? Either.right({ _tag: "Text", text })
        : Either.left(wireError(formatName, [...path, "text"], "a string", text))
    }
    case "thinking":
      // Empty where the model's reasoning is sent as a signature only.
      return Either.right({ _tag: "Reasoning", text: stringField(block, "thinking") ?? "", native: nativeOf(block) })
    case "redacted_thinking":
      return Either.right({ _tag: "Reasoning", text: "", native: nativeOf(block) })
    case "tool_use":
      return decodeCall(block, path, reader, "application")
    case "server_tool_use":
    case "mcp_tool_use":
      return Either.map(decodeCall(block, path, reader, "provider"), (part) => ({ ...part, native: nativeOf(block) }))
    default:
      return typeof block["type"] === "string"
        ? Either.right(undefined)
        : Either.left(wireError(formatName, [...path, "type"], "the type of a content block", block["type"]))
  }
}

// Blocks are parsed JSON.
const nativeOf = (block: Fields): Message.Native => ({ format: formatName, json: [block as Json.JsonObject] })

const decodeCall = (
  block: Fields,
  path: ReadonlyArray<string | number>,
  reader: CallReader,
  executedBy: Turn.CallPart["executedBy"]
): Either.Either<Turn.CallPart, WireError> => {
  const id = block["id"]
  const nativeName = block["name"]
  if (typeof id !== "string" || id === "") {
    return Either.left(wireError(formatName, [...path, "id"], "the id of a call", id))
  }
  if (typeof nativeName !== "string") {
    return Either.left(wireError(formatName, [...path, "name"], "the name of a tool", nativeName))
  }
  const name = reader.fromNative(nativeName)
  const call = ToolCall.make(id, name, reader.readArguments(name, block["input"] ?? {}))
  return Either.right({ _tag: "Call", call, executedBy, nativeName, nativeId: id, format: formatName })
}

/** A turn from the fields of a message and its blocks, as they were sent and as they were decoded. */
export const turnOf = (
  message: Fields,
  blocks: ReadonlyArray<unknown>,
  parts: ReadonlyArray<Turn.Part>,
  isComplete: boolean
): Turn.Turn => {
  const nativeFinish = stringField(message, "stop_reason")
  const explanation =
    nativeFinish === "refusal" ? stringField(objectField(message, "stop_details") ?? {}, "explanation") : undefined
  return {
    format: formatName,
    id: stringField(message, "id"),
    model: stringField(message, "model"),
    parts: explanation === undefined ? parts : [...parts, { _tag: "Refusal", text: explanation }],
    usage: usageOf(objectField(message, "usage") ?? {}),
    finish: finishOf(table, nativeFinish, parts),
    nativeFinish,
    // An empty turn is an error in the next request ("messages must have non-empty content"), so it leaves no message.
    // The blocks are parsed JSON: they came out of a response body.
    native: blocks.length === 0 ? [] : [{ role: "assistant", content: blocks as ReadonlyArray<Json.Json> }],
    isComplete
  }
}

/** Whether a response body looks like a message of this API, or like one of its errors. */
export const isFormatOf = (body: unknown): boolean =>
  Json.isObject(body) &&
  ((body["type"] === "message" && Array.isArray(body["content"])) ||
    (body["type"] === "error" && Json.isObject(body["error"])))
