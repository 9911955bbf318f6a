/** `allOf` folded into the schema that carries it, for dialects without it. */
import * as Json from "@wield/core/Json"
import * as JsonPointer from "@wield/core/JsonPointer"

/** Deeper nesting than this refers to itself. */
const maxDepth = 32

/** Branches that name one large type each multiply: more than this are no schema for a model. */
const maxBranches = 5_000

interface Folded {
  readonly schema: Json.JsonSchema
  readonly conflicts: ReadonlyArray<string>
}

/**
 * The schema with every branch of its `allOf` merged into it, and the keywords
 * that more than one part states differently: of those, the first is kept.
 * Effect writes a second refinement of a kind as such a branch; Pydantic wraps
 * a described reference in one.
 */
export const foldAllOf = (schema: Json.JsonSchema, document: Json.JsonSchema): Folded =>
  Array.isArray(schema["allOf"]) ? new Folding(document).fold(schema, 0) : { schema, conflicts: [] }

class Folding {
  readonly #known = new Map<Json.JsonSchema, Folded>()
  #count = 0

  constructor(private readonly document: Json.JsonSchema) {}

  /** Many branches may name one type: it is folded once. */
  fold(schema: Json.JsonSchema, depth: number): Folded {
    const branches = schema["allOf"]
    if (!Array.isArray(branches) || depth > maxDepth) return { schema, conflicts: [] }
    const folded = this.#known.get(schema) ?? this.#merge(schema, branches, depth)
    this.#known.set(schema, folded)
    return folded
  }

  #merge(schema: Json.JsonSchema, branches: ReadonlyArray<unknown>, depth: number): Folded {
    const { allOf: _, ...base } = schema
    const merged = new Map<string, unknown>(Object.entries(base))
    const conflicts = new Set<string>()
    const single = branches.length === 1 && base["properties"] === undefined && base["type"] === undefined
    const targets = branches.filter(Json.isObject).map((each) => (single ? each : dereference(each, this.document)))
    for (const branch of new Set(targets)) {
      if (++this.#count > maxBranches) {
        conflicts.add("allOf")
        break
      }
      const folded = this.fold(branch, depth + 1)
      for (const conflict of folded.conflicts) conflicts.add(conflict)
      for (const [keyword, value] of Object.entries(folded.schema)) {
        const known = merged.get(keyword)
        if (known === undefined) merged.set(keyword, value)
        else if (keyword === "properties" && Json.isObject(known) && Json.isObject(value)) {
          merged.set(keyword, { ...value, ...known })
          for (const key of Object.keys(value)) {
            if (Object.hasOwn(known, key) && !isSame(known[key], value[key])) conflicts.add(`properties.${key}`)
          }
        } else if (keyword === "required" && Array.isArray(known) && Array.isArray(value)) {
          merged.set(keyword, [...new Set([...known, ...value])])
        } else if (keyword === "additionalProperties" && (known === false || value === false)) {
          merged.set(keyword, false)
        } else if (keyword !== "description" && keyword !== "title" && !isSame(known, value)) conflicts.add(keyword)
      }
    }
    return { schema: Object.fromEntries(merged), conflicts: [...conflicts] }
  }
}

const dereference = (branch: Json.JsonSchema, document: Json.JsonSchema): Json.JsonSchema => {
  const reference = branch["$ref"]
  if (typeof reference !== "string") return branch
  const { $ref: _, ...beside } = branch
  const target = JsonPointer.schemaAt(document, reference) ?? {}
  return Object.keys(beside).length === 0 ? target : { ...target, ...beside }
}

const isSame = (left: unknown, right: unknown): boolean =>
  left === right || JSON.stringify(left) === JSON.stringify(right)
