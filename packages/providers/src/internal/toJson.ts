/**
 * A definition's schema or settings as JSON: a copy without what JSON cannot
 * say. Definitions come from outside and are typed `unknown` inside.
 */
import type { Json } from "@wield/core"

/** Deeper than any schema an API accepts; a cycle ends here. */
const maxDepth = 200

/** The value as `JSON.parse(JSON.stringify(value))` would give it, but total: what JSON cannot say becomes `null`. */
export const toJson = (value: unknown, depth = 0): Json.Json => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value
    case "number":
      return Number.isFinite(value) ? value : null
    case "object": {
      if (value === null || depth > maxDepth) return null
      if (Array.isArray(value)) return value.map((item) => toJson(item, depth + 1))
      return toJsonObject(value, depth)
    }
    default:
      return null
  }
}

/** The own enumerable fields of an object; those that are undefined or functions are left out, as JSON does. */
export const toJsonObject = (value: object, depth = 0): Json.JsonObject => {
  const entries: Array<[string, Json.Json]> = []
  for (const [key, field] of Object.entries(value)) {
    if (field !== undefined && typeof field !== "function") entries.push([key, toJson(field, depth + 1)])
  }
  // Not by assignment: `__proto__` may be the name of a parameter.
  return Object.fromEntries(entries)
}
