/**
 * Files in a multipart body. A model has no bytes: it gives a text, or base64,
 * and may say what the file is called.
 */
import { Json } from "@wield/core"
import { isResolved, type Resolve } from "./reference.js"
import type { Converted } from "./schemas.js"

export const fileSchema: Json.JsonSchema = {
  type: "object",
  properties: {
    content: { type: "string" },
    encoding: { enum: ["utf-8", "base64"], description: "How `content` is written; utf-8 unless given" },
    filename: { type: "string" },
    contentType: { type: "string" }
  },
  required: ["content"],
  additionalProperties: false
}

/** OpenAPI 3.0 says `format: binary`; 3.1 a media type, without an encoding. */
export const isFile = (schema: unknown, resolve: Resolve): boolean => {
  const resolved = resolve(schema)
  if (!isResolved(resolved)) return false
  const { contentEncoding, contentMediaType, format, type } = resolved
  const isString = type === undefined || type === "string" || (Array.isArray(type) && type.includes("string"))
  return isString && (format === "binary" || (typeof contentMediaType === "string" && contentEncoding === undefined))
}

export const isFiles = (schema: unknown, resolve: Resolve): boolean => {
  const resolved = resolve(schema)
  return isResolved(resolved) && resolved["items"] !== undefined && isFile(resolved["items"], resolve)
}

export const withFiles = (schema: unknown, converted: Converted, resolve: Resolve): Converted => {
  const stated = Json.isObject(converted.schema) ? converted.schema : {}
  const { description } = stated
  const about = typeof description === "string" ? { description } : {}
  if (isFile(schema, resolve)) return { schema: { ...fileSchema, ...about }, references: new Set() }
  if (!isFiles(schema, resolve)) return converted
  const { maxItems, minItems } = stated
  const bounds = Object.entries({ minItems, maxItems }).filter(([, bound]) => bound !== undefined)
  return {
    schema: { type: "array", items: fileSchema, ...Object.fromEntries(bounds), ...about },
    references: new Set()
  }
}
