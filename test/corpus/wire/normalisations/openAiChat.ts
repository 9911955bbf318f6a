import { chatMessages, messages, tools } from "./chatMessages.js"
import type { Difference } from "../Difference.js"
import { eachOf, isList, isObject, plainSchema, without } from "./items.js"

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
    name: "name of a result",
    why: "the API reads it of a call by `function_call` only; some clients state it of every result",
    apply: messages((message) => [message["role"] === "tool" ? without(message, "name") : message])
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
    name: "strict",
    why: "strictness is said of all tools or of none, and `false` is the default; some schemas have no strict form",
    apply: tools((tool) =>
      isObject(tool["function"]) ? { ...tool, function: without(tool["function"], "strict") } : tool
    )
  },
  {
    name: "strict schemas",
    why: "`required` is a set, which the strict dialect lists in the order of the properties; it states a `default` in the description",
    apply: tools((tool) => {
      const described = tool["function"]
      if (!isObject(described) || !isObject(described["parameters"])) return tool
      return { ...tool, function: { ...described, parameters: plainSchema(described["parameters"]) } }
    })
  },
  {
    name: "cache marks on tools",
    why: "OpenRouter passes them on to Anthropic; they have no words in this format",
    apply: tools((tool) => without(tool, "cache_control"))
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
