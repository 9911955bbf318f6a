/** What servers write as `null` for what is absent. */
import * as Json from "@wield/core/Json"

export type Fields = { readonly [key: string]: unknown }

/** Where a result stands that was no object. */
export const bareKey = "tools.wield/bare"

/** Values of the server's own choice, in which `null` says something. */
const free = new Set(["structuredContent", "_meta", "arguments", "input", "data", bareKey])

/** Values of a schema's own choice. */
const schemaValues = new Set(["const", "default", "enum", "example", "examples"])

/** Schemas by names that say nothing. */
const named = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"])

type Place = "protocol" | "schema" | "names"

const placeOf = (key: string, place: Place): Place =>
  place === "names"
    ? "schema"
    : place === "schema" && named.has(key)
      ? "names"
      : key === "inputSchema" || key === "outputSchema"
        ? "schema"
        : place

const isFree = (key: string, place: Place): boolean =>
  place === "protocol" ? free.has(key) : place === "schema" && schemaValues.has(key)

/** The same value where nothing is left out. Messages nest no deeper than they are read. */
export const withoutNulls = (value: unknown, place: Place = "protocol"): unknown => {
  if (Array.isArray(value)) {
    let out: Array<unknown> | undefined
    for (const [index, item] of value.entries()) {
      const mended = withoutNulls(item, place)
      if (mended !== item) (out ??= [...value])[index] = mended
    }
    return out ?? value
  }
  if (!Json.isObject(value)) return value
  let out: Map<string, unknown> | undefined
  for (const [key, field] of Object.entries(value)) {
    if (field === null && (key === "_meta" || !isFree(key, place))) {
      out ??= new Map(Object.entries(value))
      // Anything is taken where a property has no schema.
      if (place === "names") out.set(key, {})
      else out.delete(key)
      continue
    }
    const mended = isFree(key, place) ? field : withoutNulls(field, placeOf(key, place))
    if (mended !== field) (out ??= new Map(Object.entries(value))).set(key, mended)
  }
  // Not by assignment: `__proto__` may be a key.
  return out === undefined ? value : Object.fromEntries(out)
}
