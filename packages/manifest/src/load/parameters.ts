/**
 * What is asked about the parameters of an entry.
 */
import { Json } from "@wield/core"

/** The names of the declared parameters. */
export const parameterNames = ({ properties }: Json.JsonSchema): ReadonlyArray<string> =>
  Json.isObject(properties) ? Object.keys(properties) : []

/** Whether the schema itself takes arguments that it does not name. */
export const takesOthers = (schema: Json.JsonSchema): boolean =>
  schema["additionalProperties"] !== undefined
    ? schema["additionalProperties"] !== false
    : composites.some((keyword) => keyword in schema)

const composites = ["$ref", "allOf", "anyOf", "if", "oneOf", "patternProperties", "unevaluatedProperties"]

/** A schema without some of its properties. */
export const without = (schema: Json.JsonSchema, isLeftOut: (name: string) => boolean): Json.JsonSchema => {
  const { properties, required } = schema
  if (!Json.isObject(properties) || !Object.keys(properties).some(isLeftOut)) return schema
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !isLeftOut(name))),
    ...(Array.isArray(required)
      ? { required: required.filter((name: unknown) => typeof name !== "string" || !isLeftOut(name)) }
      : {})
  }
}
