/**
 * Bedrock's Converse API: one content block of the model as a part of a turn.
 */
import type { Message, Turn } from "@wield/core"
import { Json, ToolCall } from "@wield/core"
import * as Either from "effect/Either"
import type { CallReader } from "../internal/callReader.js"
import type { Fields } from "../internal/wireField.js"
import { objectField, stringField, wireError } from "../internal/wireField.js"
import type { WireError } from "../WireError.js"
import { formatName } from "./names.js"

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
