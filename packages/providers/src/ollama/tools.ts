/** Ollama's chat API: `tools`. It has no options for them. */
import type { Loss } from "@wield/core"
import type { WireFormat } from "../internal/contract.js"
import { encodeChoice } from "../internal/format.js"
import { lossOf } from "../internal/losses.js"
import { functionEntry, toolEncoder, typedTool } from "../internal/tools.js"
import { type Fields, objectField, isObject } from "../internal/wireField.js"
import { formatName, table } from "./format.js"

const encodeFunction = functionEntry(formatName, undefined)

const encode = toolEncoder({
  ...table,
  functionTool: (definition, nativeName, isStrict, losses) => {
    const tool = encodeFunction(definition, nativeName, isStrict, losses)
    const parameters = objectField(objectField(tool, "function"), "parameters")
    if (parameters !== undefined) losses.push(...unreadKeywords(definition.name, parameters))
    return tool
  },
  providerTool: typedTool(formatName)
})

export const encodeTools: WireFormat["encodeTools"] = (definitions, options = {}) => {
  const { losses, toNative, tools } = encode(definitions, options)
  if (tools.length === 0) return { body: {}, losses }
  const { choice } = options
  // A model that sees no tools cannot call them, and a history with calls is taken all the same.
  const isNone = choice?._tag === "None" || (choice?._tag === "OneOf" && choice.names.length === 0)
  encodeChoice(table, isNone ? { ...options, choice: undefined } : options, toNative, losses)
  if (options.isStrict === true) {
    const reason = "Ollama does not hold a model to the schemas of its tools."
    losses.push(lossOf(table.choice.key, [], "isStrict", reason))
  }
  return { body: isNone ? {} : { tools }, losses }
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
    if (!isObject(at) || path.length > 100) return
    for (const keyword of Object.keys(at)) {
      if (known.has(keyword) || ignorable.has(keyword)) continue
      const reason = `Ollama does not show ${keyword} to the model; the full schema still checks it.`
      losses.push(lossOf(subject, [...path, keyword], keyword, reason))
    }
    const { properties, items, anyOf } = at
    if (isObject(properties)) {
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
