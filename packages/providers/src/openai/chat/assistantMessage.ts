/**
 * The message of a turn, as the next Chat Completions request has to carry it.
 */
import type { Loss, Turn } from "@wield/core"
import { Json, Turn as Turns } from "@wield/core"
import { argumentText } from "../openai/argumentText.js"
import { name } from "./name.js"

export interface SentMessages {
  readonly messages: ReadonlyArray<Json.Json>
  readonly losses: ReadonlyArray<Loss.Loss>
}

/**
 * A turn of this format goes back verbatim. Only ids that the server left out
 * are filled in, since a result has nothing else to name its call by. A turn
 * of another format is written anew from its parts.
 */
export const assistantMessage = (turn: Turn.Turn): SentMessages => {
  const calls = turn.parts.filter((part) => part._tag === "Call").filter((part) => part.executedBy === "application")
  if (turn.format === name) return { messages: turn.native.map((message) => withIds(message, calls)), losses: [] }
  const text = Turns.text(turn)
  return {
    messages: [
      {
        role: "assistant",
        content: text === "" ? null : text,
        ...(calls.length === 0 ? {} : { tool_calls: calls.map(toolCall) })
      }
    ],
    losses: [
      {
        subject: "turn",
        path: [],
        keyword: "native",
        reason: `The turn is one of ${turn.format}: its text and calls are sent, its reasoning and metadata are not.`
      }
    ]
  }
}

const toolCall = ({ call, nativeName }: Turn.CallPart): Json.JsonObject => ({
  id: call.id,
  type: "function",
  function: { name: nativeName, arguments: argumentText(call.arguments) }
})

const withIds = (message: Json.Json, calls: ReadonlyArray<Turn.CallPart>): Json.Json => {
  if (calls.every((part) => part.nativeId !== undefined) || !Json.isObject(message)) return message
  const { tool_calls: sent } = message
  if (!Array.isArray(sent)) return message
  return {
    ...message,
    tool_calls: sent.map((entry: Json.JsonObject, index): Json.Json => {
      const part = calls[index]
      return part === undefined || part.nativeId !== undefined ? entry : { ...entry, id: part.call.id }
    })
  }
}
