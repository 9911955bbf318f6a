/** The Responses API: its name and address. */
import * as Json from "@wield/core/Json"
import * as ToolDefinition from "@wield/core/ToolDefinition"
import { addCacheKey, isOpenAi } from "../internal/cache.js"
import { type FormatTable } from "../internal/format.js"
import { errors } from "../openai-shared/errors.js"
import { nameRule } from "../openai-shared/tools.js"
import type { Endpoint } from "../internal/contract.js"
import { openAi } from "../openai-chat/format.js"
import { failIn } from "../internal/wireField.js"

/** The name of the wire format, in turns and errors. */
export const formatName = "openai-responses"

const endpoint: Endpoint = {
  ...openAi,
  path: () => "/responses",
  body: (model, isStreaming) => (isStreaming ? { model, stream: true } : { model })
}

export const table: FormatTable = {
  name: formatName,
  title: "OpenAI Responses",
  api: "This API",
  historyKey: "input",
  endpoint,
  nameRule,
  search: {
    tool: ({ description, inputSchema, name }) =>
      ToolDefinition.make({
        name,
        provider: {
          id: "openai.tool_search",
          name: "tool_search",
          settings: {
            execution: "client",
            ...(description === undefined ? {} : { description }),
            parameters: Json.fromObject(inputSchema)
          }
        }
      }),
    hosted: ToolDefinition.make({
      name: "tool_search",
      provider: { id: "openai.tool_search", name: "tool_search", settings: {} }
    }),
    isKnown: ({ host = "api.openai.com", model = "" }) => {
      const [, major, minor = "0"] = /^gpt-(\d+)(?:\.(\d+))?/.exec(model) ?? []
      return isOpenAi(host) && (Number(major) > 5 || (major === "5" && Number(minor) >= 4))
    }
  },
  // Why a response is incomplete; whether one is complete, its status says.
  finish: { completed: "stop", max_output_tokens: "length", content_filter: "filter" },
  usage: {
    input: ["input_tokens"],
    output: ["output_tokens"],
    reasoning: ["output_tokens_details.reasoning_tokens"],
    cacheRead: ["input_tokens_details.cached_tokens"],
    cacheWrite: ["input_tokens_details.cache_write_tokens"],
    total: ["total_tokens"]
  },
  choice: {
    key: "tool_choice",
    auto: "auto",
    none: "none",
    required: "required",
    one: (name) => ({ type: "function", name }),
    several: (tools) => ({ type: "allowed_tools", mode: "required", tools }),
    hasParallel: true
  },
  results: { images: "carried", files: "carried", hasErrorFlag: false },
  takesEmptyTurn: true,
  markCached: addCacheKey,
  errors
}

export const fail = failIn(formatName)
