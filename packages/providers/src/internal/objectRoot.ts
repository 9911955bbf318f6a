/**
 * An input schema whose root is a plain object, for APIs that accept no union
 * and no reference there (Anthropic: "input_schema does not support oneOf,
 * allOf, or anyOf at the top level").
 */
import * as JsonPointer from "@wield/core/JsonPointer"
import type { Loss } from "@wield/core"
import * as Json from "@wield/core/Json"

const unions = ["anyOf", "oneOf", "allOf"] as const

export const objectRoot = (
  subject: string,
  schema: Json.JsonSchema
): { readonly schema: Json.JsonSchema; readonly losses: ReadonlyArray<Loss.Loss> } => {
  const root = dereference(schema, schema, 0)
  const present = unions.filter((keyword) => Array.isArray(root[keyword]))
  if (present.length === 0) return { schema: typed(root, schema), losses: [] }

  const properties = new Map<string, ReadonlyArray<unknown>>()
  const required = new Set(strings(root["required"]))
  const losses: Array<Loss.Loss> = []
  const collect = (object: Json.JsonSchema): void => {
    const own = object["properties"]
    if (!Json.isObject(own)) return
    for (const [key, value] of Object.entries(own)) {
      const known = properties.get(key) ?? []
      const text = JSON.stringify(value)
      if (!known.some((other) => JSON.stringify(other) === text)) properties.set(key, [...known, value])
    }
  }
  collect(root)
  for (const keyword of present) {
    const value = root[keyword]
    const branches = (Array.isArray(value) ? value : [])
      .filter(Json.isObject)
      .map((branch) => dereference(branch, schema, 0))
      .filter((branch) => branch["type"] === "object" || branch["type"] === undefined)
    for (const branch of branches) collect(branch)
    const demanded = branches.map((branch) => strings(branch["required"]))
    if (keyword === "allOf") for (const keys of demanded) for (const key of keys) required.add(key)
    else {
      // Only what every branch demands is demanded of all.
      for (const key of demanded[0] ?? []) if (demanded.every((keys) => keys.includes(key))) required.add(key)
      losses.push({
        subject,
        path: [],
        keyword,
        reason: "The API accepts no union at the root: the properties of all branches are offered side by side."
      })
    }
  }
  const merged = Object.fromEntries(
    Array.from(properties, ([key, values]) => [key, values.length === 1 ? values[0] : { anyOf: values }])
  )
  const { anyOf: _1, oneOf: _2, allOf: _3, properties: _4, required: _5, ...rest } = root
  return {
    schema: typed({ ...rest, properties: merged, ...(required.size === 0 ? {} : { required: [...required] }) }, schema),
    losses
  }
}

const typed = (root: Json.JsonSchema, original: Json.JsonSchema): Json.JsonSchema =>
  root === original && root["type"] === "object" ? root : { ...root, type: "object" }

/** Follows a local reference at the root; what stands beside it (`$defs`, `description`) is kept. */
const dereference = (schema: Json.JsonSchema, document: Json.JsonSchema, depth: number): Json.JsonSchema => {
  const reference = schema["$ref"]
  // A chain longer than this refers to itself.
  if (typeof reference !== "string" || depth > 32) return schema
  const target = JsonPointer.schemaAt(document, reference)
  if (target === undefined) return schema
  const { $ref: _, ...beside } = schema
  return dereference({ ...target, ...beside }, document, depth + 1)
}

const strings = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : []
