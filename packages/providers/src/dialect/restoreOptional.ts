/**
 * Arguments as the full schema means them, after a strict dialect made every
 * property required: `null` stands for an absent optional parameter and is
 * taken away again.
 */
import { Json } from "@wield/core"
import { resolvePointer } from "../internal/objectRoot.js"
import type { Fields } from "../internal/wireField.js"
import { acceptsNull } from "./acceptsNull.js"
import { foldAllOf } from "./allOf.js"

/** Values nested deeper are left as they are; the validator says what is wrong with them. */
const maxDepth = 200

/**
 * The value without the nulls of absent optional parameters; the same value if
 * there are none. A null that the full schema accepts is kept: there the model
 * may have meant it.
 */
export const restoreOptional = (document: Fields, value: unknown): unknown => {
  const restore = (schema: unknown, value: unknown, depth: number): unknown => {
    if (depth > maxDepth || typeof value !== "object" || value === null || !Json.isObject(schema)) return value
    const plain = resolve(schema, value, depth)
    if (plain === undefined) return value
    if (Array.isArray(value)) return restoreItems(plain, value, depth)
    return restoreObject(plain, value, depth)
  }

  const restoreItems = (schema: Fields, value: ReadonlyArray<unknown>, depth: number): unknown => {
    const { items, prefixItems } = schema
    const places = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : []
    const rest = Array.isArray(items) ? schema["additionalItems"] : items
    const restored = value.map((item, index) => restore(index < places.length ? places[index] : rest, item, depth + 1))
    return restored.some((item, index) => item !== value[index]) ? restored : value
  }

  const restoreObject = (schema: Fields, value: object, depth: number): unknown => {
    const properties = Json.isObject(schema["properties"]) ? schema["properties"] : {}
    const required = Array.isArray(schema["required"]) ? schema["required"] : []
    const isOpen = schema["additionalProperties"] === true || Json.isObject(schema["additionalProperties"])
    let isChanged = false
    const entries: Array<[string, unknown]> = []
    for (const [key, field] of Object.entries(value)) {
      const property = Object.hasOwn(properties, key) ? properties[key] : undefined
      if (
        field === null &&
        !required.includes(key) &&
        (property === undefined ? !isOpen : !acceptsNull(property, document))
      ) {
        isChanged = true
        continue
      }
      const restored = restore(property ?? schema["additionalProperties"], field, depth + 1)
      if (restored !== field) isChanged = true
      entries.push([key, restored])
    }
    return isChanged ? Object.fromEntries(entries) : value
  }

  /** The schema that describes this value: references followed, a union decided. */
  const resolve = (schema: Fields, value: object, depth: number): Fields | undefined => {
    if (depth > maxDepth) return undefined
    const reference = schema["$ref"]
    if (typeof reference === "string") {
      const target = resolvePointer(reference, document)
      return target === undefined ? undefined : resolve(target, value, depth + 1)
    }
    const folded = foldAllOf(schema, document).schema
    if (folded !== schema && typeof folded["$ref"] === "string") return resolve(folded, value, depth + 1)
    const branches = Array.isArray(folded["anyOf"]) ? folded["anyOf"] : folded["oneOf"]
    if (!Array.isArray(branches) || Json.isObject(folded["properties"])) return folded
    for (const branch of branches) {
      if (!Json.isObject(branch)) continue
      const plain = resolve(branch, value, depth + 1)
      if (plain !== undefined && fits(plain, value, document)) return plain
    }
    return undefined
  }

  return restore(document, value, 0)
}

/** Whether a branch of a union is the one that a value was made by: the same kind, no unknown key, each constant equal. */
const fits = (schema: Fields, value: object, document: Fields): boolean => {
  const { type } = schema
  const kind = Array.isArray(value) ? "array" : "object"
  if (type !== undefined && type !== kind && !(Array.isArray(type) && type.includes(kind))) return false
  if (Array.isArray(value)) return true
  const properties = Json.isObject(schema["properties"]) ? schema["properties"] : {}
  const required: ReadonlyArray<unknown> = Array.isArray(schema["required"]) ? schema["required"] : []
  const isOpen = schema["additionalProperties"] === true || Json.isObject(schema["additionalProperties"])
  for (const key of required) if (typeof key === "string" && !Object.hasOwn(value, key)) return false
  for (const [key, field] of Object.entries(value)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined
    // A null may stand for an absent key, also for a key of another branch.
    if (field === null && !required.includes(key)) continue
    if (property === undefined ? !isOpen : !agrees(property, field, document)) return false
  }
  return true
}

const agrees = (schema: unknown, value: unknown, document: Fields): boolean => {
  if (!Json.isObject(schema)) return schema !== false
  if (value === null) return acceptsNull(schema, document)
  if ("const" in schema && schema["const"] !== value && typeof schema["const"] !== "object") return false
  if (Array.isArray(schema["enum"]) && typeof value !== "object" && !schema["enum"].includes(value)) return false
  const { type } = schema
  if (type === undefined) return true
  const kinds = Array.isArray(type) ? type : [type]
  const kind = Array.isArray(value) ? "array" : typeof value
  return kinds.includes(kind) || (kind === "number" && kinds.includes("integer"))
}
