/** Bedrock's Converse API: a response body as a turn. Streams and requests read their blocks by it too. */
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
  if (!Json.isObject(body)) return Either.left(wireError(formatName, [], "an object with output", body))
  const output = objectField(body, "output")
  if (output === undefined) return Either.left(noOutput(body))
  const message = objectField(output, "message")
  if (message === undefined) {
    return Either.left(wireError(formatName, ["output", "message"], "a message", output["message"]))
  }
  const { content } = message
  const path = ["output", "message", "content"]
  if (!Array.isArray(content)) {
    return Either.left(wireError(formatName, path, "an array of content blocks", content))
  }
  const reader = callReader(offered, nameRule)
  return Either.map(
    decodeBlocks(content, (block, index) => decodeBlock(block, [...path, index], reader)),
    (parts) =>
      turnOf({
        message,
        parts,
        nativeFinish: stringField(body, "stopReason"),
        usage: usageOf(objectField(body, "usage") ?? {}),
        isComplete: true
      })
  )
}

/** An error body is no turn; its own words are worth more than its shape. */
const noOutput = (body: Fields): WireError => {
  const words = stringField(body, "message") ?? stringField(body, "Message")
  return words === undefined
    ? wireError(formatName, ["output"], "an object with a message", body["output"])
    : wireError(formatName, ["message"], "a response with output", words)
}

/** A turn from a message, as it was sent and as it was decoded. Converse says neither the response's id nor the model. */
export const turnOf = (from: {
  readonly message: Fields
  readonly parts: ReadonlyArray<Turn.Part>
  readonly nativeFinish: string | undefined
  readonly usage: Turn.Usage
  readonly isComplete: boolean
}): Turn.Turn => {
  const { content } = from.message
  return {
    format: formatName,
    id: undefined,
    model: undefined,
    parts: from.parts,
    usage: from.usage,
    finish: finishOf(table, from.nativeFinish, from.parts),
    nativeFinish: from.nativeFinish,
    // A message without content is refused in the next request. The message is parsed JSON.
    native: Array.isArray(content) && content.length > 0 ? [from.message as Json.JsonObject] : [],
    isComplete: from.isComplete
  }
}

/** Whether a response body looks like a message of this API. Its errors look like any other. */
export const isFormatOf = (body: unknown): boolean =>
  Json.isObject(body) && Array.isArray(objectField(objectField(body, "output") ?? {}, "message")?.["content"])

type Path = ReadonlyArray<string | number>

/**
 * `undefined` for the blocks that have no words here (results of Bedrock's own
 * tools, generated images): they stay in the native message.
 */
export const decodeBlock = (
  block: unknown,
  path: Path,
  reader: CallReader
): Either.Either<Turn.Part | undefined, WireError> => {
  if (!Json.isObject(block)) return Either.left(wireError(formatName, path, "a content block", block))
  const { text } = block
  if (text !== undefined) {
    return typeof text === "string"
      ? Either.right({ _tag: "Text", text })
      : Either.left(wireError(formatName, [...path, "text"], "a string", text))
  }
  const reasoning = objectField(block, "reasoningContent")
  if (reasoning !== undefined) {
    // Without `reasoningText` there is `redactedContent`, which only the provider can read.
    return Either.right({
      _tag: "Reasoning",
      text: stringField(objectField(reasoning, "reasoningText") ?? {}, "text") ?? "",
      native: nativeOf(block)
    })
  }
  const cited = objectField(block, "citationsContent")
  if (cited !== undefined) return Either.right({ _tag: "Text", text: textsOf(cited["content"]) })
  const call = block["toolUse"]
  if (call === undefined) return Either.right(undefined)
  return Either.map(decodeCall(call, [...path, "toolUse"], reader), (part) =>
    part.executedBy === "provider" ? { ...part, native: nativeOf(block) } : part
  )
}

// Blocks are parsed JSON.
const nativeOf = (block: Fields): Message.Native => ({ format: formatName, json: [block as Json.JsonObject] })

/** Texts that belong together: cited text comes in pieces. */
const textsOf = (content: unknown): string =>
  Array.isArray(content)
    ? content.map((piece) => (Json.isObject(piece) ? (stringField(piece, "text") ?? "") : "")).join("")
    : ""

const decodeCall = (call: unknown, path: Path, reader: CallReader): Either.Either<Turn.CallPart, WireError> =>
  Json.isObject(call)
    ? Either.map(callHead(call, path), ({ id, name: nativeName, executedBy }) => {
        const name = reader.fromNative(nativeName)
        const input = reader.readArguments(name, call["input"] ?? {})
        const made = ToolCall.make(id, name, input)
        return { _tag: "Call", call: made, executedBy, nativeName, nativeId: id, format: formatName }
      })
    : Either.left(wireError(formatName, path, "a call", call))

/** What a call has besides its arguments. */
export interface CallHead {
  readonly id: string
  readonly name: string
  readonly executedBy: Turn.CallPart["executedBy"]
}

export const callHead = (call: Fields, path: Path): Either.Either<CallHead, WireError> => {
  const { toolUseId: id, name } = call
  if (typeof id !== "string" || id === "") {
    return Either.left(wireError(formatName, [...path, "toolUseId"], "the id of a call", id))
  }
  if (typeof name !== "string") {
    return Either.left(wireError(formatName, [...path, "name"], "the name of a tool", name))
  }
  return Either.right({ id, name, executedBy: call["type"] === "server_tool_use" ? "provider" : "application" })
}
