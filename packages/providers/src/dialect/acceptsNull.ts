/**
 * Whether `null` is a valid value of a JSON Schema.
 */
import { Json } from "@wield/core"
import { resolvePointer } from "../internal/objectRoot.js"
import type { Fields } from "../internal/wireField.js"

/** A schema that refers to itself without a type in between accepts nothing. */
const maxDepth = 32

/** `document` is the whole schema, in which references are looked up. */
export const acceptsNull = (schema: unknown, document: Fields, depth = 0): boolean => {
  if (schema === true) return true
  if (!Json.isObject(schema) || depth > maxDepth) return false
  if (schema["nullable"] === true) return true
  const { type, $ref: reference, anyOf, oneOf, allOf } = schema
  if (type !== undefined && type !== "null" && !(Array.isArray(type) && type.includes("null"))) return false
  if (Array.isArray(schema["enum"]) && !schema["enum"].includes(null)) return false
  if ("const" in schema && schema["const"] !== null) return false
  if (typeof reference === "string" && !acceptsNull(resolvePointer(reference, document), document, depth + 1)) {
    return false
  }
  const accepts = (branch: unknown): boolean => acceptsNull(branch, document, depth + 1)
  if (Array.isArray(anyOf) && !anyOf.some(accepts)) return false
  if (Array.isArray(oneOf) && !oneOf.some(accepts)) return false
  return !Array.isArray(allOf) || allOf.every(accepts)
}
