/** Cohere's Chat API: a response body as a turn. */
import { hasArguments } from "../internal/streamedCalls.js"
import type { Turn } from "@wield/core"
import * as ToolCall from "@wield/core/ToolCall"
import * as Either from "effect/Either"
import type { WireError } from "../WireError.js"
import type { Offered } from "../internal/contract.js"
import { fail, formatName, nameRule, table } from "./format.js"
import { makeTurn, usageOf, withCutCall } from "../internal/format.js"
import { isNothing } from "../internal/json.js"
import * as NameMap from "../NameMap.js"
import { type Fields, type Path, isList, isObject, objectField, stringField, withLists } from "../internal/wireField.js"

export const decodeTurn = (body: unknown, offered?: Offered): Either.Either<Turn.Turn, WireError> => {
  if (!isObject(body)) return fail([], "an object with a message", body)
  const sent = objectField(body, "message")
  // An error has its words where a turn has its message.
  if (sent === undefined) return fail(["message"], "a message", body["message"])
  const message = withLists(sent, "content", "tool_calls")
  return Either.map(messageParts(message, ["message"], NameMap.make(offered?.definitions ?? [], nameRule)), (parts) =>
    withCutCall(
      turnOf({
        id: stringField(body, "id"),
        message,
        parts,
        nativeFinish: stringField(body, "finish_reason"),
        usage: usageOf(table, objectField(body, "usage") ?? {}),
        isComplete: true
      }),
      hasArguments
    )
  )
}

/** A turn from a message, as it was sent and as it was decoded. Cohere does not say the model. */
export const turnOf = ({
  message,
  ...from
}: Omit<Turn.Turn, "format" | "model" | "finish" | "native"> & { readonly message: Fields }): Turn.Turn =>
  // Cohere: "message must not be empty in a turn".
  makeTurn(table, { ...from, model: undefined, native: from.parts.length === 0 ? [] : [message] })

/** Whether a response body looks like a message of this API. Its errors look like any other. */
export const isFormatOf = (body: unknown): boolean =>
  isObject(body) && objectField(body, "message")?.["role"] === "assistant" && typeof body["finish_reason"] === "string"

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
  const { content = null, tool_calls: calls } = message
  if (typeof content === "string") {
    if (content !== "") parts.push({ _tag: "Text", text: content })
  } else if (isList(content)) {
    for (const [index, item] of content.entries()) {
      if (!isObject(item)) return fail([...path, "content", index], "a content item", item)
      const part = contentPart(item)
      if (part !== undefined) parts.push(part)
    }
  } else if (content !== null) return fail([...path, "content"], "text or an array of content items", content)
  if (calls === undefined || calls === null) return Either.right(parts)
  if (!isList(calls)) return fail([...path, "tool_calls"], "an array of calls", calls)
  return Either.map(
    Either.all(calls.map((call, index) => decodeCall(call, [...path, "tool_calls", index], names))),
    (decoded) => [...parts, ...decoded]
  )
}

/** `undefined` for an empty item, and for one of another kind. */
const contentPart = (item: Fields): Turn.Part | undefined => {
  const thinking = stringField(item, "thinking")
  if (thinking !== undefined && thinking !== "") {
    return { _tag: "Reasoning", text: thinking, native: { format: formatName, json: [item] } }
  }
  const text = stringField(item, "text")
  return text === undefined || text === "" ? undefined : { _tag: "Text", text }
}

export const decodeCall = (
  entry: unknown,
  path: Path,
  names: NameMap.NameMap
): Either.Either<Turn.CallPart, WireError> => {
  if (!isObject(entry)) return fail(path, "a call", entry)
  const { id } = entry
  if (typeof id !== "string" || id === "") return fail([...path, "id"], "the id of a call", id)
  const described = objectField(entry, "function") ?? {}
  const nativeName = described["name"]
  if (typeof nativeName !== "string") return fail([...path, "function", "name"], "the name of a tool", nativeName)
  const { arguments: sent } = described
  // The API writes `null` for a call without arguments.
  const call = ToolCall.make(id, names.fromNative(nativeName), isNothing(sent) || sent === "null" ? {} : sent)
  return Either.right({ _tag: "Call", call, executedBy: "application", nativeName, nativeId: id, format: formatName })
}
