/** Bedrock's Converse API: a response body as a turn. Streams and requests read their blocks by it too. */
import type { Message, Turn } from "@wield/core"
import * as ToolCall from "@wield/core/ToolCall"
import * as Either from "effect/Either"
import type { WireError } from "../WireError.js"
import type { Offered } from "../internal/contract.js"
import { fail, formatName, nameRule, table } from "./format.js"
import { makeTurn, usageOf, withCutCall } from "../internal/format.js"
import { decodeBlocks } from "../internal/partList.js"
import { type CallReader, callReader } from "../internal/tools.js"
import {
  type Fields,
  type Path,
  isList,
  isObject,
  listField,
  objectField,
  statedField,
  stringField,
  withLists
} from "../internal/wireField.js"

export const decodeTurn = (body: unknown, offered?: Offered): Either.Either<Turn.Turn, WireError> => {
  if (!isObject(body)) return fail([], "an object with output", body)
  const output = objectField(body, "output")
  if (output === undefined) {
    // An error body is no turn; its own words are worth more than its shape.
    const words = stringField(body, "message") ?? stringField(body, "Message")
    return words === undefined
      ? fail(["output"], "an object with a message", body["output"])
      : fail(["message"], "a response with output", words)
  }
  const sent = objectField(output, "message")
  if (sent === undefined) return fail(["output", "message"], "a message", output["message"])
  const nativeFinish = stringField(body, "stopReason")
  const message =
    sent["content"] === null && nativeFinish !== undefined ? { ...sent, content: [] } : withLists(sent, "content")
  const { content } = message
  const path = ["output", "message", "content"]
  if (!isList(content)) return fail(path, "an array of content blocks", content)
  const reader = callReader(offered, nameRule)
  return Either.map(
    decodeBlocks(content, (block, index) => decodeBlock(block, [...path, index], reader)),
    (parts) =>
      withCutCall(
        turnOf({
          message,
          parts,
          nativeFinish,
          usage: usageOf(table, objectField(body, "usage") ?? {}),
          isComplete: true
        })
      )
  )
}

/** A turn from a message, as it was sent and as it was decoded. Converse says neither the response's id nor the model. */
export const turnOf = ({
  message,
  ...from
}: Pick<Turn.Turn, "parts" | "nativeFinish" | "usage" | "isComplete"> & { readonly message: Fields }): Turn.Turn =>
  makeTurn(table, {
    ...from,
    id: undefined,
    model: undefined,
    // A message without content is refused in the next request.
    native: listField(message, "content").length > 0 ? [message] : []
  })

/** Whether a response body looks like a message of this API. Its errors look like any other. */
export const isFormatOf = (body: unknown): boolean =>
  isList(objectField(objectField(body, "output"), "message")?.["content"])

/**
 * `undefined` for the blocks that have no words here (results of Bedrock's own
 * tools, generated images): they stay in the native message.
 */
export const decodeBlock = (
  block: unknown,
  path: Path,
  reader: CallReader
): Either.Either<Turn.Part | undefined, WireError> => {
  if (!isObject(block)) return fail(path, "a content block", block)
  const text = statedField(block, "text")
  const native: Message.Native = { format: formatName, json: [block] }
  if (text !== undefined) {
    return typeof text === "string" ? Either.right({ _tag: "Text", text }) : fail([...path, "text"], "a string", text)
  }
  const reasoning = objectField(block, "reasoningContent")
  if (reasoning !== undefined) {
    // Without `reasoningText` there is `redactedContent`, which only the provider can read.
    const shown = stringField(objectField(reasoning, "reasoningText"), "text") ?? ""
    return Either.right({ _tag: "Reasoning", text: shown, native })
  }
  const cited = objectField(block, "citationsContent")
  if (cited !== undefined) return Either.right({ _tag: "Text", text: textsOf(cited) })
  const call = statedField(block, "toolUse")
  if (call === undefined) return Either.right(undefined)
  return Either.map(decodeCall(call, [...path, "toolUse"], reader), (part) =>
    part.executedBy === "provider" ? { ...part, native } : part
  )
}

/** Texts that belong together: cited text comes in pieces. */
const textsOf = (cited: Fields): string =>
  listField(cited, "content")
    .map((piece) => stringField(piece, "text") ?? "")
    .join("")

const decodeCall = (call: unknown, path: Path, reader: CallReader): Either.Either<Turn.CallPart, WireError> =>
  isObject(call)
    ? Either.map(callHead(call, path), ({ id, name: nativeName, executedBy }) => {
        const name = reader.fromNative(nativeName)
        const input = reader.readArguments(name, call["input"] ?? {})
        const made = ToolCall.make(id, name, input)
        return { _tag: "Call", call: made, executedBy, nativeName, nativeId: id, format: formatName }
      })
    : fail(path, "a call", call)

/** What a call has besides its arguments. */
export const callHead = (
  call: Fields,
  path: Path
): Either.Either<Pick<Turn.CallPart, "executedBy"> & { readonly id: string; readonly name: string }, WireError> => {
  const { toolUseId: id, name } = call
  if (typeof id !== "string" || id === "") return fail([...path, "toolUseId"], "the id of a call", id)
  if (typeof name !== "string") return fail([...path, "name"], "the name of a tool", name)
  return Either.right({ id, name, executedBy: call["type"] === "server_tool_use" ? "provider" : "application" })
}
