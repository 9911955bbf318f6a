/** `allOf` folded into the schema that carries it, for dialects without it. */
import * as Json from "@wield/core/Json"
import * as JsonPointer from "@wield/core/JsonPointer"

/** Deeper nesting than this refers to itself. */
const maxDepth = 32

/**
 * The schema with every branch of its `allOf` merged into it, and the keywords
 * that more than one part states differently: of those, the first is kept.
 * Effect writes a second refinement of a kind as such a branch; Pydantic wraps
 * a described reference in one.
 */
export const foldAllOf = (
  schema: Json.JsonSchema,
  document: Json.JsonSchema,
  depth = 0
): { readonly schema: Json.JsonSchema; readonly conflicts: ReadonlyArray<string> } => {
  const branches = schema["allOf"]
  if (!Array.isArray(branches) || depth > maxDepth) return { schema, conflicts: [] }
  const { allOf: _, ...base } = schema
  const merged = new Map<string, unknown>(Object.entries(base))
  const conflicts: Array<string> = []
  const single = branches.length === 1 && base["properties"] === undefined && base["type"] === undefined
  for (const branch of branches) {
    if (!Json.isObject(branch)) continue
    const folded = foldAllOf(single ? branch : dereference(branch, document), document, depth + 1)
    conflicts.push(...folded.conflicts)
    for (const [keyword, value] of Object.entries(folded.schema)) {
      const known = merged.get(keyword)
      if (known === undefined) merged.set(keyword, value)
      else if (keyword === "properties" && Json.isObject(known) && Json.isObject(value)) {
        merged.set(keyword, { ...value, ...known })
        for (const key of Object.keys(value)) {
          if (Object.hasOwn(known, key) && !isSame(known[key], value[key])) conflicts.push(`properties.${key}`)
        }
      } else if (keyword === "required" && Array.isArray(known) && Array.isArray(value)) {
        merged.set(keyword, [...new Set([...known, ...value])])
      } else if (keyword === "additionalProperties" && (known === false || value === false)) merged.set(keyword, false)
      else if (keyword !== "description" && keyword !== "title" && !isSame(known, value)) conflicts.push(keyword)
    }
  }
  return { schema: Object.fromEntries(merged), conflicts }
}

const dereference = (branch: Json.JsonSchema, document: Json.JsonSchema): Json.JsonSchema => {
  const reference = branch["$ref"]
  if (typeof reference !== "string") return branch
  const { $ref: _, ...beside } = branch
  return { ...JsonPointer.schemaAt(document, reference), ...beside }
}

const isSame = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right)
