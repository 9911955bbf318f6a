/**
 * A turn and the results of its calls, as messages of the next request: one
 * message of the role `tool` per call, text only.
 */
import type { Loss, ToolResult, Turn } from "@wield/core"
import { Json } from "@wield/core"
import { pairOutcomes } from "../../internal/pairOutcomes.js"
import type { WireFormat } from "../../WireFormat.js"
import { resultText } from "../resultText.js"
import { applicationCalls, withIds, writtenMessage } from "./assistantMessage.js"
import type { ChatDialect } from "./ChatDialect.js"
import type { LookUp } from "./decodeTurn.js"

export const makeEncodeResults =
  (dialect: ChatDialect, offeredTools: LookUp): WireFormat["encodeResults"] =>
  (turn, outcomes) => {
    const { results, pending, losses } = pairOutcomes(turn, outcomes)
    const isOwn = turn.format === dialect.name
    const { toNative } = offeredTools(undefined)
    const sent = isOwn ? ownMessages(turn) : foreignMessages(dialect, turn, toNative)
    const isLegacy = isOwn && turn.native.some(hasFunctionCall)
    const messages: Array<Json.Json> = [...sent.messages]
    const lost: Array<Loss.Loss> = [...sent.losses, ...losses]
    for (const { part, outcome, result } of results) {
      const content = resultText(outcome, result)
      messages.push(
        isLegacy
          ? { role: "function", name: part.nativeName, content }
          : resultMessage(
              dialect,
              sentIdOf(dialect, isOwn, part),
              isOwn ? part.nativeName : toNative(part.call.name),
              content
            )
      )
      lost.push(...leftOut(result, result.name))
    }
    return { messages, pending, losses: lost }
  }

/** The id by which a message that is sent names a call. */
export const sentIdOf = (dialect: ChatDialect, isOwn: boolean, { call, nativeId }: Turn.CallPart): string =>
  isOwn ? (nativeId ?? call.id) : dialect.acceptedId(call.id)

export const resultMessage = (dialect: ChatDialect, id: string, name: string, content: string): Json.JsonObject => ({
  role: "tool",
  tool_call_id: id,
  ...(dialect.hasResultName && name !== "" ? { name } : {}),
  content
})

/** A turn of this format goes back verbatim. */
const ownMessages = (turn: Turn.Turn): { readonly messages: ReadonlyArray<Json.Json>; readonly losses: [] } => {
  const calls = applicationCalls(turn.parts)
  return { messages: turn.native.map((message) => withIds(message, calls)), losses: [] }
}

const foreignMessages = (dialect: ChatDialect, turn: Turn.Turn, toNative: (name: string) => string) => {
  const { message, losses } = writtenMessage(
    dialect,
    turn.parts,
    { toNative, idOf: ({ id }) => dialect.acceptedId(id) },
    "turn"
  )
  return {
    messages: message === undefined ? [] : [message],
    losses: [
      {
        subject: "turn",
        path: [],
        keyword: "native",
        reason: `The turn is one of ${turn.format}: its text and calls are sent, its metadata is not.`
      },
      ...losses
    ]
  }
}

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
