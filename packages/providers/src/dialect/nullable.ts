/**
 * A schema that also accepts `null`, for dialects in which an optional
 * property is a nullable one.
 */
import type { Json } from "@wield/core"

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
