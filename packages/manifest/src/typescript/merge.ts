/** Two schemas that both hold as one: the parts of an `allOf`. */
import * as Json from "@wield/core/Json"
import { propertiesOf } from "../load/parameters.js"

export const merge = (first: Json.JsonSchema, second: Json.JsonSchema) => {
  const fields = new Map(Object.entries(first))
  const lost: Array<string> = []
  for (const [keyword, stated] of Object.entries(second)) {
    const before = fields.get(keyword)
    if (before === undefined) {
      fields.set(keyword, stated)
      continue
    }
    const joined = isEqual(before, stated) ? before : join(keyword, before, stated)
    if (joined === undefined) lost.push(keyword)
    else fields.set(keyword, joined)
  }
  if (isClosedTo(first, second) || isClosedTo(second, first)) lost.push("additionalProperties")
  return { schema: Object.fromEntries(fields), lost }
}

const join = (keyword: string, first: unknown, second: unknown): unknown => {
  if (annotations.has(keyword)) return first
  switch (keyword) {
    case "type":
      return listOf(first).flatMap((one) => listOf(second).flatMap((other) => commonType(one, other)))
    case "required":
      return Array.isArray(first) && Array.isArray(second) ? [...new Set([...first, ...second])] : undefined
    case "enum":
      return Array.isArray(first) && Array.isArray(second)
        ? first.filter((one) => second.some((other) => isEqual(one, other)))
        : undefined
    case "properties":
    case "$defs":
      return Json.isObject(first) && Json.isObject(second) ? joinProperties(first, second) : undefined
    case "items":
    case "additionalProperties":
      return both(first, second)
    case "anyOf":
    case "oneOf":
      return Array.isArray(first) && Array.isArray(second) && first.length * second.length <= 50
        ? first.flatMap((one) => second.map((other) => both(one, other)))
        : undefined
    case "pattern":
      return [...listOf(first), ...listOf(second)]
    default:
      return joinBound(keyword, first, second)
  }
}

const annotations = new Set(["title", "description", "default", "examples", "deprecated", "$comment", "$id", "$schema"])

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [value])

const commonType = (one: unknown, other: unknown): ReadonlyArray<unknown> =>
  one === other
    ? [one]
    : (one === "integer" && other === "number") || (one === "number" && other === "integer")
      ? ["integer"]
      : []

const joinProperties = (first: Json.JsonSchema, second: Json.JsonSchema): Json.JsonSchema => {
  const fields = new Map(Object.entries(first))
  for (const [name, schema] of Object.entries(second)) {
    fields.set(name, fields.has(name) ? both(fields.get(name), schema) : schema)
  }
  return Object.fromEntries(fields)
}

const both = (first: unknown, second: unknown): unknown =>
  first === true
    ? second
    : second === true
      ? first
      : first === false || second === false
        ? false
        : { allOf: [first, second] }

const joinBound = (keyword: string, first: unknown, second: unknown): number | boolean | undefined => {
  if (keyword === "uniqueItems") return first === true || second === true
  if (typeof first !== "number" || typeof second !== "number") return undefined
  if (/^(minimum|exclusiveMinimum|min[A-Z])/.test(keyword)) return Math.max(first, second)
  return /^(maximum|exclusiveMaximum|max[A-Z])/.test(keyword) ? Math.min(first, second) : undefined
}

/** Whether one part allows no properties but its own, and so forbids some of the other's. */
const isClosedTo = (part: Json.JsonSchema, other: Json.JsonSchema): boolean => {
  const stated = part["additionalProperties"]
  if (stated === undefined || stated === true) return false
  const own = propertiesOf(part)
  return Object.keys(propertiesOf(other)).some((name) => !Object.hasOwn(own, name))
}

export const isEqual = (first: unknown, second: unknown): boolean =>
  first === second || JSON.stringify(first) === JSON.stringify(second)
