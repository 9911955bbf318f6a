/** Values as the full schema of their tool means them, where a dialect could not say it whole. */
import * as Json from "@wield/core/Json"
import { Branches } from "./branches.js"
import { acceptsNull } from "./keywords.js"

/** Values nested deeper are left as they are; the validator says what is wrong with them. */
const maxDepth = 200

/** A value that takes more comparisons with its schema is left as it is. */
const maxSteps = 1_000_000

/** How a dialect said a value that it has no type for: gives the value back, or what it was given. */
export type RestoreText = (schema: Json.JsonSchema, text: string) => unknown

/**
 * The value without the nulls that a strict dialect wrote and, with `restoreText`, without the text that stands for
 * JSON; the same value where there is nothing to restore.
 */
export const restoreValue = (document: Json.JsonSchema, value: unknown, restoreText?: RestoreText): unknown => {
  const restoring = new Restoring(document, restoreText)
  const restored = restoring.restore(document, value, 0, false)
  return restoring.isOver ? value : restored
}

class Restoring {
  readonly #branches: Branches
  readonly #acceptsNull = new Map<object, boolean>()
  readonly #possible = new Map<Json.JsonSchema, Map<unknown, boolean>>()
  readonly #possibleAsSent = new Map<Json.JsonSchema, Map<unknown, boolean>>()
  #steps = 0

  constructor(
    private readonly document: Json.JsonSchema,
    private readonly restoreText: RestoreText | undefined
  ) {
    this.#branches = new Branches(document)
  }

  get isOver(): boolean {
    return this.#steps > maxSteps || this.#branches.isOver
  }

  /** `isInText`: the value stood in text that was read as JSON. */
  restore(schema: unknown, value: unknown, depth: number, isInText: boolean): unknown {
    if (depth > maxDepth || value === null || this.isOver) return value
    if (schema === true) return this.restore(anything, value, depth, isInText)
    if (!Json.isObject(schema)) return value
    if (typeof value === "string") return this.#text(schema, value, depth, isInText)
    if (typeof value !== "object") return value
    const branches = this.#branches.of(schema)
    const plain = branches.length === 1 ? branches[0] : this.#find(branches, value, depth)
    if (plain === undefined) return value
    if (Array.isArray(value)) return this.#items(plain, value, depth, isInText)
    const others = branches.filter((branch) => branch !== plain)
    return this.#object(plain, others, value, depth, isInText)
  }

  /** The branch that describes this value. */
  #find(branches: ReadonlyArray<Json.JsonSchema>, value: unknown, depth: number): Json.JsonSchema | undefined {
    return branches.find((branch) => this.#isPossibleIn(branch, value, true, depth))
  }

  #text(schema: Json.JsonSchema, value: string, depth: number, isInText: boolean): unknown {
    const convert = this.restoreText
    if (convert === undefined) return value
    const branches = this.#branches.of(schema)
    for (const branch of branches) {
      // A text that the full schema takes for text is one; where any value is taken, text is how it was sent.
      if (isStated(branch) && this.#isPossibleIn(branch, value, false, depth)) return value
    }
    for (const branch of branches) {
      if (isInText && !isStated(branch)) continue
      const converted = convert(branch, value)
      if (converted !== value && this.#isPossibleIn(branch, converted, true, depth)) {
        // Read once: text that was in the text is text.
        return typeof converted === "string" ? converted : this.restore(branch, converted, depth + 1, true)
      }
    }
    return value
  }

  #items(schema: Json.JsonSchema, value: ReadonlyArray<unknown>, depth: number, isInText: boolean): unknown {
    const restored = value.map((item, index) => this.restore(itemSchema(schema, index), item, depth + 1, isInText))
    return restored.some((item, index) => item !== value[index]) ? restored : value
  }

  /** `others` are the branches that the value is not of: one object may have been sent for all of them. */
  #object(
    schema: Json.JsonSchema,
    others: ReadonlyArray<Json.JsonSchema>,
    value: object,
    depth: number,
    isInText: boolean
  ): unknown {
    const properties = propertiesOf(schema)
    const required = requiredOf(schema)
    const rest = Json.isObject(schema["additionalProperties"]) ? schema["additionalProperties"] : undefined
    const isClosed = schema["additionalProperties"] === false && schema["patternProperties"] === undefined
    const isOpen = rest !== undefined || schema["additionalProperties"] === true
    const isAbsent = (key: string): boolean => {
      if (required.includes(key)) return false
      if (Object.hasOwn(properties, key)) return !this.#takesNull(properties[key])
      return isClosed || (!isOpen && others.some((other) => Object.hasOwn(propertiesOf(other), key)))
    }
    let isChanged = false
    const entries: Array<[string, unknown]> = []
    for (const [key, field] of Object.entries(value)) {
      if (field === null && isAbsent(key)) {
        isChanged = true
        continue
      }
      const restored = this.restore(Object.hasOwn(properties, key) ? properties[key] : rest, field, depth + 1, isInText)
      if (restored !== field) isChanged = true
      entries.push([key, restored])
    }
    return isChanged ? Object.fromEntries(entries) : value
  }

  #takesNull(schema: unknown): boolean {
    return acceptsNull(schema, this.document, this.#acceptsNull)
  }

  /**
   * Whether a value is of this schema's kind all the way down, with no unknown key and each constant equal. A null may
   * stand for something absent. Ranges and patterns are the validator's matter. `isText`: text may stand for a value.
   */
  #isPossible(schema: unknown, value: unknown, isText: boolean, depth: number): boolean {
    if (!Json.isObject(schema)) return schema !== false
    if (depth > maxDepth) return true
    if (value === null) return this.#takesNull(schema)
    return this.#branches.of(schema).some((branch) => this.#isPossibleIn(branch, value, isText, depth))
  }

  /** As `isPossible`, for a schema whose references are followed and whose unions are opened. */
  #isPossibleIn(plain: Json.JsonSchema, value: unknown, isText: boolean, depth: number): boolean {
    const all = isText ? this.#possible : this.#possibleAsSent
    const values = all.get(plain) ?? new Map<unknown, boolean>()
    const known = values.get(value)
    if (known !== undefined) return known
    if (this.#steps++ > maxSteps) return true
    const isPossible = this.#compare(plain, value, isText, depth)
    all.set(plain, values.set(value, isPossible))
    return isPossible
  }

  #compare(plain: Json.JsonSchema, value: unknown, isText: boolean, depth: number): boolean {
    if (typeof value === "string" && isText && this.restoreText !== undefined) {
      const converted = this.restoreText(plain, value)
      if (converted !== value && this.#isPossibleIn(plain, converted, false, depth)) return true
    }
    if (value === null) return this.#takesNull(plain)
    if ("const" in plain && !isEqual(plain["const"], value)) return false
    const { enum: values, type } = plain
    if (Array.isArray(values) && !values.some((item) => isEqual(item, value))) return false
    const kind = Array.isArray(value) ? "array" : typeof value
    if (type !== undefined) {
      const kinds: ReadonlyArray<unknown> = Array.isArray(type) ? type : [type]
      if (!kinds.includes(kind) && !(Number.isInteger(value) && kinds.includes("integer"))) return false
    }
    if (Array.isArray(value)) {
      return value.every((item, index) => this.#isPossible(itemSchema(plain, index), item, isText, depth + 1))
    }
    return !Json.isObject(value) || this.#isPossibleObject(plain, value, isText, depth)
  }

  #isPossibleObject(schema: Json.JsonSchema, value: Json.JsonSchema, isText: boolean, depth: number): boolean {
    const properties = propertiesOf(schema)
    const required = requiredOf(schema)
    const rest = schema["additionalProperties"]
    const isOpen = rest === true || Json.isObject(rest) || (rest === undefined && Object.keys(properties).length === 0)
    if (required.some((key) => typeof key === "string" && !Object.hasOwn(value, key))) return false
    return Object.entries(value).every(([key, field]) => {
      // A null may stand for an absent key, also for a key of another branch.
      if (field === null && !required.includes(key)) return true
      if (Object.hasOwn(properties, key)) return this.#isPossible(properties[key], field, isText, depth + 1)
      return isOpen && this.#isPossible(rest ?? true, field, isText, depth + 1)
    })
  }
}

const anything: Json.JsonSchema = {}

const propertiesOf = (schema: Json.JsonSchema): Json.JsonSchema =>
  Json.isObject(schema["properties"]) ? schema["properties"] : {}

const requiredOf = (schema: Json.JsonSchema): ReadonlyArray<unknown> =>
  Array.isArray(schema["required"]) ? schema["required"] : []

/** What an array's schema says of the item at this place. */
const itemSchema = ({ additionalItems, items, prefixItems }: Json.JsonSchema, index: number): unknown => {
  const places: ReadonlyArray<unknown> = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : []
  if (index < places.length) return places[index]
  if (Array.isArray(items)) return additionalItems
  // A list without places whose items are not said is of any values.
  return items === undefined && prefixItems === undefined ? true : items
}

const isStated = (schema: Json.JsonSchema): boolean => ["const", "enum", "type"].some((keyword) => keyword in schema)

const isEqual = (left: unknown, right: unknown): boolean =>
  left === right ||
  (typeof left === "object" && typeof right === "object" && JSON.stringify(left) === JSON.stringify(right))

/**
 * The value without the nulls of absent optional parameters; the same value if it has no such nulls. A null that the
 * full schema accepts stays: the model may have meant it.
 */
export const restoreOptional = (document: Json.JsonSchema, value: unknown): unknown => restoreValue(document, value)
