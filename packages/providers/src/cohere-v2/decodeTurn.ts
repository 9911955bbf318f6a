/**
 * Cohere's Chat API: a response body as a turn.
 */
import type { Turn } from "@wield/core"
import { Json } from "@wield/core"
import * as Either from "effect/Either"
import { nameMap } from "../internal/nameMap.js"
import type { Fields } from "../internal/wireField.js"
import { numberField, objectField, stringField, wireError } from "../internal/wireField.js"
import type { WireError } from "../WireError.js"
import type { Offered } from "../WireFormat.js"
import { messageParts } from "./messageParts.js"
import { formatName, nameRule } from "./names.js"

export const decodeTurn = (body: unknown, offered?: Offered): Either.Either<Turn.Turn, WireError> => {
  if (!Json.isObject(body)) return Either.left(wireError(formatName, [], "an object with a message", body))
  const message = objectField(body, "message")
  // An error has its words where a turn has its message.
  if (message === undefined) return Either.left(wireError(formatName, ["message"], "a message", body["message"]))
  return Either.map(messageParts(message, ["message"], nameMap(offered?.definitions ?? [], nameRule)), (parts) =>
    turnOf({
      id: stringField(body, "id"),
      message,
      parts,
      nativeFinish: stringField(body, "finish_reason"),
      usage: decodeUsage(objectField(body, "usage") ?? {}),
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
  finish: decodeFinish(from.nativeFinish, from.parts),
  nativeFinish: from.nativeFinish,
  // Cohere: "message must not be empty in a turn". The message is parsed JSON.
  native: from.parts.length === 0 ? [] : [from.message as Json.JsonObject],
  isComplete: from.isComplete
})

export const decodeUsage = (usage: Fields): Turn.Usage => {
  // What the model read and wrote; `billed_units` leaves out Cohere's own prompt.
  const tokens = objectField(usage, "tokens") ?? objectField(usage, "billed_units") ?? {}
  return {
    input: numberField(tokens, "input_tokens"),
    output: numberField(tokens, "output_tokens"),
    reasoning: undefined,
    cacheRead: numberField(usage, "cached_tokens"),
    cacheWrite: undefined
  }
}

/** The words after which a call may be cut off in the middle of its arguments. */
export const isBreak = (reason: string | undefined): boolean =>
  reason === "MAX_TOKENS" || reason === "ERROR" || reason === "TIMEOUT"

const decodeFinish = (reason: string | undefined, parts: ReadonlyArray<Turn.Part>): Turn.Finish => {
  switch (reason) {
    case "MAX_TOKENS":
    case "ERROR_LIMIT":
      return "length"
    case "ERROR_TOXIC":
      return "filter"
    case "ERROR":
    case "TIMEOUT":
      return "error"
    case "COMPLETE":
    case "STOP_SEQUENCE":
    case "TOOL_CALL":
      return parts.some((part) => part._tag === "Call") ? "calls" : "stop"
    default:
      return "other"
  }
}

/** Whether a response body looks like a message of this API. Its errors look like any other. */
export const isFormatOf = (body: unknown): boolean =>
  Json.isObject(body) &&
  objectField(body, "message")?.["role"] === "assistant" &&
  typeof body["finish_reason"] === "string"
