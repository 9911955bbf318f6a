/** What OpenAPI 3.0 says otherwise than JSON Schema does. */
import type { Json } from "@wield/core"

/** `exclusiveMinimum: true` beside `minimum` is the number itself. */
export const withoutExclusiveFlags = (schema: Json.JsonSchema): Json.JsonSchema => {
  if (typeof schema["exclusiveMinimum"] !== "boolean" && typeof schema["exclusiveMaximum"] !== "boolean") return schema
  const fields = new Map(Object.entries(schema))
  for (const [flag, bound] of bounds) {
    const stated = fields.get(flag)
    if (typeof stated !== "boolean") continue
    fields.delete(flag)
    const limit = fields.get(bound)
    if (!stated || typeof limit !== "number") continue
    fields.delete(bound)
    fields.set(flag, limit)
  }
  return Object.fromEntries(fields)
}

const bounds = [
  ["exclusiveMinimum", "minimum"],
  ["exclusiveMaximum", "maximum"]
] as const

/**
 * `nullable: true`. The standard gives it no effect where there is no `type`
 * beside it; people who write it beside a `$ref` or an `allOf` mean it.
 */
export const withNull = (schema: Json.JsonSchema): Json.JsonSchema => {
  const { type } = schema
  const isPlain = !composing.some((keyword) => keyword in schema)
  if (isPlain && type === undefined && schema["enum"] === undefined && schema["const"] === undefined) return schema
  if (isPlain && typeof type === "string" && schema["const"] === undefined) {
    const values = schema["enum"]
    const types = type === "null" ? type : [type, "null"]
    return Array.isArray(values) && !values.includes(null)
      ? { ...schema, type: types, enum: [...values, null] }
      : { ...schema, type: types }
  }
  const { default: preset, deprecated, description, title, ...stated } = schema
  const around = Object.entries({ title, description, default: preset, deprecated })
  return {
    ...Object.fromEntries(around.filter(([, annotation]) => annotation !== undefined)),
    anyOf: [stated, { type: "null" }]
  }
}

const composing = ["$ref", "allOf", "anyOf", "oneOf", "not", "if"]
