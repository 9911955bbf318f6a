/** Differences that Chat Completions has with every API that speaks its language. */
import type { Json } from "@wield/core"
import type { Difference } from "../Difference.js"
import { detailOfImages, eachOf, isList, isObject, without } from "./items.js"

type Item = Json.JsonObject

export const messages = (change: (message: Item) => ReadonlyArray<Json.Json>) => eachOf("messages", change)
export const tools = (change: (tool: Item) => Item) => eachOf("tools", (tool) => [change(tool)])

const textOf = (content: Json.Json): string | undefined => {
  if (typeof content === "string") return content
  if (!isList(content) || !content.every((part) => isObject(part) && part["type"] === "text")) return undefined
  return content.map((part) => (isObject(part) ? String(part["text"]) : "")).join("")
}

export const textInParts: Difference = {
  name: "text in parts",
  why: "a content of text parts is their text; marks of OpenRouter's cache on them have no words",
  apply: messages((message) => {
    const { content } = message
    const text = content === undefined ? undefined : textOf(content)
    return [text === undefined ? message : { ...message, content: text }]
  })
}

const isImage = (part: Json.Json): boolean => isObject(part) && part["type"] === "image_url"

/** What stands in place of an image, also where the model is known to read none. */
const note = /\n?(Image \d+ \([^)]*\) follows the results\.|\[an image of type [^\]]* cannot carry in a result\])/g

const isLabel = (part: Json.Json): boolean =>
  isObject(part) && /^Image \d+, from the result of /.test(String(part["text"]))

/** Results without images, and without the message in which they follow. */
const withoutImages = messages((message) => {
  const { content, role } = message
  if (role === "tool" && isList(content)) return [{ ...message, content: content.filter((part) => !isImage(part)) }]
  if (role === "tool" && typeof content === "string") return [{ ...message, content: content.replaceAll(note, "") }]
  return role === "user" && isList(content) && content.some(isLabel) ? [] : [message]
})

export const chatMessages: ReadonlyArray<Difference> = [
  {
    name: "images behind results",
    why: "few servers take an image in a result; it follows as the user's, where the model is not known to read none",
    apply: withoutImages
  },
  {
    name: "addresses of files",
    why: "only Perplexity takes them; they are kept verbatim only",
    apply: messages((message) => [eachOf("content", (part) => (part["type"] === "file_url" ? [] : [part]))(message)])
  },
  textInParts,
  detailOfImages("messages"),
  {
    name: "images by their address alone",
    why: "the address stands in an object, in which OpenAI has it",
    apply: messages((message) => [
      eachOf("content", (part) => [
        typeof part["image_url"] === "string" ? { ...part, image_url: { url: part["image_url"] } } : part
      ])(message)
    ])
  },
  {
    name: "names of who speaks, and what stands beside the model's text",
    why: "they have no words, and are kept verbatim only",
    apply: messages((message) =>
      message["role"] === "tool" || message["role"] === "function"
        ? [message]
        : [without(message["refusal"] === null ? without(message, "refusal") : message, "name", "annotations")]
    )
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
