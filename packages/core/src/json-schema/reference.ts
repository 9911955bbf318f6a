/**
 * References inside of a document, and schemas that refer to themselves
 * without a value in between: those would never end.
 */
import { isObject, type JsonSchema } from "../Json.js"
import type { InvalidJsonSchema } from "../JsonSchemaError.js"
import { eachSubschema, type Path } from "./keywords.js"
import { invalid } from "./invalid.js"

/** What a reference such as `#/$defs/Order` points at; `undefined` for any other kind and where nothing is. */
export const resolveLocal = (reference: string, root: JsonSchema): JsonSchema | undefined => {
  if (!reference.startsWith("#")) return undefined
  if (reference === "#") return root
  if (!reference.startsWith("#/")) return undefined
  let at: unknown = root
  for (const segment of reference.slice(2).split("/")) {
    const key = decoded(segment).replaceAll("~1", "/").replaceAll("~0", "~")
    if (Array.isArray(at)) at = /^\d+$/.test(key) ? at[Number(key)] : undefined
    else at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined
  }
  return isObject(at) ? at : undefined
}

const decoded = (segment: string): string => {
  // A `%` that encodes nothing stands for itself; the decoder throws at it.
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Keywords whose schemas are about the same value as the schema they stand in. */
const inPlace: ReadonlySet<string> = new Set(["allOf", "anyOf", "else", "if", "not", "oneOf", "then"])

/** The first schema that leads back to itself by references and `inPlace` keywords only. */
export const endlessRecursion = (root: JsonSchema): InvalidJsonSchema | undefined => {
  const state = new Map<JsonSchema, "open" | "done">()
  const all: Array<{ readonly schema: JsonSchema; readonly path: Path }> = [{ schema: root, path: [] }]
  for (let next = all.pop(); next !== undefined; next = all.pop()) {
    const { schema, path } = next
    eachSubschema(schema, (inner, keyword, key) => {
      if (isObject(inner))
        all.push({ schema: inner, path: key === undefined ? [...path, keyword] : [...path, keyword, key] })
    })
    if (!state.has(schema) && comesBack(schema, root, state)) {
      return invalid("EndlessRecursion", path, "this refers to itself without a property or an item in between")
    }
  }
  return undefined
}

const comesBack = (start: JsonSchema, root: JsonSchema, state: Map<JsonSchema, "open" | "done">): boolean => {
  // A stack of its own: a chain of references may be longer than the stack is deep.
  const stack: Array<{ readonly schema: JsonSchema; readonly next: Array<JsonSchema> }> = []
  const enter = (schema: JsonSchema): void => {
    state.set(schema, "open")
    const next: Array<JsonSchema> = []
    const target = typeof schema["$ref"] === "string" ? resolveLocal(schema["$ref"], root) : undefined
    if (target !== undefined) next.push(target)
    eachSubschema(schema, (inner, keyword) => {
      if (inPlace.has(keyword) && isObject(inner)) next.push(inner)
    })
    stack.push({ schema, next })
  }
  enter(start)
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const next = top.next.pop()
    if (next === undefined) {
      state.set(top.schema, "done")
      stack.pop()
    } else if (state.get(next) === "open") return true
    else if (!state.has(next)) enter(next)
  }
  return false
}
