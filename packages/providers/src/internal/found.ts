/**
 * What a search of the application's own has found, as its results say it. An API that takes definitions from the result
 * of a search reads them there; what it was sent before stays as it is.
 */
import type { Message, ToolResult } from "@wield/core"
import * as ToolDefinition from "@wield/core/ToolDefinition"
import { isList, isObject, objectField, stringField } from "./wireField.js"

const read = new WeakMap<ToolResult.ToolResult, ReadonlyArray<ToolDefinition.ToolDefinition>>()

/** The definitions in the result of a search: `{ tools: [{ name, description, parameters }] }`. */
export const definitionsIn = (result: ToolResult.ToolResult): ReadonlyArray<ToolDefinition.ToolDefinition> => {
  const known = read.get(result)
  if (known !== undefined) return known
  const tools = !result.isError && isObject(result.structured) ? result.structured["tools"] : undefined
  const found = isList(tools) ? tools.flatMap(definitionOf) : []
  read.set(result, found)
  return found
}

/** None for a tool in an API's own JSON, which has a type. */
const definitionOf = (tool: unknown): ReadonlyArray<ToolDefinition.ToolDefinition> => {
  const name = stringField(tool, "name")
  if (!isObject(tool) || name === undefined || tool["type"] !== undefined) return []
  return [
    ToolDefinition.make({
      name,
      description: stringField(tool, "description"),
      inputSchema: objectField(tool, "parameters")
    })
  ]
}

/** The definition with what the application states for one API: a result, which models read, does not have it. */
export const withSettings = (
  definition: ToolDefinition.ToolDefinition,
  providerSettings: ToolDefinition.ProviderSettings | undefined
): ToolDefinition.ToolDefinition => (providerSettings === undefined ? definition : { ...definition, providerSettings })

/** All that this tool has found and the request does not show anyway: in the order of finding, as each was found last. */
export const collectFound = (
  search: string,
  messages: ReadonlyArray<Message.Message>,
  shown: ReadonlyArray<ToolDefinition.ToolDefinition>,
  findable: ReadonlyArray<ToolDefinition.ToolDefinition> = []
): ReadonlyArray<ToolDefinition.ToolDefinition> => {
  const names = new Set(shown.map(({ name }) => name))
  const found = new Map<string, ToolDefinition.ToolDefinition>()
  for (const message of messages) {
    if (message._tag !== "Results") continue
    for (const result of message.results) {
      if (result.name !== search) continue
      for (const definition of definitionsIn(result))
        if (!names.has(definition.name)) found.set(definition.name, definition)
    }
  }
  const settings = new Map(findable.map(({ name, providerSettings }) => [name, providerSettings]))
  return [...found.values()].map((definition) => withSettings(definition, settings.get(definition.name)))
}
