/** Cohere's Chat API: `tools`, `tool_choice` and `strict_tools`. */
import type { Json, Loss, ToolDefinition } from "@wield/core"
import type { EncodedTools, ToolsOptions } from "../WireFormat.js"
import { formatName, nameRule } from "./format.js"
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
  const choice = toolChoice(options, losses)
  return {
    tools,
    ...(choice === undefined ? {} : { tool_choice: choice }),
    ...(options.isStrict === true ? { strict_tools: true } : {})
  }
}

/** The API knows two words, and `AUTO` by saying neither. */
const toolChoice = ({ choice, isParallel }: ToolsOptions, losses: Array<Loss.Loss>): string | undefined => {
  const lose = (keyword: string, reason: string): void =>
    void losses.push({ subject: "tool_choice", path: [], keyword, reason })
  if (isParallel === false) {
    lose("isParallel", "Cohere's API has no switch for parallel calls: a turn may still have several.")
  }
  switch (choice?._tag) {
    case undefined:
    case "Auto":
      return undefined
    case "None":
      return "NONE"
    case "Required":
      return "REQUIRED"
    case "OneOf":
      lose(
        "OneOf",
        choice.names.length === 0
          ? "A choice among no tools is sent as no choice of any."
          : `Cohere's API cannot name tools: the model must call one, but may call one that is not among ${choice.names.join(", ")}.`
      )
      return choice.names.length === 0 ? "NONE" : "REQUIRED"
  }
}
