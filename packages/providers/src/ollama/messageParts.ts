/**
 * Ollama's chat API: one message of the model as the parts of a turn.
 */
import type { Turn } from "@wield/core"
import { Json, ToolCall } from "@wield/core"
import * as Either from "effect/Either"
import type { NameMap } from "../internal/nameMap.js"
import type { Fields } from "../internal/wireField.js"
import { objectField, stringField, wireError } from "../internal/wireField.js"
import type { WireError } from "../WireError.js"
import { formatName } from "./names.js"

type Path = ReadonlyArray<string | number>

/** An id for the call at this place of a message, for servers that send none (before 0.12). */
export type MakeId = (index: number) => string

export const messageParts = (
  message: Fields,
  path: Path,
  names: NameMap,
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
    return Either.left(wireError(formatName, [...path, "content"], "text", content))
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
  names: NameMap,
  makeId: MakeId
): Either.Either<ReadonlyArray<Turn.CallPart>, WireError> => {
  if (calls === undefined || calls === null) return Either.right([])
  if (!Array.isArray(calls)) return Either.left(wireError(formatName, path, "an array of calls", calls))
  const parts: Array<Turn.CallPart> = []
  for (let index = 0; index < calls.length; index++) {
    const part = callPart(calls[index], [...path, index], names, () => makeId(index))
    if (Either.isLeft(part)) return Either.left(part.left)
    parts.push(part.right)
  }
  return Either.right(parts)
}

const callPart = (
  entry: unknown,
  path: Path,
  names: NameMap,
  makeId: () => string
): Either.Either<Turn.CallPart, WireError> => {
  if (!Json.isObject(entry)) return Either.left(wireError(formatName, path, "a call", entry))
  const described = objectField(entry, "function") ?? {}
  const nativeName = described["name"]
  if (typeof nativeName !== "string") {
    return Either.left(wireError(formatName, [...path, "function", "name"], "the name of a tool", nativeName))
  }
  const sent = stringField(entry, "id")
  const nativeId = sent === "" ? undefined : sent
  const call = ToolCall.make(nativeId ?? makeId(), names.fromNative(nativeName), described["arguments"] ?? {})
  return Either.right({ _tag: "Call", call, executedBy: "application", nativeName, nativeId, format: formatName })
}
