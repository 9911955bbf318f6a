/**
 * A schema without references, for APIs and models that do not follow them. A
 * type that contains itself has no end: where it comes back it is any value of
 * its kind, which is reported; the full schema still checks it.
 */
import type { Loss } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as JsonPointer from "@wield/core/JsonPointer"

type Path = ReadonlyArray<string | number>

/** References to one large type from many places multiply: more than this is no schema for a model. */
const maxSchemas = 5_000

const named: ReadonlySet<string> = new Set(["properties", "patternProperties", "dependentSchemas"])
const lists: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "prefixItems", "items"])
const single: ReadonlySet<string> = new Set(
  "additionalItems additionalProperties contains else if items not propertyNames then unevaluatedItems unevaluatedProperties".split(
    " "
  )
)

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
    const entries = Object.entries(schema).flatMap(([keyword, stated]): ReadonlyArray<readonly [string, unknown]> => {
      if (keyword === "$defs" || keyword === "definitions") return []
      const here = [...path, keyword]
      if (named.has(keyword) && Json.isObject(stated)) {
        const inner = Object.entries(stated).map(([key, item]) => [key, visit(item, [...here, key], open)] as const)
        return [[keyword, Object.fromEntries(inner)]]
      }
      if (Array.isArray(stated)) {
        return [
          [keyword, lists.has(keyword) ? stated.map((item, index) => visit(item, [...here, index], open)) : stated]
        ]
      }
      return [[keyword, single.has(keyword) ? visit(stated, here, open) : stated]]
    })
    return Object.fromEntries(entries)
  }

  const cut = (schema: Json.JsonSchema, path: Path, why: string): Json.JsonSchema => {
    losses.push({
      subject,
      path,
      keyword: "$ref",
      reason: `There are no references here, and ${why}: any value of its kind is allowed.`
    })
    const { description, title, type } = schema
    return {
      ...(type === undefined ? {} : { type }),
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description })
    }
  }

  const schema = visit(document, [], [])
  // `visit` gives an object for an object.
  return { schema: Json.isObject(schema) ? schema : {}, losses }
}
