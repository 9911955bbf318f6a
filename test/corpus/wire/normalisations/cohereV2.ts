import type { Difference } from "../Difference.js"
import { textInParts } from "./chatMessages.js"
import { detailOfImages, eachOf, isList, isObject, without } from "./items.js"

export const cohereV2: ReadonlyArray<Difference> = [
  {
    name: "texts of a result",
    why: "a result of texts only is one text",
    apply: eachOf("messages", (message) => {
      const texts = isList(message["content"]) ? message["content"].filter(isObject) : []
      const isText = message["role"] === "tool" && texts.length > 0 && texts.every((part) => part["type"] === "text")
      return [isText ? { ...message, content: texts.map((part) => String(part["text"])).join("\n") } : message]
    })
  },
  textInParts,
  detailOfImages("messages"),
  {
    name: "no content",
    why: "an assistant's message that only calls has the content null, an empty one, or none",
    apply: eachOf("messages", (message) => [
      message["role"] === "assistant" && (message["content"] ?? "") === "" ? without(message, "content") : message
    ])
  }
]
