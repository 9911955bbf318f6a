/** One set of arguments out of the many that a ground truth accepts. */
import { Json } from "@wield/core"
import type { BfclCall } from "./cases.js"

/**
 * The first acceptable value of each parameter that its schema allows; a
 * parameter that may be left out and has none is left out.
 */
export const argumentsOf = (
  call: BfclCall,
  schema: Json.JsonSchema,
  isValid: (schema: Json.JsonSchema, value: unknown) => boolean
): Json.JsonSchema => {
  const properties = Json.isObject(schema["properties"]) ? schema["properties"] : {}
  const choose = (property: unknown, values: ReadonlyArray<unknown>): unknown => {
    const candidates = values.filter((value) => value !== "").map((value) => realised(property, value, choose))
    // An empty string may also be meant as one.
    if (values.includes("") && candidates.length === 0) return undefined
    const fitting = candidates.find((value) => !Json.isObject(property) || isValid(property, value))
    return fitting !== undefined || values.includes("") ? fitting : candidates[0]
  }
  return Object.fromEntries(
    Object.entries(call.acceptable).flatMap(([name, values]) => {
      const value = choose(Object.hasOwn(properties, name) ? properties[name] : undefined, values)
      return value === undefined ? [] : [[name, value]]
    })
  )
}

/** Inside of objects too, each value stands in a list of those that are right. */
const realised = (
  schema: unknown,
  value: unknown,
  choose: (schema: unknown, values: ReadonlyArray<unknown>) => unknown
): unknown => {
  if (Array.isArray(value)) {
    const items = Json.isObject(schema) ? schema["items"] : undefined
    return value.map((item: unknown) => (Json.isObject(item) ? realised(items, item, choose) : item))
  }
  if (!Json.isObject(value)) return value
  const properties = Json.isObject(schema) && Json.isObject(schema["properties"]) ? schema["properties"] : {}
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, values]) => {
      const chosen = Array.isArray(values)
        ? choose(Object.hasOwn(properties, key) ? properties[key] : undefined, values)
        : values
      return chosen === undefined ? [] : [[key, chosen]]
    })
  )
}
