/**
 * A schema without references, for APIs and models that do not follow them. A
 * type that contains itself has no end: where it comes back it is any value of
 * its kind, which is reported; the full schema still checks it.
 */
import type { Loss } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as JsonPointer from "@wield/core/JsonPointer"
import { lossOf } from "../internal/losses.js"
import { mapSchemas } from "./keywords.js"
import type { Path } from "../internal/wireField.js"

/** References to one large type from many places multiply: more than this is no schema for a model. */
const maxSchemas = 5_000

export const inlineReferences = (
  subject: string,
  document: Json.JsonSchema
): { readonly schema: Json.JsonSchema; readonly losses: ReadonlyArray<Loss.Loss> } => {
  const losses: Array<Loss.Loss> = []
  let count = 0

  const visit = (schema: unknown, path: Path, open: ReadonlyArray<string>): unknown => {
    if (!Json.isObject(schema)) return schema
    if (++count > maxSchemas) return cut(schema, path, "the schema is too large with its references written out")
    const reference = schema["$ref"]
    if (typeof reference === "string") {
      const target = JsonPointer.schemaAt(document, reference)
      const { $ref: _, ...beside } = schema
      if (target === undefined) return cut(beside, path, `${reference} points at nothing in the schema`)
      if (open.includes(reference)) return cut({ ...target, ...beside }, path, `${reference} contains itself`)
      return visit({ ...target, ...beside }, path, [...open, reference])
    }
    const { $defs: _1, definitions: _2, ...own } = schema
    return mapSchemas(own, path, (inner, at) => visit(inner, at, open))
  }

  const cut = (schema: Json.JsonSchema, path: Path, why: string): Json.JsonSchema => {
    const reason = `There are no references here, and ${why}: any value of its kind is allowed.`
    losses.push(lossOf(subject, path, "$ref", reason))
    const { description, title, type } = schema
    return Json.withoutUndefined({ type, title, description })
  }

  const schema = visit(document, [], [])
  // `visit` gives an object for an object.
  return { schema: Json.isObject(schema) ? schema : {}, losses }
}
