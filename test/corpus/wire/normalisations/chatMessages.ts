/** Differences that Chat Completions has with every API that speaks its language. */
import type { Json } from "@wield/core"
import type { Difference } from "../Difference.js"
import { eachOf, isList, isObject, without } from "./items.js"

type Item = Json.JsonObject

export const messages = (change: (message: Item) => ReadonlyArray<Json.Json>) => eachOf("messages", change)
export const tools = (change: (tool: Item) => Item) => eachOf("tools", (tool) => [change(tool)])

const textOf = (content: Json.Json): string | undefined => {
  if (typeof content === "string") return content
  if (!isList(content) || !content.every((part) => isObject(part) && part["type"] === "text")) return undefined
  return content.map((part) => (isObject(part) ? String(part["text"]) : "")).join("")
}

export const chatMessages: ReadonlyArray<Difference> = [
  {
    name: "text in parts",
    why: "a content of text parts is their text; marks of OpenRouter's cache on them have no words",
    apply: messages((message) => {
      const { content } = message
      const text = content === undefined ? undefined : textOf(content)
      return [text === undefined ? message : { ...message, content: text }]
    })
  },
  {
    name: "no content",
    why: "an assistant's message that only calls has the content null, an empty one, or none",
    apply: messages((message) =>
      message["role"] === "assistant" && (message["content"] ?? "") === "" ? [without(message, "content")] : [message]
    )
  },
  {
    name: "empty assistant's message",
    why: "an assistant's message that says and calls nothing is left out",
    apply: messages((message) =>
      message["role"] === "assistant" &&
      Object.keys(without(message, "content", "prefix")).length === 1 &&
      (message["content"] ?? "") === ""
        ? []
        : [message]
    )
  },
  {
    name: "ids of calls",
    why: "where a call has no id, one is made, the same for its result",
    apply: messages((message) => {
      const { tool_calls: calls } = message
      const id = message["tool_call_id"]
      if (id === undefined || /^call_m\d+_\d+$/.test(String(id))) message = without(message, "tool_call_id")
      if (!isList(calls)) return [message]
      return [
        {
          ...message,
          tool_calls: calls.map((call) =>
            isObject(call) && /^call_m\d+_\d+$/.test(String(call["id"])) ? without(call, "id") : call
          )
        }
      ]
    })
  }
]
