import { isList, isObject, without } from "./items.js"
import { chatMessages, messages, tools } from "./chatMessages.js"
import type { Difference } from "../Difference.js"

export const mistral: ReadonlyArray<Difference> = [
  ...chatMessages,
  {
    name: "a call that is demanded",
    why: "the API documents `required` as another word for `any`",
    apply: (body) => (body["tool_choice"] === "required" ? { ...body, tool_choice: "any" } : body)
  },
  {
    name: "no prefix",
    why: "false is the default",
    apply: messages((message) => [message["prefix"] === false ? without(message, "prefix") : message])
  },
  {
    name: "type and index",
    why: "the type of a tool or call is `function` unless it says otherwise; the index of a call is that of its place",
    apply: (body) => {
      const withTools = tools((tool) => ("function" in tool ? { ...tool, type: "function" } : tool))(body)
      return messages((message) => {
        const { tool_calls: calls } = message
        if (!isList(calls)) return [message]
        return [
          { ...message, tool_calls: calls.map((call) => (isObject(call) ? without(call, "type", "index") : call)) }
        ]
      })(withTools)
    }
  },
  {
    name: "name of a result",
    why: "a result said anew names its tool, as the API documents; the recorded client left it out",
    apply: messages((message) => [message["role"] === "tool" ? without(message, "name") : message])
  }
]
