/** A schema whose root is no object, as the only property of one: every API demands an object there. */
import type { Loss } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as JsonPointer from "@wield/core/JsonPointer"

interface WrappedRoot {
  readonly schema: Json.JsonSchema
  readonly losses: (subject: string) => ReadonlyArray<Loss.Loss>
  readonly restore: (value: unknown) => unknown
}

const key = "value"

export const wrapRoot = (document: Json.JsonSchema): WrappedRoot => {
  if (isObjectSchema(document, document, 0)) return { schema: document, losses: () => [], restore: (value) => value }
  const { $defs, definitions, $schema, ...root } = document
  return {
    schema: {
      ...($schema === undefined ? {} : { $schema }),
      type: "object",
      properties: { [key]: relocated(root) },
      required: [key],
      additionalProperties: false,
      ...($defs === undefined ? {} : { $defs: relocated($defs) }),
      ...(definitions === undefined ? {} : { definitions: relocated(definitions) })
    },
    losses: (subject) => [
      {
        subject,
        path: [],
        keyword: "type",
        reason: `The API demands an object at the root: the value is sent as its property ${key} and taken out again.`
      }
    ],
    restore: (value) => (Json.isObject(value) && Object.hasOwn(value, key) ? value[key] : value)
  }
}

const isObjectSchema = (schema: Json.JsonSchema, document: Json.JsonSchema, depth: number): boolean => {
  if (depth > 32) return false
  const { $ref: reference, allOf, anyOf, oneOf, type } = schema
  if (type !== undefined) return type === "object"
  if (Json.isObject(schema["properties"]) || Object.keys(schema).length === 0) return true
  const isObject = (branch: unknown): boolean => Json.isObject(branch) && isObjectSchema(branch, document, depth + 1)
  if (typeof reference === "string") {
    const target = JsonPointer.schemaAt(document, reference)
    return target !== undefined && isObject(target)
  }
  const union = Array.isArray(anyOf) ? anyOf : oneOf
  if (Array.isArray(union)) return union.every(isObject)
  return Array.isArray(allOf) && allOf.some(isObject)
}

/** References to the root, and into it, follow it to its new place; definitions stay where they were. */
const relocated = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(relocated)
  if (!Json.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([keyword, stated]) => {
      if (keyword !== "$ref" || typeof stated !== "string") return [keyword, relocated(stated)]
      const isMoved = stated === "#" || (stated.startsWith("#/") && !/^#\/(?:\$defs|definitions)\//.test(stated))
      return [keyword, isMoved ? `#/properties/${key}${stated.slice(1)}` : stated]
    })
  )
}
