/** Ollama's chat API: a response body as a turn. */
import type { Json, Turn } from "@wield/core"
import * as ToolCall from "@wield/core/ToolCall"
import * as Either from "effect/Either"
import type { WireError } from "../WireError.js"
import type { Offered } from "../internal/contract.js"
import * as NameMap from "../NameMap.js"
import { type Fields, type Path, isList, isObject, objectField, stringField, withLists } from "../internal/wireField.js"
import { fail, formatName, nameRule, table } from "./format.js"
import { finishOf, usageOf } from "../internal/format.js"
import { isNothing } from "../internal/json.js"

export const decodeTurn = (body: unknown, offered?: Offered): Either.Either<Turn.Turn, WireError> => {
  if (!isObject(body)) return fail([], "an object with a message", body)
  const error = stringField(body, "error")
  if (error !== undefined) return fail(["error"], "a response with a message", error)
  const sent = objectField(body, "message")
  if (sent === undefined) return fail(["message"], "a message", body["message"])
  const message = withLists(sent, "tool_calls")
  const names = NameMap.make(offered?.definitions ?? [], nameRule)
  const madeId = (index: number): string => callId(body, index)
  return Either.map(messageParts(message, ["message"], names, madeId), (parts) =>
    turnOf({ response: body, message, parts, isComplete: body["done"] !== false })
  )
}

/**
 * The response has no id, so its time stands for it: the same each time the
 * body is decoded, and another in every turn.
 */
export const callId = (response: Fields, index: number): string => {
  const time = stringField(response, "created_at")?.replaceAll(/[^a-zA-Z0-9]/g, "") ?? ""
  return time === "" ? `call_${index}` : `call_${time}_${index}`
}

/** A turn from a response and its message, as it was sent and as it was decoded. */
export const turnOf = (from: {
  readonly response: Fields
  readonly message: Fields
  readonly parts: ReadonlyArray<Turn.Part>
  readonly isComplete: boolean
}): Turn.Turn => {
  const { isComplete, message, parts, response } = from
  const nativeFinish = stringField(response, "done_reason")
  const isKnown = response["done"] === true || nativeFinish === "length"
  return {
    format: formatName,
    id: undefined,
    model: stringField(response, "model"),
    parts,
    usage: usageOf(table, response),
    finish: isKnown ? finishOf(table, nativeFinish ?? "stop", parts) : "other",
    nativeFinish,
    // The server takes an empty one, too.
    native: [message],
    isComplete
  }
}

/** Whether a response body looks like a response of this API. */
export const isFormatOf = (body: unknown): boolean =>
  isObject(body) && typeof body["done"] === "boolean" && objectField(body, "message") !== undefined

/** An id for the call at this place of a message, for servers that send none (before 0.12). */
export type MakeId = (index: number) => string

export const messageParts = (
  message: Fields,
  path: Path,
  names: NameMap.NameMap,
  makeId: MakeId
): Either.Either<ReadonlyArray<Turn.Part>, WireError> => {
  const parts: Array<Turn.Part> = []
  const thinking = stringField(message, "thinking")
  if (thinking !== undefined && thinking !== "") {
    parts.push({ _tag: "Reasoning", text: thinking, native: { format: formatName, json: [{ thinking }] } })
  }
  const { content } = message
  if (typeof content === "string") {
    if (content !== "") parts.push({ _tag: "Text", text: content })
  } else if (content !== undefined && content !== null) {
    return fail([...path, "content"], "text", content)
  }
  return Either.map(callParts(message["tool_calls"], [...path, "tool_calls"], names, makeId), (calls) => [
    ...parts,
    ...calls
  ])
}

/** The calls of a message, or of one line of a stream. */
export const callParts = (
  calls: unknown,
  path: Path,
  names: NameMap.NameMap,
  makeId: MakeId
): Either.Either<ReadonlyArray<Turn.CallPart>, WireError> => {
  if (calls === undefined || calls === null) return Either.right([])
  if (!isList(calls)) return fail(path, "an array of calls", calls)
  return Either.all(calls.map((call, index) => callPart(call, [...path, index], names, () => makeId(index))))
}

const callPart = (
  entry: Json.Json,
  path: Path,
  names: NameMap.NameMap,
  makeId: () => string
): Either.Either<Turn.CallPart, WireError> => {
  if (!isObject(entry)) return fail(path, "a call", entry)
  const described = objectField(entry, "function") ?? {}
  const nativeName = described["name"]
  if (typeof nativeName !== "string") return fail([...path, "function", "name"], "the name of a tool", nativeName)
  const sent = stringField(entry, "id")
  const nativeId = sent === "" ? undefined : sent
  const { arguments: input } = described
  const call = ToolCall.make(nativeId ?? makeId(), names.fromNative(nativeName), isNothing(input) ? {} : input)
  return Either.right({ _tag: "Call", call, executedBy: "application", nativeName, nativeId, format: formatName })
}
