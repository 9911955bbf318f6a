/**
 * The calls of one Chat Completions message.
 */
import type { Turn } from "@wield/core"
import { Json, ToolCall } from "@wield/core"
import * as Either from "effect/Either"
import type { Fields } from "../../internal/wireField.js"
import { objectField, stringField, wireError } from "../../internal/wireField.js"
import type { WireError } from "../../WireError.js"
import type { ReadArguments } from "../readArguments.js"
import type { CallId, CallIds } from "./callIds.js"

/** What is needed to read a call back as it is meant. */
export interface CallReader {
  readonly format: string
  readonly callId: CallIds
  readonly fromNative: (native: string) => string
  readonly readArguments: ReadArguments
}

/** An entry of `tool_calls`. One without a name is still a call: it must have a result. */
export const toolCallPart = (entry: Fields, index: number, reader: CallReader): Turn.CallPart => {
  const described = objectField(entry, "function")
  const custom = objectField(entry, "custom")
  // Snowflake sends both, the one that is not meant with an empty name.
  const isCustom = custom !== undefined && (stringField(described ?? {}, "name") ?? "") === ""
  const nativeName = stringField(isCustom ? custom : (described ?? {}), "name") ?? ""
  const sent = isCustom ? { input: custom["input"] ?? "" } : described?.["arguments"]
  return part(reader.callId(entry["id"], index), nativeName, sent, reader, "application")
}

/** The call of the API's first years, `function_call`; it has no id. Snowflake sends an empty one always. */
export const functionCallPart = (message: Fields, reader: CallReader): Turn.CallPart | undefined => {
  const call = objectField(message, "function_call")
  const nativeName = call === undefined ? "" : (stringField(call, "name") ?? "")
  if (call === undefined || nativeName === "") return undefined
  return part(reader.callId(undefined, 0), nativeName, call["arguments"], reader, "application")
}

/** An entry of `executed_tools`: Groq's compound systems ran the tool themselves. */
export const executedToolPart = (entry: Fields, index: number, reader: CallReader): Turn.CallPart =>
  part(
    { id: `executed_${reader.callId(undefined, index).id}`, nativeId: undefined },
    stringField(entry, "name") ?? stringField(entry, "type") ?? "",
    entry["arguments"],
    reader,
    "provider"
  )

const part = (
  { id, nativeId }: CallId,
  nativeName: string,
  sent: unknown,
  reader: CallReader,
  executedBy: "application" | "provider"
): Turn.CallPart => {
  const toolName = reader.fromNative(nativeName)
  // OpenRouter leaves the arguments out where a model sent none; a few servers send an object instead of its text.
  const args = sent === undefined || sent === null ? {} : reader.readArguments(toolName, sent)
  return {
    _tag: "Call",
    call: ToolCall.make(id, toolName, args),
    executedBy,
    nativeName,
    nativeId,
    format: reader.format
  }
}

/** The entries of a list of calls; an absent list is an empty one. */
export const callEntries = (
  format: string,
  value: unknown,
  path: ReadonlyArray<string | number>
): Either.Either<ReadonlyArray<Fields>, WireError> => {
  if (value === undefined || value === null) return none
  if (!Array.isArray(value)) return Either.left(wireError(format, path, "an array of calls", value))
  const wrong = value.findIndex((entry) => !Json.isObject(entry))
  return wrong === -1 ? Either.right(value) : Either.left(wireError(format, [...path, wrong], "a call", value[wrong]))
}

const none: Either.Either<ReadonlyArray<Fields>> = Either.right([])
