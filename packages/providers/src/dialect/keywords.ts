/** What several dialects do alike with single keywords. */
import * as Json from "@wield/core/Json"
import * as JsonPointer from "@wield/core/JsonPointer"
import type { Path } from "../internal/wireField.js"

/** A schema that refers to itself without a type in between accepts nothing. */
const maxDepth = 32

/** `document` is the whole schema, in which references are looked up; `known` remembers what each schema came to. */
export const acceptsNull = (
  schema: unknown,
  document: Json.JsonSchema,
  known = new Map<object, boolean>(),
  depth = 0
): boolean => {
  if (schema === true) return true
  if (!Json.isObject(schema) || depth > maxDepth) return false
  if (schema["nullable"] === true) return true
  const accepts = (inner: unknown): boolean => acceptsNull(inner, document, known, depth + 1)
  const isAccepted = known.get(schema) ?? statesNull(schema, document, accepts)
  known.set(schema, isAccepted)
  return isAccepted
}

const statesNull = (
  schema: Json.JsonSchema,
  document: Json.JsonSchema,
  accepts: (inner: unknown) => boolean
): boolean => {
  const { type, $ref: reference, anyOf, oneOf, allOf } = schema
  if (type !== undefined && type !== "null" && !(Array.isArray(type) && type.includes("null"))) return false
  if (Array.isArray(schema["enum"]) && !schema["enum"].includes(null)) return false
  if ("const" in schema && schema["const"] !== null) return false
  if (typeof reference === "string" && !accepts(JsonPointer.schemaAt(document, reference))) return false
  if (Array.isArray(anyOf) && !anyOf.some(accepts)) return false
  if (Array.isArray(oneOf) && !oneOf.some(accepts)) return false
  return !Array.isArray(allOf) || allOf.every(accepts)
}

const ofNames: ReadonlySet<string> = new Set(
  "properties patternProperties dependentSchemas $defs definitions".split(" ")
)
const ofLists: ReadonlySet<string> = new Set("allOf anyOf oneOf prefixItems items".split(" "))
const ofOne: ReadonlySet<string> = new Set(
  (
    "additionalItems additionalProperties contains else if items not propertyNames then " +
    "unevaluatedItems unevaluatedProperties"
  ).split(" ")
)

/** A schema in which `visit` has replaced each schema that it holds. */
export const mapSchemas = (
  schema: Json.JsonSchema,
  path: Path,
  visit: (inner: unknown, path: Path) => unknown
): Json.JsonSchema =>
  Object.fromEntries(
    Object.entries(schema).map(([keyword, stated]) => {
      const here = [...path, keyword]
      if (ofNames.has(keyword) && Json.isObject(stated)) {
        const inner = Object.entries(stated).map(([key, item]) => [key, visit(item, [...here, key])])
        return [keyword, Object.fromEntries(inner)]
      }
      if (!Array.isArray(stated)) return [keyword, ofOne.has(keyword) ? visit(stated, here) : stated]
      return [keyword, ofLists.has(keyword) ? stated.map((item, index) => visit(item, [...here, index])) : stated]
    })
  )

/** A schema in which each array says what its items may be: OpenAI refuses the request over "array schema missing items". */
export const withItems = (schema: Json.JsonSchema): Json.JsonSchema => {
  const { items, prefixItems, type } = schema
  const inner = mapSchemas(schema, [], (each) => (Json.isObject(each) ? withItems(each) : each))
  if (type !== "array" && !(Array.isArray(type) && type.includes("array"))) return inner
  if (Json.isObject(items)) return inner
  // Its items are a schema, not `false`.
  const most = items === false ? { maxItems: Array.isArray(prefixItems) ? prefixItems.length : 0 } : {}
  return { ...inner, items: {}, ...most }
}

/** Keywords whose value says enough in one line: as a hint in the description, the model still learns of them. */
const hints: ReadonlySet<string> = new Set(
  (
    "default format pattern minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf " +
    "minItems maxItems uniqueItems minProperties maxProperties"
  ).split(" ")
)

/** Whether the keyword can be said as a hint. */
export const isHint = (keyword: string, value: unknown): value is string | number | boolean =>
  hints.has(keyword) && (typeof value === "string" || typeof value === "number" || typeof value === "boolean")

/** Such as `minLength: 3`. */
export const hint = (keyword: string, value: string | number | boolean): string =>
  `${keyword}: ${keyword === "default" ? JSON.stringify(value) : String(value)}`

export const nullable = (schema: Json.JsonObject): Json.JsonObject => {
  const { type, anyOf, $ref: reference } = schema
  if (Array.isArray(anyOf)) {
    return anyOf.some(isNull) ? schema : { ...schema, anyOf: [...anyOf, { type: "null" }] }
  }
  if (reference !== undefined) return { anyOf: [schema, { type: "null" }] }
  const values = schema["enum"]
  if (Array.isArray(values))
    return { ...withNull(schema, type), enum: values.includes(null) ? values : [...values, null] }
  if ("const" in schema && schema["const"] !== null && schema["const"] !== undefined) {
    const { const: value, ...rest } = schema
    return { ...withNull(rest, type), enum: [value, null] }
  }
  return withNull(schema, type)
}

const isNull = (schema: Json.Json): boolean =>
  typeof schema === "object" && schema !== null && "type" in schema && schema.type === "null"

const withNull = (schema: Json.JsonObject, type: Json.Json | undefined): Json.JsonObject => {
  if (typeof type === "string") return type === "null" ? schema : { ...schema, type: [type, "null"] }
  if (Array.isArray(type)) return type.includes("null") ? schema : { ...schema, type: [...type, "null"] }
  return schema
}

export const describe = (schema: Json.JsonSchema, unstated: Json.JsonSchema): Json.JsonSchema => {
  if (Object.keys(unstated).length === 0) return schema
  const { description } = schema
  const text = JSON.stringify(unstated)
  return { ...schema, description: typeof description === "string" ? `${description}\n${text}` : text }
}

interface Tuple {
  readonly keyword: "items" | "prefixItems"
  /** What the items may be: those at fixed places, then the rest. */
  readonly items: ReadonlyArray<unknown>
  readonly minItems: number
  /** `undefined` where the rest may go on. */
  readonly maxItems: number | undefined
}

export const tupleItems = (schema: Json.JsonSchema): Tuple | undefined => {
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

export const typeOfValues = (values: ReadonlyArray<unknown>): Json.Json => {
  const types = [...new Set(values.map(typeOfValue))]
  const first = types[0]
  return types.length === 1 && first !== undefined ? first : types
}

const typeOfValue = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  return typeof value
}
