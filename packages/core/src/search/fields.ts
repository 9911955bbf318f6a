/** What of a tool is searched, and how much each part counts. */
import { isObject } from "../Json.js"
import type { SearchedTool } from "../ToolSearch.js"
import type { Stems } from "./words.js"

/** Measured by `pnpm corpus tools` on 5,715 tools. */
const weights = {
  name: 2,
  namespace: 1.5,
  description: 2,
  parameterNames: 0.5,
  parameterDescriptions: 0.3,
  values: 0.3,
  about: 0.3,
  details: 0.5,
  requests: 0.6
}

type Field = keyof typeof weights

/** Characters that are read of one field: definitions may come from strangers. */
const longestField = 8_192

/** Places of an input schema that are looked at, and how deep. */
const mostPlaces = 1_000
const deepest = 16

/** A tool as its stems: how often each stands in it, and how many there are, each counted by the weight of its field. */
export interface Document {
  readonly counts: ReadonlyMap<string, number>
  readonly length: number
}

export const documentOf = (tool: SearchedTool, stems: Stems): Document => {
  const { names, descriptions, values } = schemaWords(tool.inputSchema)
  const texts: { readonly [Name in Field]: string } = {
    name: textOf(tool.name),
    namespace: textOf(tool.namespace),
    description: `${textOf(tool.facts?.title)}\n${textOf(tool.description)}`,
    parameterNames: names,
    parameterDescriptions: descriptions,
    values,
    about: textOf(tool.about),
    details: textOf(tool.details),
    requests: (tool.requests ?? []).slice(0, 100).map(textOf).join("\n")
  }
  const counts = new Map<string, number>()
  let length = 0
  for (const field of fields) {
    for (const stem of stems.of(texts[field], longestField)) {
      counts.set(stem, (counts.get(stem) ?? 0) + weights[field])
      length += weights[field]
    }
  }
  return { counts, length }
}

// The keys of an object of this module, which has no others.
const fields = Object.keys(weights) as ReadonlyArray<Field>

/** From plain JavaScript or a stranger's server it may be anything. */
const textOf = (text: unknown): string => (typeof text === "string" ? text.slice(0, longestField) : "")

/** What stands under these keywords are schemas by name. */
const named = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"])

/** What a model reads of parameters: names, descriptions and values to choose from, those of inner objects too. */
const schemaWords = (schema: unknown) => {
  const names: Array<string> = []
  const descriptions: Array<string> = []
  const values: Array<string> = []
  let left = mostPlaces
  const read = (value: unknown, depth: number): void => {
    if (depth > deepest || left-- <= 0) return
    if (Array.isArray(value)) {
      for (const item of value.slice(0, left)) read(item, depth + 1)
      return
    }
    if (!isObject(value)) return
    descriptions.push(textOf(value["description"]), textOf(value["title"]))
    const { const: only, enum: all } = value
    for (const one of [only, ...(Array.isArray(all) ? all.slice(0, 200) : [])]) values.push(textOf(one))
    for (const keyword in value) {
      if (left <= 0) return
      const inner = value[keyword]
      if (named.has(keyword) && isObject(inner)) {
        for (const name in inner) {
          if (left <= 0) return
          if (keyword === "properties") names.push(textOf(name))
          read(inner[name], depth + 1)
        }
      } else if (inSchemas.has(keyword)) read(inner, depth + 1)
    }
  }
  read(schema, 0)
  return { names: join(names), descriptions: join(descriptions), values: join(values) }
}

/** What stands under these keywords is a schema or several. Values, such as `default`, are not read. */
const inSchemas = new Set(
  "items prefixItems additionalProperties allOf anyOf oneOf not if then else contains".split(" ")
)

const join = (texts: ReadonlyArray<string>): string => texts.filter((text) => text !== "").join("\n")
