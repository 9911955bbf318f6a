/** Keywords that Effect Schema has a filter for, as code. */
import type { Json } from "@wield/core"
import type { Lose } from "./flatten.js"
import { text } from "./literal.js"
import type { Check } from "./Node.js"

const numeric = (schema: Json.JsonSchema, names: { readonly [keyword: string]: string }): ReadonlyArray<Check> =>
  Object.entries(names).flatMap(([keyword, filter]) => {
    const bound = schema[keyword]
    return typeof bound === "number" ? [`Schema.${filter}(${bound})`] : []
  })

export const numberChecks = (schema: Json.JsonSchema): ReadonlyArray<Check> =>
  numeric(schema, {
    minimum: "greaterThanOrEqualTo",
    exclusiveMinimum: "greaterThan",
    maximum: "lessThanOrEqualTo",
    exclusiveMaximum: "lessThan",
    multipleOf: "multipleOf"
  })

export const stringChecks = (schema: Json.JsonSchema, lose: Lose): ReadonlyArray<Check> => {
  const patterns = Array.isArray(schema["pattern"]) ? schema["pattern"] : [schema["pattern"]]
  return [
    ...numeric(schema, { minLength: "minLength", maxLength: "maxLength" }),
    ...patterns.flatMap((pattern: unknown) => {
      if (typeof pattern !== "string") return []
      if (!isRisky(pattern)) return [`Schema.pattern(new RegExp(${text(pattern)}${isUnicode(pattern) ? ', "u"' : ""}))`]
      lose("pattern", "it may take exponential time; the model reads it, but it is not checked")
      return [`Schema.filter(() => true, { jsonSchema: { pattern: ${text(pattern)} } })`]
    })
  ]
}

/** As validators read patterns, where the pattern allows it. */
const isUnicode = (pattern: string): boolean => {
  try {
    return new RegExp(pattern, "u").unicode
  } catch {
    return false
  }
}

/** A repetition in a repeated group; JavaScript's engine has no way to be interrupted. */
const isRisky = (pattern: string): boolean => /\([^()]*[+*}][^()]*\)\s*(\?:)?[+*{]/.test(pattern.replace(/\\./g, "_"))

export const listChecks = (schema: Json.JsonSchema, prefix: number): ReadonlyArray<Check> => {
  const { maxItems, minItems, uniqueItems } = schema
  return [
    ...(typeof minItems === "number" && minItems > prefix ? [`Schema.minItems(${minItems})`] : []),
    ...(typeof maxItems === "number" ? [`Schema.maxItems(${maxItems})`] : []),
    ...(uniqueItems === true
      ? [
          "Schema.filter((items) => new Set(items.map((item) => JSON.stringify(item))).size === items.length, { jsonSchema: { uniqueItems: true } })"
        ]
      : [])
  ]
}

export const objectChecks = ({ maxProperties, minProperties }: Json.JsonSchema): ReadonlyArray<Check> => [
  ...(typeof minProperties === "number"
    ? [
        `Schema.filter((value) => Object.keys(value).length >= ${minProperties}, { jsonSchema: { minProperties: ${minProperties} } })`
      ]
    : []),
  ...(typeof maxProperties === "number"
    ? [
        `Schema.filter((value) => Object.keys(value).length <= ${maxProperties}, { jsonSchema: { maxProperties: ${maxProperties} } })`
      ]
    : [])
]
