/**
 * In what the requests of a run may differ from the recorded ones, beyond what
 * is different about a request said anew (`wire/normalisations`).
 */
import type { Json } from "@wield/core"
import type { Difference } from "../wire/Difference.js"
import { eachOf, isList, isObject, without } from "../wire/normalisations/items.js"
import { isOutputTool } from "./finalOutput.js"
import { parsed } from "./words.js"

type Item = Json.JsonObject

// What was parsed from JSON is JSON.
const argumentsOf = (value: Json.Json | undefined): Json.Json => parsed(value === "" ? {} : (value ?? {})) as Json.Json

const pick = (item: Item, ...keys: ReadonlyArray<string>): Item =>
  Object.fromEntries(keys.flatMap((key) => (item[key] === undefined ? [] : [[key, item[key]]])))

const turnWhy =
  "the model's turn goes back as it came, byte by byte (which is checked); the recorded client said it in its own words, of which text and calls are compared"

/** A message of the model as its text and its calls. */
const turn = (apply: Difference["apply"]): Difference => ({ name: "the model's turn", why: turnWhy, apply })

const textOf = (content: Json.Json | undefined): string =>
  typeof content === "string"
    ? content
    : isList(content)
      ? content.map((part) => (isObject(part) && typeof part["text"] === "string" ? part["text"] : "")).join("")
      : ""

const chatTurn = turn((body) => {
  const messages = isList(body["messages"]) ? body["messages"] : []
  const said = messages.map((message): Json.Json => {
    if (!isObject(message) || message["role"] !== "assistant") return message
    const { content, tool_calls: calls } = message
    return {
      role: "assistant",
      content: textOf(content),
      calls: (isList(calls) ? calls : []).map((call) => {
        const made = isObject(call) && isObject(call["function"]) ? call["function"] : {}
        return {
          id: isObject(call) ? (call["id"] ?? null) : null,
          name: made["name"] ?? null,
          arguments: argumentsOf(made["arguments"])
        }
      })
    }
  })
  return { ...body, messages: said }
})

const responsesTurn = turn(
  eachOf("input", (item) => {
    switch (item["type"]) {
      case "function_call":
        return [{ ...pick(item, "type", "call_id", "name"), arguments: argumentsOf(item["arguments"]) }]
      case "reasoning":
        return []
      case "tool_search_call":
      case "tool_search_output":
        // The recorded client rewrote the arguments of what the API runs itself.
        return item["execution"] === "client" ? [item] : []
      default:
        // What the API has run itself.
        if (String(item["type"]).endsWith("_call") && item["call_id"] === undefined) return []
        if (item["role"] !== "assistant") return [item]
        return textOf(item["content"]) === "" ? [] : [{ role: "assistant", content: textOf(item["content"]) }]
    }
  })
)

const anthropicTurn = turn(
  eachOf("messages", (message) => {
    if (message["role"] !== "assistant") return [message]
    const blocks = isList(message["content"]) ? message["content"].filter((block) => isObject(block)) : []
    return [
      {
        role: "assistant",
        text: textOf(message["content"]).trim(),
        calls: blocks.filter((block) => block["type"] === "tool_use").map((block) => pick(block, "id", "name", "input"))
      }
    ]
  })
)

const geminiTurn = turn(
  eachOf("contents", (content) => {
    if (content["role"] !== "model") return [content]
    const parts = isList(content["parts"]) ? content["parts"].filter((part) => isObject(part)) : []
    return [
      {
        role: "model",
        // Some clients write the JSON of an output with other spaces.
        text: argumentsOf(
          parts.flatMap((part) => (part["thought"] === true ? [] : [part["text"] ?? ""])).join("") || " "
        ),
        calls: parts.flatMap((part) => {
          const call = part["functionCall"]
          return isObject(call) ? [{ name: call["name"] ?? null, args: call["args"] ?? {} }] : []
        })
      }
    ]
  })
)

const bedrockTurn = turn(
  eachOf("messages", (message) => {
    if (message["role"] !== "assistant") return [message]
    const blocks = isList(message["content"]) ? message["content"].filter((block) => isObject(block)) : []
    return [
      {
        role: "assistant",
        text: textOf(blocks).trim(),
        calls: blocks.flatMap((block) =>
          isObject(block["toolUse"]) ? [pick(block["toolUse"], "toolUseId", "name", "input")] : []
        )
      }
    ]
  })
)

const general: ReadonlyArray<Difference> = [
  {
    name: "stream: false",
    why: "it is the default, which some clients state",
    apply: (body) => (body["stream"] === false ? without(body, "stream") : body)
  },
  {
    name: "usage of a stream",
    why: "without `stream_options.include_usage` a stream says nothing of tokens; Wield asks for it, not every client does",
    apply: (body) => without(body, "stream_options")
  },
  {
    name: "schema of the final output",
    why: "an agent has it as a schema of Effect, whose JSON Schema is written otherwise: name and description are compared",
    apply: (body) => (isList(body["tools"]) ? { ...body, tools: body["tools"].map(withoutSchema) } : body)
  },
  {
    name: "order of tools",
    why: "a toolset has one order for the whole run; some clients move tools about between requests, and APIs' own come last",
    apply: (body) =>
      isList(body["tools"])
        ? { ...body, tools: body["tools"].toSorted((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1)) }
        : body
  }
]

/** Under whatever key the API has it. */
const withoutSchema = (tool: Json.Json): Json.Json => {
  if (!isObject(tool) || !isOutputTool(nameOf(tool))) {
    return isObject(tool) && isList(tool["functionDeclarations"])
      ? { ...tool, functionDeclarations: tool["functionDeclarations"].map(withoutSchema) }
      : tool
  }
  const described = isObject(tool["function"]) ? { function: withoutSchema(tool["function"]) } : {}
  return {
    ...without(
      tool,
      "strict",
      "parameters",
      "parametersJsonSchema",
      "parameters_json_schema",
      "input_schema",
      "toolSpec"
    ),
    ...described
  }
}

const nameOf = (tool: Json.Json): string => {
  if (!isObject(tool)) return ""
  const described = isObject(tool["function"]) ? tool["function"] : tool
  return String(described["name"] ?? described["type"])
}

/** Chat APIs take several messages of instructions; an agent has one text. */
const instructionsAsOne: Difference = {
  name: "instructions as one text",
  why: "an agent has one text for its instructions, which some clients cut into messages",
  apply: (body) => {
    const messages = isList(body["messages"]) ? body["messages"] : []
    const first = messages.findIndex((message) => !isObject(message) || message["role"] !== "system")
    const texts = messages.slice(0, first).map((message) => (isObject(message) ? textOf(message["content"]) : ""))
    return first < 2
      ? body
      : { ...body, messages: [{ role: "system", content: texts.join("\n\n") }, ...messages.slice(first)] }
  }
}

const anthropicEmpty: Difference = {
  name: "results that only refer",
  why: "references to tools and to files that lie with Anthropic have no words: the tool of the recording returns an empty text",
  apply: eachOf("messages", (message) => [
    eachOf("content", (block) =>
      block["type"] === "tool_result"
        ? [eachOf("content", (part) => (part["type"] === "text" && part["text"] === "" ? [] : [part]))(block)]
        : [block]
    )(message)
  ])
}

/** Beside the schema; `ToolDefinition.make` takes them as settings, a toolset of JSON Schemas has none. */
const toolKeys = (...keys: ReadonlyArray<string>): Difference => ({
  name: "keys of tools that one client or API has",
  why: "a toolset made of JSON Schemas cannot state them",
  apply: eachOf("tools", (tool) => {
    const described = tool["function"]
    return [without(isObject(described) ? { ...tool, function: without(described, ...keys) } : tool, ...keys)]
  })
})

const geminiIds: Difference = {
  name: "ids that the client made up",
  why: "where Gemini gives a call no id, Wield sends none back; the recorded client does",
  apply: eachOf("contents", (content) => [
    eachOf("parts", (part) => {
      const response = part["functionResponse"]
      return [
        isObject(response) && String(response["id"]).startsWith("pyd_ai_")
          ? { ...part, functionResponse: without(response, "id") }
          : part
      ]
    })(content)
  ])
}

export const differencesOf = (wire: string): ReadonlyArray<Difference> => [...general, ...(own.get(wire) ?? [])]

const own: ReadonlyMap<string, ReadonlyArray<Difference>> = new Map([
  ["openai-chat", [chatTurn, instructionsAsOne, toolKeys("requires_confirmation", "external_execution")]],
  ["mistral-chat", [chatTurn]],
  ["cohere-v2", [chatTurn]],
  ["ollama-chat", [chatTurn]],
  ["openai-responses", [responsesTurn]],
  ["anthropic-messages", [anthropicTurn, anthropicEmpty, toolKeys("eager_input_streaming")]],
  ["gemini-generatecontent", [geminiTurn, geminiIds]],
  ["bedrock-converse", [bedrockTurn]]
])

/** What is no change of a body, with its reason. */
export const reasons: ReadonlyMap<string, string> = new Map([
  ["ids of calls", "where an API gives a call no id, or uses one again, whoever reads the response makes one"],
  [
    "words of a mistake",
    "both refuse the call (its arguments do not fit, or there is no such tool), each in its own words"
  ],
  [
    "tools offered within the conversation",
    "the client had offered the tool in an item of the history, which has no words; what is not offered does not run"
  ],
  [
    "conversation held by the API",
    "the recorded request says what is new only (`previous_response_id`, `conversation`), Wield all of it; it is written out"
  ],
  [
    "files left out of results",
    "Wield tells the model that files were left out, and reports the loss; the recorded clients send them behind the results, as the user's"
  ],
  [
    "media of results",
    "where results hold text only, each client has its own words around the media that follow; from there on histories are compared in words, and the media by their data"
  ]
])
