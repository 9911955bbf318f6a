/** Arguments as a model sends them that is held to a rewritten schema. */
import { Json } from "@wield/core"

/** Null for each property that the rewritten schema demands and the arguments lack; text for what is text there. */
export const strictArguments = (schema: Json.JsonSchema, value: unknown): Json.JsonSchema => {
  const rewritten = strict(schema, value)
  return Json.isObject(rewritten) ? rewritten : {}
}

const strict = (schema: unknown, value: unknown): unknown => {
  if (!Json.isObject(schema) || value === null || value === undefined) return value
  const { anyOf, enum: values, items, type } = schema
  if (Array.isArray(anyOf)) {
    const branch = anyOf.find((each: unknown) => Json.isObject(each) && kinds(each).includes(kindOf(value)))
    return strict(branch, value)
  }
  // Gemini's subset has other values than text as text, and any value as JSON in text.
  const isJson = typeof schema["description"] === "string" && schema["description"].includes("JSON, as text")
  if (type === "STRING" && (isJson || typeof value !== "string")) {
    return Array.isArray(values) ? String(value) : JSON.stringify(value)
  }
  if (Array.isArray(value)) return value.map((item) => strict(items, item))
  if (!Json.isObject(value)) return value
  const properties = Json.isObject(schema["properties"]) ? schema["properties"] : {}
  const required: ReadonlyArray<unknown> = Array.isArray(schema["required"]) ? schema["required"] : []
  const absent = required.flatMap((key) =>
    typeof key === "string" && !Object.hasOwn(value, key) ? [[key, null] as const] : []
  )
  const present = Object.entries(value).map(
    ([key, item]) => [key, strict(Object.hasOwn(properties, key) ? properties[key] : undefined, item)] as const
  )
  return Object.fromEntries([...present, ...absent])
}

const kinds = (schema: Json.JsonSchema): ReadonlyArray<string> => {
  const { type } = schema
  const all = (Array.isArray(type) ? type : [type]).map((name) => String(name).toLowerCase())
  return all.includes("integer") ? [...all, "number"] : all
}

const kindOf = (value: unknown): string => (Array.isArray(value) ? "array" : typeof value)
