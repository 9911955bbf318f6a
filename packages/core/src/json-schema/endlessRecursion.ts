/** Schemas that refer to themselves without a value in between: those would never end. */
import { isObject, type JsonSchema } from "../Json.js"
import type { InvalidJsonSchema } from "../JsonSchemaError.js"
import { eachSubschema } from "./keywords.js"
import { resolveLocal } from "./pointer.js"
import { eachSchema } from "./schemas.js"
import { invalid } from "./invalid.js"

/** Keywords whose schemas are about the same value as the schema they stand in. */
const inPlace: ReadonlySet<string> = new Set(["allOf", "anyOf", "else", "if", "not", "oneOf", "then"])

/** The first schema that leads back to itself by references and `inPlace` keywords only. */
export const endlessRecursion = (root: JsonSchema): InvalidJsonSchema | undefined => {
  const state = new Map<JsonSchema, "open" | "done">()
  let found: InvalidJsonSchema | undefined
  eachSchema(root, ({ path, schema }) => {
    if (state.has(schema) || !comesBack(schema, root, state)) return true
    found = invalid("EndlessRecursion", path, "this refers to itself without a property or an item in between")
    return false
  })
  return found
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
