/** Cohere's Chat API: a response body as a turn. */
import type { Turn } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as ToolCall from "@wield/core/ToolCall"
import * as Either from "effect/Either"
import type { WireError } from "../WireError.js"
import type { Offered } from "../WireFormat.js"
import { formatName, nameRule, table, usageOf } from "./format.js"
import { finishOf } from "../internal/format.js"
import * as NameMap from "../NameMap.js"
import { type Fields, objectField, stringField, wireError } from "../internal/wireField.js"

export const decodeTurn = (body: unknown, offered?: Offered): Either.Either<Turn.Turn, WireError> => {
  if (!Json.isObject(body)) return Either.left(wireError(formatName, [], "an object with a message", body))
  const message = objectField(body, "message")
  // An error has its words where a turn has its message.
  if (message === undefined) return Either.left(wireError(formatName, ["message"], "a message", body["message"]))
  return Either.map(messageParts(message, ["message"], NameMap.make(offered?.definitions ?? [], nameRule)), (parts) =>
    turnOf({
      id: stringField(body, "id"),
      message,
      parts,
      nativeFinish: stringField(body, "finish_reason"),
      usage: usageOf(objectField(body, "usage") ?? {}),
      isComplete: true
    })
  )
}

/** A turn from a message, as it was sent and as it was decoded. Cohere does not say the model. */
export const turnOf = (from: {
  readonly id: string | undefined
  readonly message: Fields
  readonly parts: ReadonlyArray<Turn.Part>
  readonly nativeFinish: string | undefined
  readonly usage: Turn.Usage
  readonly isComplete: boolean
}): Turn.Turn => ({
  format: formatName,
  id: from.id,
  model: undefined,
  parts: from.parts,
  usage: from.usage,
  finish: finishOf(table, from.nativeFinish, from.parts),
  nativeFinish: from.nativeFinish,
  // Cohere: "message must not be empty in a turn". The message is parsed JSON.
  native: from.parts.length === 0 ? [] : [from.message as Json.JsonObject],
  isComplete: from.isComplete
})

/** Whether a response body looks like a message of this API. Its errors look like any other. */
export const isFormatOf = (body: unknown): boolean =>
  Json.isObject(body) &&
  objectField(body, "message")?.["role"] === "assistant" &&
  typeof body["finish_reason"] === "string"

type Path = ReadonlyArray<string | number>

export const messageParts = (
  message: Fields,
  path: Path,
  names: NameMap.NameMap
): Either.Either<ReadonlyArray<Turn.Part>, WireError> => {
  const parts: Array<Turn.Part> = []
  // What the model means to do with the tools; Cohere calls it chain-of-thought.
  const plan = stringField(message, "tool_plan")
  if (plan !== undefined && plan !== "") {
    parts.push({ _tag: "Reasoning", text: plan, native: { format: formatName, json: [{ tool_plan: plan }] } })
  }
  const { content, tool_calls: calls } = message
  if (typeof content === "string") {
    if (content !== "") parts.push({ _tag: "Text", text: content })
  } else if (Array.isArray(content)) {
    for (let index = 0; index < content.length; index++) {
      const item: unknown = content[index]
      if (!Json.isObject(item)) {
        return Either.left(wireError(formatName, [...path, "content", index], "a content item", item))
      }
      const part = contentPart(item)
      if (part !== undefined) parts.push(part)
    }
  } else if (content !== undefined && content !== null) {
    return Either.left(wireError(formatName, [...path, "content"], "text or an array of content items", content))
  }
  if (calls === undefined || calls === null) return Either.right(parts)
  if (!Array.isArray(calls)) {
    return Either.left(wireError(formatName, [...path, "tool_calls"], "an array of calls", calls))
  }
  for (let index = 0; index < calls.length; index++) {
    const part = decodeCall(calls[index], [...path, "tool_calls", index], names)
    if (Either.isLeft(part)) return Either.left(part.left)
    parts.push(part.right)
  }
  return Either.right(parts)
}

/** `undefined` for an empty item, and for one of another kind. */
const contentPart = (item: Fields): Turn.Part | undefined => {
  const thinking = stringField(item, "thinking")
  if (thinking !== undefined && thinking !== "") {
    // The message is parsed JSON.
    return { _tag: "Reasoning", text: thinking, native: { format: formatName, json: [item as Json.JsonObject] } }
  }
  const text = stringField(item, "text")
  return text === undefined || text === "" ? undefined : { _tag: "Text", text }
}

export const decodeCall = (
  entry: unknown,
  path: Path,
  names: NameMap.NameMap
): Either.Either<Turn.CallPart, WireError> => {
  if (!Json.isObject(entry)) return Either.left(wireError(formatName, path, "a call", entry))
  const { id } = entry
  if (typeof id !== "string" || id === "") {
    return Either.left(wireError(formatName, [...path, "id"], "the id of a call", id))
  }
  const described = objectField(entry, "function") ?? {}
  const nativeName = described["name"]
  if (typeof nativeName !== "string") {
    return Either.left(wireError(formatName, [...path, "function", "name"], "the name of a tool", nativeName))
  }
  const call = ToolCall.make(id, names.fromNative(nativeName), described["arguments"] ?? {})
  return Either.right({ _tag: "Call", call, executedBy: "application", nativeName, nativeId: id, format: formatName })
}
