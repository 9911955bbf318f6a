/**
 * A valid value with the defaults of its schema in place of absent properties.
 * A default that its own schema does not allow is left out: `"default": null`
 * on a string, as many tools have it, means no default.
 */
import { isObject, type JsonSchema } from "../Json.js"
import { kindOf } from "./summary.js"
import { resolveLocal } from "./pointer.js"

/** Values nested deeper get no defaults. */
const maxDepth = 100

/** The same value where nothing is absent; the given value is never changed. */
export const withDefaults = (root: JsonSchema, value: unknown): unknown => {
  const fill = (schema: unknown, value: unknown, depth: number): unknown => {
    if (!isObject(schema) || depth > maxDepth || typeof value !== "object" || value === null) return value
    let filled: unknown = value
    const target = typeof schema["$ref"] === "string" ? resolveLocal(schema["$ref"], root) : undefined
    if (target !== undefined) filled = fill(target, filled, depth + 1)
    // Not into unions: which branch holds is not known here.
    if (Array.isArray(schema["allOf"])) for (const part of schema["allOf"]) filled = fill(part, filled, depth + 1)
    return Array.isArray(filled) ? fillItems(schema, filled, depth) : fillProperties(schema, filled as object, depth)
  }

  const fillProperties = (schema: JsonSchema, value: object, depth: number): unknown => {
    const properties = schema["properties"]
    if (!isObject(properties)) return value
    const added: Array<[string, unknown]> = []
    for (const [key, property] of Object.entries(properties)) {
      if (!Object.hasOwn(value, key)) {
        if (isObject(property) && property["default"] !== undefined && isAllowed(property, root)) {
          added.push([key, structuredClone(property["default"])])
        }
        continue
      }
      const before: unknown = Reflect.get(value, key)
      const after = fill(property, before, depth + 1)
      if (after !== before) added.push([key, after])
    }
    return added.length === 0 ? value : Object.fromEntries([...Object.entries(value), ...added])
  }

  const fillItems = (schema: JsonSchema, value: ReadonlyArray<unknown>, depth: number): unknown => {
    const { items, prefixItems } = schema
    const places = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : []
    const rest = Array.isArray(items) ? schema["additionalItems"] : items
    const filled = value.map((item, index) => fill(index < places.length ? places[index] : rest, item, depth + 1))
    return filled.some((item, index) => item !== value[index]) ? filled : value
  }

  return fill(root, value, 0)
}

const isAllowed = (property: JsonSchema, root: JsonSchema): boolean => {
  const value = property["default"]
  const target = typeof property["$ref"] === "string" ? resolveLocal(property["$ref"], root) : undefined
  return [property, target].every((schema) => {
    if (schema === undefined) return true
    const { enum: values, type } = schema
    const types: ReadonlyArray<unknown> = Array.isArray(type) ? type : [type]
    const kind = kindOf(value)
    const isOfType =
      type === undefined || types.includes(kind) || (Number.isInteger(value) && types.includes("integer"))
    return isOfType && (!Array.isArray(values) || typeof value === "object" || values.includes(value))
  })
}

/** Whether a default stands anywhere in the schema. */
export const hasDefaults = (seen: ReadonlySet<string>): boolean => seen.has("default")
