/**
 * A turn and the results of its calls, as messages of the next request: one
 * message of the role `tool` per call, text only.
 */
import type { Loss, ToolResult } from "@wield/core"
import { Json } from "@wield/core"
import { pairOutcomes } from "../../internal/pairOutcomes.js"
import { foreignTurn } from "../../internal/sentTurn.js"
import type { WireFormat } from "../../WireFormat.js"
import { resultText } from "../resultText.js"
import { applicationCalls, withIds, writtenMessage } from "./assistantMessage.js"
import type { ChatDialect } from "./ChatDialect.js"
import type { LookUp } from "./decodeTurn.js"
import type { SentCall } from "./sentCalls.js"
import { SentCalls } from "./sentCalls.js"

export const makeEncodeResults =
  (dialect: ChatDialect, offeredTools: LookUp): WireFormat["encodeResults"] =>
  (turn, outcomes) => {
    const paired = pairOutcomes(turn, outcomes)
    const losses: Array<Loss.Loss> = [...paired.losses]
    const calls = new SentCalls(dialect)
    const messages: Array<Json.Json> = []
    const isOwn = turn.format === dialect.name
    if (isOwn && (turn.native.length > 0 || turn.parts.length > 0)) {
      const made = applicationCalls(turn.parts)
      const isLegacy = turn.native.some(hasFunctionCall)
      for (const part of made) calls.keep(part, isLegacy)
      messages.push(...turn.native.map((message) => withIds(message, made)))
    } else {
      if (!isOwn) losses.push(foreignTurn(turn))
      const { toNative } = offeredTools(undefined)
      const saying = { format: dialect.name, subject: "turn", toNative, isPaired: () => true, losses }
      const written = writtenMessage(dialect, turn.parts, saying, calls)
      if (written !== undefined) messages.push(written)
    }
    for (const { part, outcome, result } of paired.results) {
      const call = calls.answer(part.call.id)
      if (call !== undefined) messages.push(resultMessage(dialect, call, resultText(outcome, result)))
      losses.push(...leftOut(result, result.name))
    }
    return { messages, pending: paired.pending, losses }
  }

/** A result under the id of its call or, for a call by `function_call`, under the function's name. */
export const resultMessage = (
  dialect: ChatDialect,
  { isLegacy, nativeName: name, sentId }: SentCall,
  content: string
): Json.JsonObject =>
  isLegacy
    ? { role: "function", name, content }
    : { role: "tool", tool_call_id: sentId, ...(dialect.hasResultName && name !== "" ? { name } : {}), content }

/** A message that calls by `function_call` alone wants its result under the function's name. */
export const hasFunctionCall = (message: Json.Json): boolean => {
  if (!Json.isObject(message)) return false
  const { tool_calls: calls, function_call: call } = message
  return Json.isObject(call) && !(Array.isArray(calls) && calls.length > 0)
}

export const leftOut = (result: ToolResult.ToolResult, subject: string): ReadonlyArray<Loss.Loss> =>
  result.content.flatMap((part, index) =>
    part._tag === "Image" || part._tag === "File"
      ? [
          {
            subject,
            path: ["content", index],
            keyword: part._tag === "Image" ? "image" : "file",
            reason: "A result of this API carries text only; the model reads that it was left out."
          }
        ]
      : []
  )
