/**
 * Ollama's chat API: definitions as the `tools` of a request. It has no options
 * for them.
 */
import type { Json, Loss, ToolDefinition } from "@wield/core"
import { definitionCache } from "../internal/definitionCache.js"
import { encodeFunctionEntries, functionEntry } from "../internal/functionEntry.js"
import { objectField } from "../internal/wireField.js"
import type { EncodedTools, ToolsOptions } from "../WireFormat.js"
import { formatName, nameRule } from "./names.js"
import { unreadKeywords } from "./unreadKeywords.js"

export const encodeTools = (
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>,
  options: ToolsOptions = {}
): EncodedTools => {
  const losses: Array<Loss.Loss> = []
  const tools = encodeFunctionEntries(definitions, nameRule, toolEntry, losses)
  return { body: toolsBody(tools, options, losses), losses }
}

const encodeOne = functionEntry("Ollama", formatName)

/** The entry of `tools` for one definition. */
const toolEntry = definitionCache((definition: ToolDefinition.ToolDefinition, nativeName: string) => {
  const { tool, losses } = encodeOne(definition, nativeName)
  if (definition.native?.format === formatName) return { tool, losses }
  const parameters = objectField(objectField(tool ?? {}, "function") ?? {}, "parameters")
  return {
    tool,
    losses: parameters === undefined ? losses : [...losses, ...unreadKeywords(definition.name, parameters)]
  }
})

const toolsBody = (
  tools: ReadonlyArray<Json.Json>,
  options: ToolsOptions,
  losses: Array<Loss.Loss>
): Json.JsonObject => {
  if (tools.length === 0) return {}
  const { choice } = options
  const lose = (keyword: string, reason: string): void =>
    void losses.push({ subject: "tools", path: [], keyword, reason })
  // A model that is not told of tools cannot call them, and a history with calls is taken all the same.
  const isNone = choice?._tag === "None" || (choice?._tag === "OneOf" && choice.names.length === 0)
  if (!isNone && choice !== undefined && choice._tag !== "Auto") {
    lose(choice._tag, "Ollama cannot demand a call: the model may answer without one.")
  }
  if (options.isParallel === false)
    lose("isParallel", "Ollama has no switch for parallel calls: a turn may have several.")
  if (options.isStrict === true) lose("isStrict", "Ollama does not hold a model to the schemas of its tools.")
  return isNone ? {} : { tools }
}
