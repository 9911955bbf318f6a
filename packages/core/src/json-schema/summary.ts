/** A schema in some words, for issues. */
import { isObject } from "../Json.js"

export type Resolve = (reference: string) => unknown

/** More values or names than this are no help to a reader. */
const shown = 12

export const summaryOf = (schema: unknown, resolve: Resolve, depth = 0): string => {
  if (schema === false) return "nothing"
  if (!isObject(schema) || depth > 3) return "a value"
  if (typeof schema["$ref"] === "string") {
    const target = resolve(schema["$ref"])
    if (target !== undefined) return summaryOf(target, resolve, depth + 1)
  }
  if ("const" in schema) return JSON.stringify(schema["const"]) ?? "a value"
  const { anyOf, enum: values, format, not, oneOf, pattern, type } = schema
  if (Array.isArray(values)) {
    const texts = values.map((value: unknown) => JSON.stringify(value))
    return texts.length === 1 ? (texts[0] ?? "a value") : `one of ${listOf(texts, "or")}`
  }
  if (Array.isArray(anyOf) || Array.isArray(oneOf)) {
    const branches: ReadonlyArray<unknown> = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : []
    return listOf([...new Set(branches.map((branch) => summaryOf(branch, resolve, depth + 1)))], "or")
  }
  if (type === "object" || (type === undefined && isObject(schema["properties"]))) return objectSummary(schema)
  if (typeof format === "string" && type === "string") return exampleOf(format)
  if (typeof pattern === "string" && type === "string") return `text that matches ${pattern}`
  if (type === undefined && isObject(not)) return `anything but ${summaryOf(not, resolve, depth + 1)}`
  if (type === "array" && isObject(schema["items"]) && depth < 2) {
    const item = schema["items"]["type"]
    if (typeof item === "string" && item !== "object" && item !== "array") return `an array of ${item}s`
  }
  if (type === undefined) return "another value"
  return (Array.isArray(type) ? type : [type]).map(withArticle).join(" or ")
}

const withArticle = (type: unknown): string =>
  type === "null" ? "null" : /^[aeiou]/.test(String(type)) ? `an ${type}` : `a ${type}`

const objectSummary = (schema: { readonly [keyword: string]: unknown }): string => {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {}
  const constants = Object.entries(properties).flatMap(([key, property]) =>
    isObject(property) && "const" in property ? [`${key} ${JSON.stringify(property["const"])}`] : []
  )
  const required: ReadonlyArray<unknown> = Array.isArray(schema["required"]) ? schema["required"] : []
  const names = required.filter((key): key is string => typeof key === "string" && !isConstant(properties, key))
  const parts = [...constants, ...names]
  return parts.length === 0 ? "an object" : `an object with ${listOf(parts, "and")}`
}

const isConstant = (properties: { readonly [key: string]: unknown }, key: string): boolean => {
  const property = Object.hasOwn(properties, key) ? properties[key] : undefined
  return isObject(property) && "const" in property
}

export const propertyNames = (schema: { readonly [keyword: string]: unknown }): ReadonlyArray<string> =>
  isObject(schema["properties"]) ? Object.keys(schema["properties"]) : []

export const listOf = (texts: ReadonlyArray<string>, word: "and" | "or"): string => {
  if (texts.length > shown) return `${texts.slice(0, shown).join(", ")}, … (${texts.length - shown} more)`
  if (texts.length < 2) return texts.join("")
  return `${texts.slice(0, -1).join(", ")} ${word} ${texts.at(-1) ?? ""}`
}

/** A format by an example of it: models follow those better than names. */
export const exampleOf = (format: string): string => formats.get(format) ?? `text of the format ${format}`

const formats: ReadonlyMap<string, string> = new Map([
  ["date", "a date such as 2025-01-31"],
  ["date-time", "a date and time with its offset, such as 2025-01-31T12:00:00Z"],
  ["duration", "a duration such as PT1H30M"],
  ["email", "an email address"],
  ["hostname", "a host name"],
  ["int32", "an integer of 32 bits"],
  ["int64", "an integer of 64 bits"],
  ["ipv4", "an IPv4 address"],
  ["ipv6", "an IPv6 address"],
  ["regex", "a regular expression"],
  ["time", "a time with its offset, such as 12:00:00Z"],
  ["uri", "an absolute URI such as https://example.com/path"],
  ["uuid", "a UUID such as 123e4567-e89b-12d3-a456-426614174000"]
])

export const kindOf = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  return typeof value
}
