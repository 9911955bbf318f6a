/**
 * The message of a turn, as the next request has to carry it.
 */
import type { Turn } from "@wield/core"
import { Json } from "@wield/core"
import type { Saying } from "../../internal/sayable.js"
import { sayable } from "../../internal/sayable.js"
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
 * A message written anew from the parts of a turn; undefined where nothing is
 * left to say.
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
  for (const part of sayable(parts, saying)) {
    if (part._tag === "Text") content += part.text
    else if (part._tag === "Call") {
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
  if (content === "" && refusal === "" && entries.length === 0) return undefined
  return {
    role: "assistant",
    content: content === "" ? dialect.emptyContent : content,
    ...(refusal === "" ? {} : { refusal }),
    ...(entries.length === 0 ? {} : { tool_calls: entries })
  }
}
