/** Ollama's chat API: `tools`. It has no options for them. */
import type { Loss, ToolDefinition } from "@wield/core"
import { Json } from "@wield/core"
import type { EncodedTools, ToolsOptions } from "../WireFormat.js"
import { definitionCache, encodeFunctionEntries, functionEntry } from "../internal/tools.js"
import type { Fields } from "../internal/wireField.js"
import { objectField } from "../internal/wireField.js"
import { formatName, nameRule, table } from "./format.js"
import { encodeChoice } from "../internal/format.js"

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
  // A model that is not told of tools cannot call them, and a history with calls is taken all the same.
  const isNone = choice?._tag === "None" || (choice?._tag === "OneOf" && choice.names.length === 0)
  encodeChoice(table, isNone ? { ...options, choice: undefined } : options, (name) => name, losses)
  if (options.isStrict === true) {
    losses.push({
      subject: table.choice.key,
      path: [],
      keyword: "isStrict",
      reason: "Ollama does not hold a model to the schemas of its tools."
    })
  }
  return isNone ? {} : { tools }
}

/** Of the schema as a whole. */
const rootKeywords: ReadonlySet<string> = new Set("type $defs items required properties".split(" "))

/** Of one property. */
const propertyKeywords: ReadonlySet<string> = new Set(
  "anyOf type items description enum properties required".split(" ")
)

/** They say nothing about which values are valid. */
const ignorable: ReadonlySet<string> = new Set("$schema $id title default examples additionalProperties".split(" "))

const unreadKeywords = (subject: string, schema: Fields): ReadonlyArray<Loss.Loss> => {
  const losses: Array<Loss.Loss> = []
  const visit = (at: unknown, path: ReadonlyArray<string | number>, known: ReadonlySet<string>): void => {
    // Deeper than any schema of a tool.
    if (!Json.isObject(at) || path.length > 100) return
    for (const keyword of Object.keys(at)) {
      if (known.has(keyword) || ignorable.has(keyword)) continue
      const reason = `Ollama does not show ${keyword} to the model; the full schema still checks it.`
      losses.push({ subject, path: [...path, keyword], keyword, reason })
    }
    const { properties, items, anyOf } = at
    if (Json.isObject(properties)) {
      for (const [name, property] of Object.entries(properties)) {
        visit(property, [...path, "properties", name], propertyKeywords)
      }
    }
    visit(items, [...path, "items"], propertyKeywords)
    if (Array.isArray(anyOf))
      for (const [index, each] of anyOf.entries()) visit(each, [...path, "anyOf", index], propertyKeywords)
  }
  visit(schema, [], rootKeywords)
  return losses
}
