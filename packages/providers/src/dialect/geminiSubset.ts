/**
 * A JSON Schema as Gemini's older field `parameters` takes it: a subset of
 * OpenAPI 3.0 in which an enum is of strings, an object has properties that are
 * known, and there are no references.
 *
 * @see https://ai.google.dev/api/caching#Schema
 */
import type { Loss } from "@wield/core"
import * as Json from "@wield/core/Json"
import { jsonText } from "../internal/json.js"
import { foldAllOf } from "./allOf.js"
import { inlineReferences } from "./inlineReferences.js"
import type { RestoreText } from "./restoreValue.js"
import { describe, tupleItems, typeOfValues } from "./keywords.js"
import type { Path } from "../internal/wireField.js"

const kept: ReadonlySet<string> = new Set(
  "title description minItems maxItems minProperties maxProperties minLength maxLength pattern minimum maximum default required".split(
    " "
  )
)
const ignorable: ReadonlySet<string> = new Set(
  "$schema $id $anchor $comment type nullable properties items prefixItems additionalItems anyOf oneOf enum const readOnly writeOnly deprecated".split(
    " "
  )
)

/** Which formats the API takes, by type; it refuses a request with another. */
const formats: { readonly [type: string]: ReadonlyArray<string> } = {
  STRING: ["date-time"],
  NUMBER: ["float", "double"],
  INTEGER: ["int32", "int64"]
}

export const geminiSubset = (
  subject: string,
  document: Json.JsonSchema
): { readonly schema: Json.JsonSchema; readonly losses: ReadonlyArray<Loss.Loss> } => {
  const inlined = inlineReferences(subject, document)
  const losses: Array<Loss.Loss> = [...inlined.losses]
  const lose = (path: Path, keyword: string, reason: string): void =>
    void losses.push({ subject, path, keyword, reason: `Gemini's \`parameters\`: ${reason}.` })

  const visit = (value: unknown, path: Path): Json.JsonSchema => {
    if (!Json.isObject(value)) {
      lose(path, "type", "it has no schema for any value; it is sent as text that holds JSON")
      return asText({})
    }
    const { conflicts, schema } = foldAllOf(value, document)
    for (const keyword of conflicts) lose(path, keyword, "of several statements only the first is kept")
    const { types, isNullable } = typesOf(schema)
    const union = Array.isArray(schema["anyOf"]) ? schema["anyOf"] : schema["oneOf"]
    if (Array.isArray(union)) return choice(schema, union, isNullable, path)
    if (types.length > 1) {
      const { type: _1, nullable: _2, description, ...rest } = schema
      const branches = types.map((type) => visit({ ...rest, type }, path))
      return { ...described(description), anyOf: branches, ...nullable(isNullable) }
    }
    const type = types[0]
    if (type === undefined) {
      if (isNullable && schema["type"] !== undefined)
        lose(path, "type", "it has no null; it is sent as text that may be null")
      else lose(path, "type", "it has no schema for any value; it is sent as text that holds JSON")
      return { ...asText(schema), ...nullable(isNullable) }
    }
    return { ...plain(schema, type, path), ...nullable(isNullable) }
  }

  const choice = (
    schema: Json.JsonSchema,
    union: ReadonlyArray<unknown>,
    isNullable: boolean,
    path: Path
  ): Json.JsonSchema => {
    const keyword = Array.isArray(schema["anyOf"]) ? "anyOf" : "oneOf"
    if (keyword === "oneOf") lose(path, keyword, "it has no exclusive choice; it is sent as anyOf")
    for (const beside of Object.keys(schema)) {
      if (!["anyOf", "oneOf", "title", "description", "nullable", "default", "$schema", "$id"].includes(beside)) {
        lose(path, beside, "it takes nothing beside anyOf; it is left out")
      }
    }
    const isNull = (branch: unknown): boolean =>
      Json.isObject(branch) && (branch["type"] === "null" || branch["const"] === null)
    const branches = union.flatMap((branch, index) =>
      isNull(branch) ? [] : [visit(branch, [...path, keyword, index])]
    )
    const takesNull = isNullable || union.some(isNull)
    const [only, ...others] = branches
    if (only === undefined) {
      lose(path, keyword, "it has no null; it is sent as text that may be null")
      return { ...asText(schema), nullable: true }
    }
    if (others.length === 0) return { ...only, ...described(schema["description"]), ...nullable(takesNull) }
    return { ...described(schema["description"]), anyOf: branches, ...nullable(takesNull) }
  }

  const plain = (schema: Json.JsonSchema, type: string, path: Path): Json.JsonSchema => {
    const out = new Map<string, unknown>([["type", type]])
    const unstated: Record<string, unknown> = {}
    for (const [keyword, stated] of Object.entries(schema)) {
      if (kept.has(keyword)) out.set(keyword, stated)
      else if (keyword === "examples" && Array.isArray(stated)) out.set("example", stated[0])
      else if (keyword === "format" && typeof stated === "string" && formats[type]?.includes(stated) === true)
        out.set(keyword, stated)
      else if (keyword === "additionalProperties") {
        if (stated !== false) lose(path, keyword, "only the stated properties can be sent")
      } else if (!ignorable.has(keyword)) {
        unstated[keyword] = stated
        lose(path, keyword, "it has no such keyword; the description states it")
      }
    }
    const values = Array.isArray(schema["enum"]) ? schema["enum"] : "const" in schema ? [schema["const"]] : undefined
    if (values !== undefined) return enumeration(Object.fromEntries(out), type, values, path, unstated)
    if (type === "ARRAY") out.set("items", itemsOf(schema, path))
    if (type === "OBJECT") {
      const properties = Json.isObject(schema["properties"]) ? schema["properties"] : {}
      const keys = Object.keys(properties)
      if (keys.length === 0 && path.length > 0) {
        // "should be non-empty for OBJECT type"
        lose(path, "properties", "it has no object without known properties; it is sent as text that holds JSON")
        return asText(describe(schema, unstated))
      }
      out.set(
        "properties",
        Object.fromEntries(keys.map((key) => [key, visit(properties[key], [...path, "properties", key])]))
      )
      const required = Array.isArray(schema["required"]) ? schema["required"].filter((key) => keys.includes(key)) : []
      if (required.length > 0) out.set("required", required)
      else out.delete("required")
    }
    return describe(Object.fromEntries(out), unstated)
  }

  const enumeration = (
    out: Json.JsonSchema,
    type: string,
    values: ReadonlyArray<unknown>,
    path: Path,
    unstated: Json.JsonSchema
  ): Json.JsonSchema => {
    const texts = values.filter((value) => value !== null)
    if (texts.some((value) => typeof value === "object") || type === "BOOLEAN") {
      lose(path, "enum", "an enum is of strings; the description states it")
      return describe(type === "OBJECT" || type === "ARRAY" ? asText(out) : out, { ...unstated, enum: values })
    }
    if (type !== "STRING") lose(path, "enum", "an enum is of strings; numbers are sent as text and read back")
    const { minimum: _1, maximum: _2, default: _3, ...rest } = out
    const stated = texts.map(String).filter((text) => text !== "")
    // "enum[0]: cannot be empty"
    if (stated.length < texts.length) lose(path, "enum", "an enum has no empty text; it is left out")
    if (stated.length === 0) {
      return describe(type === "OBJECT" || type === "ARRAY" ? asText(out) : out, { ...unstated, enum: values })
    }
    return describe({ ...(type === "STRING" ? out : rest), type: "STRING", format: "enum", enum: stated }, unstated)
  }

  const itemsOf = (schema: Json.JsonSchema, path: Path): Json.JsonSchema => {
    const tuple = tupleItems(schema)
    if (tuple === undefined) return visit(schema["items"] ?? true, [...path, "items"])
    lose(path, tuple.keyword, "it has no tuples: each item may be what any of them may be")
    const items = tuple.items.map((item, index) => visit(item, [...path, tuple.keyword, index]))
    const distinct = [...new Map(items.map((item) => [JSON.stringify(item), item])).values()]
    if (distinct.length === 0) return visit(true, [...path, "items"])
    return distinct.length === 1 && distinct[0] !== undefined ? distinct[0] : { anyOf: distinct }
  }

  return { schema: visit(inlined.schema, []), losses }
}

const described = (description: unknown): Json.JsonSchema => (description === undefined ? {} : { description })

const nullable = (isNullable: boolean): Json.JsonSchema => (isNullable ? { nullable: true } : {})

const asText = (schema: Json.JsonSchema): Json.JsonSchema => {
  const { description } = schema
  const hint = "JSON, as text"
  return { type: "STRING", description: typeof description === "string" ? `${description} (${hint})` : hint }
}

/** The types in the API's words, without null. */
const typesOf = (schema: Json.JsonSchema): { readonly types: ReadonlyArray<string>; readonly isNullable: boolean } => {
  const { const: only, enum: values, type } = schema
  const implied =
    type ??
    (Array.isArray(values) ? typeOfValues(values) : "const" in schema ? typeOfValues([only]) : impliedType(schema))
  const all: ReadonlyArray<unknown> = Array.isArray(implied) ? implied : implied === undefined ? [] : [implied]
  return {
    types: all.flatMap((name) => (typeof name === "string" && name !== "null" ? [name.toUpperCase()] : [])),
    isNullable: all.includes("null") || schema["nullable"] === true
  }
}

const impliedType = (schema: Json.JsonSchema): string | undefined => {
  if (Json.isObject(schema["properties"])) return "object"
  return schema["items"] !== undefined || schema["prefixItems"] !== undefined ? "array" : undefined
}

/** Numbers of an enum, and values that were sent as JSON in text. */
export const restoreGeminiText: RestoreText = (schema, text) => {
  const { const: only, enum: values } = schema
  const constants: ReadonlyArray<unknown> = Array.isArray(values) ? values : "const" in schema ? [only] : []
  const constant = constants.find((value) => typeof value !== "string" && jsonText(value) === text)
  if (constant !== undefined) return constant
  if (!/^\s*[[{"\dtfn-]/.test(text)) return text
  // Text that is no JSON is what it is.
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
