/**
 * The message of a turn, as the next request has to carry it.
 */
import type { Loss, ToolCall, Turn } from "@wield/core"
import { Json } from "@wield/core"
import { argumentText } from "../argumentText.js"
import type { ChatDialect } from "./ChatDialect.js"

/** The calls that a message makes of the application, in its order. */
export const applicationCalls = (parts: ReadonlyArray<Turn.Part>): ReadonlyArray<Turn.CallPart> =>
  parts.filter((part) => part._tag === "Call").filter((part) => part.executedBy === "application")

/**
 * A message with the ids that the server left out, since a result has nothing
 * else to name its call by. One that has them all is itself.
 */
export const withIds = (message: Json.Json, calls: ReadonlyArray<Turn.CallPart>): Json.Json => {
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

/** How calls are named in a message that is written anew. */
export interface Naming {
  readonly idOf: (call: ToolCall.ToolCall, nativeName: string) => string
  readonly toNative: (name: string) => string
  /** Whether a call has a result, without which the API refuses it. */
  readonly isAnswered?: (id: string) => boolean
}

/**
 * A message written anew from the parts of a turn; undefined where nothing is
 * left to say. Reasoning, and what a provider ran itself, only that provider
 * can read.
 */
export const writtenMessage = (
  dialect: ChatDialect,
  parts: ReadonlyArray<Turn.Part>,
  { idOf, toNative, isAnswered = () => true }: Naming,
  subject: string
): { readonly message: Json.JsonObject | undefined; readonly losses: ReadonlyArray<Loss.Loss> } => {
  const losses: Array<Loss.Loss> = []
  const lose = (index: number, keyword: string, reason: string) =>
    losses.push({ subject, path: ["parts", index], keyword, reason })
  let content = ""
  let refusal = ""
  const calls: Array<Json.JsonObject> = []
  for (const [index, part] of parts.entries()) {
    if (part._tag === "Text") content += part.text
    else if (part._tag === "Reasoning")
      lose(index, "reasoning", "Reasoning is read by its own provider only; it is left out.")
    else if (part._tag === "Refusal") {
      if (dialect.hasRefusal) refusal += part.text
      else {
        content += part.text
        lose(index, "refusal", "This API has no word for a refusal; it is said as text.")
      }
    } else if (part.executedBy === "provider") {
      lose(index, part.nativeName, "The call was run by its own provider; it is left out.")
    } else if (isAnswered(part.call.id)) {
      const { arguments: sent } = part.call
      // Under the name that this API accepts, which need not be the one that another API knew.
      const name = toNative(part.call.name)
      const text = argumentText(sent)
      calls.push({ id: idOf(part.call, name), type: "function", function: { name, arguments: text } })
    } else lose(index, "call", `The call ${part.call.id} of ${part.call.name} has no result; it is left out.`)
  }
  if (content === "" && refusal === "" && calls.length === 0) return { message: undefined, losses }
  return {
    message: {
      role: "assistant",
      content: content === "" ? dialect.emptyContent : content,
      ...(refusal === "" ? {} : { refusal }),
      ...(calls.length === 0 ? {} : { tool_calls: calls })
    },
    losses
  }
}
