/** Cohere's Chat API: `tools`, `tool_choice` and `strict_tools`. */
import type { Json, Loss, ToolDefinition } from "@wield/core"
import type { EncodedTools, ToolsOptions } from "../WireFormat.js"
import { formatName, nameRule, table } from "./format.js"
import { encodeChoice } from "../internal/format.js"
import { cohereStrict } from "../dialect/cohereStrict.js"
import { definitionCache, encodeFunctionEntries, functionEntry } from "../internal/tools.js"

export const encodeTools = (
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>,
  options: ToolsOptions = {}
): EncodedTools => {
  const losses: Array<Loss.Loss> = []
  const tools = encodeFunctionEntries(definitions, nameRule, options.isStrict === true ? strict : plain, losses)
  return { body: toolsBody(tools, options, losses), losses }
}

const api = "Cohere's API"
const plain = definitionCache(functionEntry(api, formatName))
const strict = definitionCache(functionEntry(api, formatName, cohereStrict))

const toolsBody = (
  tools: ReadonlyArray<Json.Json>,
  options: ToolsOptions,
  losses: Array<Loss.Loss>
): Json.JsonObject => {
  if (tools.length === 0) return {}
  const choice = encodeChoice(table, options, (name) => name, losses)
  return {
    tools,
    ...(choice === undefined ? {} : { tool_choice: choice }),
    ...(options.isStrict === true ? { strict_tools: true } : {})
  }
}
