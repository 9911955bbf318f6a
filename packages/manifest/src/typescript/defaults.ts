/** Which defaults are valid by their own schemas: an annotation of a schema takes no other. */
import { Json, type JsonSchema } from "@wield/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { ReadOptions } from "./read.js"

type Compile = Effect.Effect.Success<typeof JsonSchema.compiler>

/** What was found out about the defaults of schemas, by their texts: tools of one API share most of theirs. */
export type KnownDefaults = Map<string, boolean>

export const validDefaults = (
  root: Json.JsonSchema,
  compile: Compile,
  known: KnownDefaults
): Effect.Effect<ReadOptions["isValid"]> =>
  Effect.gen(function* () {
    const found = new Set<Json.JsonSchema>()
    collect(root, found)
    const valid = new Set<unknown>()
    for (const schema of found) {
      const whole = withDefinitions(schema, root)
      const text = JSON.stringify(whole)
      let isValid = known.get(text)
      if (isValid === undefined) {
        const validator = yield* Effect.either(compile(whole))
        isValid = Either.isRight(validator) && validator.right.isValid(schema["default"])
        known.set(text, isValid)
      }
      if (isValid) valid.add(schema)
    }
    // A schema that was put together of two has not been looked at.
    return (schema) => valid.has(schema)
  })

/** With the definitions that it leads to, and no others. */
const withDefinitions = (schema: Json.JsonSchema, root: Json.JsonSchema): Json.JsonSchema => {
  const { $defs } = root
  const names = new Set<string>()
  const waiting: Array<unknown> = [schema]
  while (waiting.length > 0) {
    const text = JSON.stringify(waiting.pop()) ?? ""
    for (const [, name = ""] of text.matchAll(/"\$ref":"#\/\$defs\/([^"]*)"/g)) {
      if (names.has(name) || !Json.isObject($defs) || !Object.hasOwn($defs, name)) continue
      names.add(name)
      waiting.push($defs[name])
    }
  }
  return names.size === 0
    ? schema
    : { allOf: [schema], $defs: Object.fromEntries([...names].sort().map((name) => [name, Object($defs)[name]])) }
}

const collect = (value: unknown, found: Set<Json.JsonSchema>): void => {
  if (Array.isArray(value)) for (const item of value) collect(item, found)
  if (!Json.isObject(value) || found.has(value)) return
  if (value["default"] !== undefined) found.add(value)
  for (const [keyword, held] of Object.entries(value)) {
    if (keyword !== "default" && keyword !== "enum" && keyword !== "const" && keyword !== "examples")
      collect(held, found)
  }
}
