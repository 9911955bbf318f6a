/**
 * Tuples in both spellings: `items` as an array (up to draft 2019-09, as
 * Effect writes them) and `prefixItems` (2020-12).
 */
import type { Fields } from "../internal/wireField.js"
import { Json } from "@wield/core"

export interface Tuple {
  readonly keyword: "items" | "prefixItems"
  /** What the items may be: those at fixed places, then the rest. */
  readonly items: ReadonlyArray<unknown>
  readonly minItems: number
  /** `undefined` where the rest may go on. */
  readonly maxItems: number | undefined
}

/** The tuple that an array schema describes, if it does. */
export const tupleItems = (schema: Fields): Tuple | undefined => {
  const { items, prefixItems } = schema
  const places = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined
  if (places === undefined) return undefined
  const rest = Array.isArray(prefixItems) ? items : schema["additionalItems"]
  const minItems = typeof schema["minItems"] === "number" ? schema["minItems"] : places.length
  return {
    keyword: Array.isArray(prefixItems) ? "prefixItems" : "items",
    items: Json.isObject(rest) ? [...places, rest] : places,
    minItems: Math.min(minItems, places.length),
    maxItems: Json.isObject(rest) ? undefined : places.length
  }
}
