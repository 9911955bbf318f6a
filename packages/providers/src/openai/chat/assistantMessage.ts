/**
 * The message of a turn, as the next request has to carry it.
 */
import type { Turn } from "@wield/core"
import { Json } from "@wield/core"
import type { Saying } from "../../internal/sayable.js"
import { emptyTurn, isEmptyTurn, sayable } from "../../internal/sayable.js"
import { argumentText } from "../argumentText.js"
import type { ChatDialect } from "./ChatDialect.js"
import type { SentCalls } from "./sentCalls.js"

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

/**
 * A message re-encoded from the parts of a turn; undefined where nothing is
 * left to say and the API takes no empty message.
 */
export const writtenMessage = (
  dialect: ChatDialect,
  parts: ReadonlyArray<Turn.Part>,
  saying: Saying,
  calls: SentCalls
): Json.JsonObject | undefined => {
  let content = ""
  let refusal = ""
  const entries: Array<Json.JsonObject> = []
  /** Mistral's chunks of thinking, which stand before the text. */
  const chunks: Array<Json.Json> = []
  let fields: Json.JsonObject = {}
  for (const part of sayable(parts, saying)) {
    if (part._tag === "Text") content += part.text
    else if (part._tag === "Kept") {
      for (const json of part.json) {
        if (Json.isObject(json) && !("thinking" in json)) fields = { ...fields, ...json }
        else chunks.push(json)
      }
    } else if (part._tag === "Call") {
      // Under the name that this API accepts, which need not be the one that another API knew.
      const name = saying.toNative(part.call.name)
      const text = argumentText(part.call.arguments)
      entries.push({ id: calls.say(part, name), type: "function", function: { name, arguments: text } })
    } else if (dialect.hasRefusal) refusal += part.text
    else {
      content += part.text
      const reason = "This API has no word for a refusal; it is said as text."
      saying.losses.push({ subject: saying.subject, path: [], keyword: "refusal", reason })
    }
  }
  const isEmpty = content === "" && refusal === "" && entries.length === 0
  if (isEmpty && chunks.length === 0 && Object.keys(fields).length === 0) {
    if (!isEmptyTurn(parts)) return undefined
    if (!dialect.takesEmpty) {
      saying.losses.push(emptyTurn(saying.subject))
      return undefined
    }
  }
  const text = content === "" && !isEmpty ? dialect.emptyContent : content
  return {
    role: "assistant",
    content: chunks.length === 0 ? text : [...chunks, ...(content === "" ? [] : [{ type: "text", text: content }])],
    ...fields,
    ...(refusal === "" ? {} : { refusal }),
    ...(entries.length === 0 ? {} : { tool_calls: entries })
  }
}
