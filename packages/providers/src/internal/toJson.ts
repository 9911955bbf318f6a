/**
 * A definition's schema or settings as JSON: a copy without what JSON cannot
 * say. Definitions come from outside and are typed `unknown` inside. The value
 * has to be bounded (`jsonExtent.ts`), since nothing of it is cut.
 */
import type { Json } from "@wield/core"

/** The value as `JSON.parse(JSON.stringify(value))` would give it, but total: what JSON cannot say becomes `null`. */
export const toJson = (value: unknown): Json.Json => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value
    case "number":
      return Number.isFinite(value) ? value : null
    case "object": {
      if (value === null) return null
      return Array.isArray(value) ? value.map(toJson) : toJsonObject(value)
    }
    default:
      return null
  }
}

/** The own enumerable fields of an object; those that are undefined or functions are left out, as JSON does. */
export const toJsonObject = (value: object): Json.JsonObject => {
  const entries: Array<[string, Json.Json]> = []
  for (const [key, field] of Object.entries(value)) {
    if (field !== undefined && typeof field !== "function") entries.push([key, toJson(field)])
  }
  // Not by assignment: `__proto__` may be the name of a parameter.
  return Object.fromEntries(entries)
}
