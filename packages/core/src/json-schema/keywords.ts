/**
 * Where a schema has further schemas in it. What stands elsewhere (in `enum`,
 * `const`, `default`, `examples`, an unknown keyword) is data, whatever it
 * looks like.
 */
import { isObject, type JsonSchema } from "../Json.js"

export type Path = ReadonlyArray<string | number>

export const keywordsIn = (text: string): ReadonlySet<string> => new Set(text.split(" "))

export const holdsOne = keywordsIn(
  "additionalItems additionalProperties contains contentSchema else if items not propertyNames then " +
    "unevaluatedItems unevaluatedProperties"
)

/** `items` is a list up to draft 2019-09, and one schema otherwise. */
export const holdsList = keywordsIn("allOf anyOf items oneOf prefixItems")

/** `dependencies` has schemas or lists of names. */
export const holdsNamed = keywordsIn("$defs definitions dependencies dependentSchemas patternProperties properties")

/** Their values are values, whatever they look like. */
export const isData = keywordsIn("const default enum example examples")

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

/**
 * What a keyword states, with each schema that stands directly in it changed;
 * the same where nothing changes. `otherwise` is for a keyword that holds none.
 */
export const mapSubschemas = (
  keyword: string,
  stated: unknown,
  change: (subschema: unknown, ...key: ReadonlyArray<string | number>) => unknown,
  otherwise: () => unknown
): unknown => {
  if (Array.isArray(stated)) return holdsList.has(keyword) ? mapItems(stated, change) : stated
  if (isObject(stated) && holdsNamed.has(keyword)) {
    return mapFields(stated, (item, key) => (Array.isArray(item) ? item : change(item, key)))
  }
  return holdsOne.has(keyword) ? change(stated) : otherwise()
}

/** The same list where no item changes. */
export const mapItems = (list: ReadonlyArray<unknown>, change: (item: unknown, index: number) => unknown) => {
  const changed = list.map((item, index) => change(item, index))
  return changed.every((item, index) => item === list[index]) ? list : changed
}

/** The same object where no field changes. */
export const mapFields = (fields: JsonSchema, change: (item: unknown, key: string) => unknown): JsonSchema => {
  const entries = Object.entries(fields)
  const changed = entries.map(([key, item]): [string, unknown] => [key, change(item, key)])
  return changed.every(([, item], index) => item === entries[index]?.[1]) ? fields : Object.fromEntries(changed)
}
