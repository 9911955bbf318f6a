/**
 * All schemas of a document: those that stand where schemas stand, and those
 * that references point at, wherever they are (OpenAPI keeps its schemas in
 * `components`, which is no keyword of JSON Schema).
 */
import { isObject, type JsonSchema } from "../Json.js"
import { eachSubschema, type Path } from "./keywords.js"
import * as JsonPointer from "../JsonPointer.js"

export interface Place {
  readonly schema: JsonSchema
  readonly path: Path
  /** How many schemas it stands in, itself included. */
  readonly depth: number
}

/**
 * Calls back with each schema until it answers `false`. Without recursion,
 * since how deep a document is nested is found out by this. Gives the schemas
 * that stand in no keyword that holds schemas.
 */
export const eachSchema = (root: JsonSchema, visit: (place: Place) => boolean | void): ReadonlySet<unknown> => {
  const elsewhere = new Set<unknown>()
  const inPlace = new Set<unknown>()
  const open: Array<Place> = [{ schema: root, path: [], depth: 1 }]
  const referred: Array<Place> = []
  for (;;) {
    const place = open.pop() ?? referred.pop()
    if (place === undefined) return elsewhere
    const { depth, path, schema } = place
    if (path.length > 0 && depth === 1) {
      // By the time a referred schema comes up, all that stand in place are known.
      if (inPlace.has(schema) || elsewhere.has(schema)) continue
      elsewhere.add(schema)
    }
    inPlace.add(schema)
    if (visit(place) === false) return elsewhere
    for (const keyword of references) {
      const reference = schema[keyword]
      if (typeof reference !== "string") continue
      const target = JsonPointer.schemaAt(root, reference)
      if (target !== undefined && target !== root)
        referred.push({ schema: target, path: JsonPointer.pathOf(reference), depth: 1 })
    }
    eachSubschema(schema, (inner, keyword, key) => {
      if (!isObject(inner)) return
      open.push({
        schema: inner,
        path: key === undefined ? [...path, keyword] : [...path, keyword, key],
        depth: depth + 1
      })
    })
  }
}

const references = ["$ref", "$dynamicRef", "$recursiveRef"]
