import { chatMessages, messages } from "./chatMessages.js"
import type { Difference } from "../Difference.js"
import { eachOf, isList, isObject, without } from "./items.js"

export const openAiChat: ReadonlyArray<Difference> = [
  {
    name: "functions",
    why: "the functions of the API's first years are tools now, and `function_call` is `tool_choice`",
    apply: (body) => {
      const { functions, function_call: choice, ...rest } = body
      if (!isList(functions)) return body
      return {
        ...rest,
        tools: functions.map((described) => ({ type: "function", function: described })),
        ...(choice === undefined ? {} : { tool_choice: choice })
      }
    }
  },
  ...chatMessages,
  {
    name: "developer",
    why: "both roles are instructions; `system` is the one that compatible servers know",
    apply: messages((message) => [message["role"] === "developer" ? { ...message, role: "system" } : message])
  },
  {
    name: "reasoning",
    why: "reasoning is sent back only as it was kept verbatim",
    apply: messages((message) => [without(message, "reasoning_content", "reasoning", "reasoning_details")])
  },
  {
    name: "files by id",
    why: "an uploaded file is known to this API only; it is kept verbatim only",
    apply: messages((message) => {
      const left = eachOf("content", (part) =>
        isObject(part["file"]) && part["file"]["file_id"] !== undefined ? [] : [part]
      )(message)
      const { content } = left
      return isList(content) && content.length === 0 && message["role"] === "user" ? [] : [left]
    })
  },
  {
    name: "choice without a type",
    why: "a choice that names a function is one of type `function` also where it does not say so (Hugging Face)",
    apply: (body) => {
      const choice = body["tool_choice"]
      return isObject(choice) && isObject(choice["function"])
        ? { ...body, tool_choice: { ...choice, type: "function" } }
        : body
    }
  }
]
