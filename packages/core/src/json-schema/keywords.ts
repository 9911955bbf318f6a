/**
 * Where a schema has further schemas in it. What stands elsewhere (in `enum`,
 * `const`, `default`, `examples`, an unknown keyword) is data, whatever it
 * looks like.
 */
import { isObject } from "../Json.js"

export type Path = ReadonlyArray<string | number>

export const holdsOne: ReadonlySet<string> = new Set([
  "additionalItems",
  "additionalProperties",
  "contains",
  "contentSchema",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties"
])

/** `items` is a list up to draft 2019-09, and one schema otherwise. */
export const holdsList: ReadonlySet<string> = new Set(["allOf", "anyOf", "items", "oneOf", "prefixItems"])

/** `dependencies` has schemas or lists of names. */
export const holdsNamed: ReadonlySet<string> = new Set([
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
  "patternProperties",
  "properties"
])

/** Their values are values, whatever they look like. */
export const isData: ReadonlySet<string> = new Set(["const", "default", "enum", "example", "examples"])

/** Calls back with each schema that stands directly in this one. */
export const eachSubschema = (
  schema: { readonly [keyword: string]: unknown },
  visit: (subschema: unknown, keyword: string, key: string | number | undefined) => void
): void => {
  for (const [keyword, value] of Object.entries(schema)) {
    if (Array.isArray(value)) {
      if (holdsList.has(keyword)) for (let index = 0; index < value.length; index++) visit(value[index], keyword, index)
    } else if (holdsNamed.has(keyword)) {
      if (!isObject(value)) continue
      for (const [key, named] of Object.entries(value)) if (!Array.isArray(named)) visit(named, keyword, key)
    } else if (holdsOne.has(keyword)) visit(value, keyword, undefined)
  }
}
