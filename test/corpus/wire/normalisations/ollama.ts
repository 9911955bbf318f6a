import type { Json } from "@wield/core"
import type { Difference } from "../Difference.js"
import { eachOf, isObject, without } from "./items.js"

const calls = (change: (call: Json.JsonObject) => Json.JsonObject): Difference["apply"] =>
  eachOf("messages", (message) => [eachOf("tool_calls", (call) => [change(call)])(message)])

export const ollama: ReadonlyArray<Difference> = [
  {
    name: "no content",
    why: "a message without content is one of an empty text: the server reads it so",
    apply: eachOf("messages", (message) => [{ content: "", ...message }])
  },
  {
    name: "type and index of a call",
    why: "every call is one of a function, and its index is that of its place",
    apply: calls((call) => {
      const described = call["function"]
      return without(isObject(described) ? { ...call, function: without(described, "index") } : call, "type")
    })
  },
  {
    name: "tool of a result",
    why: "a result said anew names its tool, as the API documents; older clients left it out",
    apply: eachOf("messages", (message) => [message["role"] === "tool" ? without(message, "tool_name") : message])
  }
]
