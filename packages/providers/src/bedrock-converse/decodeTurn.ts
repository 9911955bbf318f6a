/**
 * Bedrock's Converse API: a response body as a turn.
 */
import type { Turn } from "@wield/core"
import { Json } from "@wield/core"
import * as Either from "effect/Either"
import { callReader } from "../internal/callReader.js"
import { PartList } from "../internal/partList.js"
import type { Fields } from "../internal/wireField.js"
import { numberField, objectField, stringField, sumOf, wireError } from "../internal/wireField.js"
import type { WireError } from "../WireError.js"
import type { Offered } from "../WireFormat.js"
import { decodeBlock } from "./decodeBlock.js"
import { formatName, nameRule } from "./names.js"

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
  const list = new PartList()
  for (let index = 0; index < content.length; index++) {
    const block: unknown = content[index]
    const part = decodeBlock(block, [...path, index], reader)
    if (Either.isLeft(part)) return Either.left(part.left)
    // `decodeBlock` has shown that it is an object, and the body is parsed JSON.
    if (part.right === undefined) list.addWordless(block as Json.JsonObject)
    else list.add(part.right)
  }
  return Either.right(
    turnOf({
      message,
      parts: list.parts,
      nativeFinish: stringField(body, "stopReason"),
      usage: decodeUsage(objectField(body, "usage") ?? {}),
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
    finish: decodeFinish(from.nativeFinish, from.parts),
    nativeFinish: from.nativeFinish,
    // A message without content is refused in the next request. The message is parsed JSON.
    native: Array.isArray(content) && content.length > 0 ? [from.message as Json.JsonObject] : [],
    isComplete: from.isComplete
  }
}

export const decodeUsage = (usage: Fields): Turn.Usage => {
  const cacheRead = numberField(usage, "cacheReadInputTokens")
  const cacheWrite = numberField(usage, "cacheWriteInputTokens")
  return {
    // Bedrock counts cached tokens beside `inputTokens`, not among them.
    input: sumOf(numberField(usage, "inputTokens"), cacheRead, cacheWrite),
    output: numberField(usage, "outputTokens"),
    reasoning: undefined,
    cacheRead,
    cacheWrite
  }
}

/** The words after which a call may be cut off in the middle of its arguments. */
export const isLimit = (reason: string | undefined): boolean =>
  reason === "max_tokens" || reason === "model_context_window_exceeded"

const decodeFinish = (reason: string | undefined, parts: ReadonlyArray<Turn.Part>): Turn.Finish => {
  if (isLimit(reason)) return "length"
  switch (reason) {
    case undefined:
      return "other"
    case "guardrail_intervened":
    case "content_filtered":
      return "filter"
    case "malformed_model_output":
    case "malformed_tool_use":
      return "error"
  }
  if (parts.some((part) => part._tag === "Call" && part.executedBy === "application")) return "calls"
  return reason === "end_turn" || reason === "stop_sequence" || reason === "tool_use" ? "stop" : "other"
}

/** Whether a response body looks like a message of this API. Its errors look like any other. */
export const isFormatOf = (body: unknown): boolean =>
  Json.isObject(body) && Array.isArray(objectField(objectField(body, "output") ?? {}, "message")?.["content"])
