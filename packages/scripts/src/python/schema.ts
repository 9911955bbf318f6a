/** JSON Schemas put together. */
import * as Json from "@wield/core/Json"

export const isAnything = (schema: Json.JsonSchema): boolean => Object.keys(schema).length === 0

export const typesOf = (schema: Json.JsonSchema): ReadonlyArray<string> => {
  const { anyOf, type } = schema
  if (typeof type === "string") return [type]
  if (Array.isArray(type)) return type.filter((one) => typeof one === "string")
  return Array.isArray(anyOf) ? anyOf.filter(Json.isObject).flatMap(typesOf) : []
}

/** One of some values, with the types that they have. */
export const oneOfValues = (values: ReadonlyArray<Json.Json>): Json.JsonSchema => {
  const distinct = [...new Set(values)]
  const types = [...new Set(distinct.map(typeOfValue))]
  return { type: types.length === 1 ? types[0] : types, enum: distinct }
}

const typeOfValue = (value: Json.Json): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number"
  return typeof value
}

/** What any of the schemas accepts. `null` joins the type of the others where this says it shorter. */
export const anyOf = (alternatives: ReadonlyArray<Json.JsonSchema>): Json.JsonSchema => {
  if (alternatives.some(isAnything)) return {}
  const schemas = alternatives.flatMap(branchesOf)
  const distinct = schemas.filter(
    (schema, index) => schemas.findIndex((other) => JSON.stringify(other) === JSON.stringify(schema)) === index
  )
  const values = distinct.flatMap((schema) => (isValues(schema) ? [schema.enum] : []))
  const others = distinct.filter((schema) => !isValues(schema) && !isNull(schema))
  const joined = values.length === 0 ? others : [oneOfValues(values.flat()), ...others]
  const isNullable = distinct.some(isNull)
  const [only] = joined
  if (only === undefined) return { type: "null" }
  if (joined.length === 1) return isNullable ? nullable(only) : only
  if (joined.every(isPlain)) {
    const types = [...joined.map(({ type }) => type), ...(isNullable ? ["null"] : [])]
    return { type: types }
  }
  return { anyOf: [...joined, ...(isNullable ? [{ type: "null" }] : [])] }
}

/** `A | B | C` is read in pairs, and says what `Union[A, B, C]` does. */
const branchesOf = (schema: Json.JsonSchema): ReadonlyArray<Json.JsonSchema> => {
  const { anyOf: branches, type } = schema
  if (Object.keys(schema).length !== 1) return [schema]
  if (Array.isArray(type)) return type.map((one: unknown) => ({ type: one }))
  return Array.isArray(branches) ? branches.filter(Json.isObject) : [schema]
}

export const nullable = (schema: Json.JsonSchema): Json.JsonSchema => {
  if (isAnything(schema) || acceptsNull(schema)) return schema
  const { anyOf: branches, enum: values, type } = schema
  if (Array.isArray(values)) return { ...schema, ...oneOfValues([...values, null]) }
  if (Array.isArray(branches)) return { ...schema, anyOf: [...branches, { type: "null" }] }
  // Beside `properties`, few providers read a list of types.
  if (type === undefined || type === "object") return { anyOf: [schema, { type: "null" }] }
  return { ...schema, type: [...typesOf(schema), "null"] }
}

export const acceptsNull = (schema: Json.JsonSchema): boolean => isAnything(schema) || typesOf(schema).includes("null")

const isNull = (schema: Json.JsonSchema): boolean => schema["type"] === "null"

const isPlain = (schema: Json.JsonSchema): boolean =>
  Object.keys(schema).length === 1 && typeof schema["type"] === "string"

const isValues = (
  schema: Json.JsonSchema
): schema is { readonly type: unknown; readonly enum: ReadonlyArray<Json.Json> } =>
  Array.isArray(schema["enum"]) && Object.keys(schema).length === 2

/** What is said where a type is used comes before what the type says of itself. */
export const describe = (schema: Json.JsonSchema, text: string | undefined): Json.JsonSchema => {
  const own = schema["description"]
  if (text === undefined || text === "") return schema
  if (typeof own !== "string" || own === text) return { ...schema, description: text }
  // One sentence after another; what has several lines keeps them.
  const sentence = /[.!?:;…]$/.test(text) ? text : `${text}.`
  return { ...schema, description: `${sentence}${own.includes("\n") ? "\n" : " "}${own}` }
}
