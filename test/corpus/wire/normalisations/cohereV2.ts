import type { Difference } from "../Difference.js"
import { eachOf, without } from "./items.js"

export const cohereV2: ReadonlyArray<Difference> = [
  {
    name: "no content",
    why: "an assistant's message that only calls has the content null or none",
    apply: eachOf("messages", (message) => [message["content"] === null ? without(message, "content") : message])
  }
]
