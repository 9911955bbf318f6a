/** Values as the full schema of their tool means them, where a dialect could not say it whole. */
import * as Json from "@wield/core/Json"
import { foldAllOf } from "./allOf.js"
import { acceptsNull } from "./keywords.js"
import * as JsonPointer from "@wield/core/JsonPointer"

/** Values nested deeper are left as they are; the validator says what is wrong with them. */
const maxDepth = 200

/** How a dialect said a value that it has no type for: gives the value back, or what it was given. */
export type RestoreText = (schema: Json.JsonSchema, text: string) => unknown

/**
 * The value without the nulls that a strict dialect wrote and, with `restoreText`, without the text that stands for
 * JSON; the same value where there is nothing to restore.
 */
export const restoreValue = (document: Json.JsonSchema, value: unknown, restoreText?: RestoreText): unknown => {
  const reading: Reading = { document, restoreText }
  const restore = (schema: unknown, value: unknown, depth: number): unknown => {
    if (depth > maxDepth || value === null || !Json.isObject(schema)) return value
    if (typeof value === "string") return restoreText === undefined ? value : text(schema, value, restoreText, depth)
    if (typeof value !== "object") return value
    const plain = resolve(schema, value, depth)
    if (plain === undefined) return value
    return Array.isArray(value) ? restoreItems(plain, value, depth) : restoreObject(plain, value, depth)
  }

  const text = (schema: Json.JsonSchema, value: string, convert: RestoreText, depth: number): unknown => {
    for (const branch of branchesOf(schema, depth)) {
      // A text that the full schema takes for text is one; where any value is taken, text is how it was sent.
      if (isStated(branch) && isPossible(branch, value, { document, restoreText: undefined }, depth)) return value
    }
    for (const branch of branchesOf(schema, depth)) {
      const converted = convert(branch, value)
      if (converted !== value && isPossible(branch, converted, reading, depth)) {
        // Read once: text that was in the text is text.
        return typeof converted === "string" ? converted : restore(branch, converted, depth + 1)
      }
    }
    return value
  }

  const restoreItems = (schema: Json.JsonSchema, value: ReadonlyArray<unknown>, depth: number): unknown => {
    const restored = value.map((item, index) => restore(itemSchema(schema, index), item, depth + 1))
    return restored.some((item, index) => item !== value[index]) ? restored : value
  }

  const restoreObject = (schema: Json.JsonSchema, value: object, depth: number): unknown => {
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
  const resolve = (schema: Json.JsonSchema, value: object, depth: number): Json.JsonSchema | undefined => {
    const branches = branchesOf(schema, depth)
    if (branches.length === 1) return branches[0]
    return branches.find((branch) => isPossible(branch, value, reading, depth))
  }

  /** The schemas of which one describes a value: references followed, unions opened. */
  const branchesOf = (schema: Json.JsonSchema, depth: number): ReadonlyArray<Json.JsonSchema> => {
    if (depth > maxDepth) return []
    const plain = plainOf(schema, document)
    if (plain === undefined) return []
    const union = Array.isArray(plain["anyOf"]) ? plain["anyOf"] : plain["oneOf"]
    if (!Array.isArray(union) || Json.isObject(plain["properties"])) return [plain]
    return union.flatMap((branch) => (Json.isObject(branch) ? branchesOf(branch, depth + 1) : []))
  }

  return restore(document, value, 0)
}

/** What an array's schema says of the item at this place. */
const itemSchema = ({ additionalItems, items, prefixItems }: Json.JsonSchema, index: number): unknown => {
  const places: ReadonlyArray<unknown> = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : []
  if (index < places.length) return places[index]
  return Array.isArray(items) ? additionalItems : items
}

const isStated = (schema: Json.JsonSchema): boolean => ["const", "enum", "type"].some((keyword) => keyword in schema)

/** References followed and `allOf` folded in; `undefined` for what refers to nothing. */
const plainOf = (schema: Json.JsonSchema, document: Json.JsonSchema): Json.JsonSchema | undefined => {
  let at = foldAllOf(schema, document).schema
  for (let hop = 0; typeof at["$ref"] === "string"; hop++) {
    const target = JsonPointer.schemaAt(document, at["$ref"])
    if (target === undefined || hop > 32) return undefined
    const { $ref: _, ...beside } = at
    at = foldAllOf({ ...target, ...beside }, document).schema
  }
  return at
}

/** How the values of a dialect are to be read. */
interface Reading {
  readonly document: Json.JsonSchema
  readonly restoreText: RestoreText | undefined
}

/**
 * Whether a value is of this schema's kind all the way down, with no unknown key and each constant equal. A null may
 * stand for something absent. Ranges and patterns are the validator's matter.
 */
const isPossible = (schema: unknown, value: unknown, reading: Reading, depth: number): boolean => {
  if (!Json.isObject(schema)) return schema !== false
  if (depth > maxDepth) return true
  const plain = plainOf(schema, reading.document)
  if (plain === undefined) return false
  if (value === null) return acceptsNull(plain, reading.document)
  if (typeof value === "string" && reading.restoreText !== undefined) {
    const converted = reading.restoreText(plain, value)
    const asText: Reading = { document: reading.document, restoreText: undefined }
    if (converted !== value && isPossible(plain, converted, asText, depth)) return true
  }
  if ("const" in plain && !isEqual(plain["const"], value)) return false
  const { anyOf, enum: values, oneOf, type } = plain
  if (Array.isArray(values) && !values.some((item) => isEqual(item, value))) return false
  const kind = Array.isArray(value) ? "array" : typeof value
  if (type !== undefined) {
    const kinds: ReadonlyArray<unknown> = Array.isArray(type) ? type : [type]
    if (!kinds.includes(kind) && !(Number.isInteger(value) && kinds.includes("integer"))) return false
  }
  for (const union of [anyOf, oneOf]) {
    if (Array.isArray(union) && !union.some((branch) => isPossible(branch, value, reading, depth + 1))) return false
  }
  if (Array.isArray(value)) {
    return value.every((item, index) => isPossible(itemSchema(plain, index), item, reading, depth + 1))
  }
  return !Json.isObject(value) || isPossibleObject(plain, value, reading, depth)
}

const isPossibleObject = (
  schema: Json.JsonSchema,
  value: Json.JsonSchema,
  reading: Reading,
  depth: number
): boolean => {
  const properties = Json.isObject(schema["properties"]) ? schema["properties"] : {}
  const required: ReadonlyArray<unknown> = Array.isArray(schema["required"]) ? schema["required"] : []
  const rest = schema["additionalProperties"]
  const isOpen = rest === true || Json.isObject(rest) || (rest === undefined && Object.keys(properties).length === 0)
  if (required.some((key) => typeof key === "string" && !Object.hasOwn(value, key))) return false
  return Object.entries(value).every(([key, field]) => {
    // A null may stand for an absent key, also for a key of another branch.
    if (field === null && !required.includes(key)) return true
    if (Object.hasOwn(properties, key)) return isPossible(properties[key], field, reading, depth + 1)
    return isOpen && isPossible(rest ?? {}, field, reading, depth + 1)
  })
}

const isEqual = (left: unknown, right: unknown): boolean =>
  left === right ||
  (typeof left === "object" && typeof right === "object" && JSON.stringify(left) === JSON.stringify(right))

/**
 * The value without the nulls of absent optional parameters; the same value if it has no such nulls. A null that the
 * full schema accepts stays: the model may have meant it.
 */
export const restoreOptional = (document: Json.JsonSchema, value: unknown): unknown => restoreValue(document, value)
