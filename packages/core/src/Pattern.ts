/**
 * Regular expressions from outside, such as those of schemas. JavaScript's engine
 * may take years for a short one, and nothing interrupts it: before one runs,
 * this says for which texts it may. Import it by its path, since its parser takes
 * some milliseconds to load.
 */
import * as Effect from "effect/Effect"
import * as Json from "./Json.js"
import { native } from "./json-schema/native.js"
import { longestTextFor } from "./json-schema/pattern.js"
import * as JsonSchema from "./JsonSchema.js"
import type { InvalidJsonSchema } from "./JsonSchemaError.js"

/**
 * The longest text, in characters, for which JavaScript's engine takes a second
 * at most: `Infinity` where time grows with the text only, `undefined` for a
 * pattern that must not run at all, or is no expression.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import * as Pattern from "@wield/core/Pattern"
 *
 * assert.strictEqual(Pattern.longestText("^[a-z]+$"), Infinity)
 * assert.strictEqual(Pattern.longestText("^(a+)+$"), undefined)
 * ```
 *
 * @category accessors
 */
export const longestText = (pattern: string): number | undefined =>
  native(pattern) === undefined ? undefined : longestTextFor(pattern)

/**
 * Whether a pattern matches a text. `undefined` where that could take more than a
 * second, or the pattern is no expression.
 *
 * @category predicates
 */
export const matches = (pattern: string, text: string): boolean | undefined =>
  text.length <= (longestText(pattern) ?? -1) ? native(pattern)?.test(text) : undefined

/** A schema with more of them is looked at no further. */
const mostDescribed = 20

/**
 * A schema in which each `pattern` that no engine runs safely, or that is no expression of ECMAScript, stands in the
 * description beside it. For tools of a server, which checks what it gets; a tool of your own may rely on its patterns.
 * The schema itself where there are no such patterns. Fails with what else keeps it from being compiled.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import * as Pattern from "@wield/core/Pattern"
 * import { Effect } from "effect"
 *
 * const schema = { type: "object", properties: { host: { type: "string", pattern: "^\\p{IsLetter}+$" } } }
 * const described = Effect.runPromise(Pattern.describeUnsafe(schema))
 * described.then(({ properties }) =>
 *   assert.deepStrictEqual(properties, { host: { type: "string", description: "Pattern: ^\\p{IsLetter}+$" } })
 * )
 * ```
 *
 * @category conversions
 */
export const describeUnsafe = (schema: Json.JsonSchema): Effect.Effect<Json.JsonSchema, InvalidJsonSchema> =>
  Effect.flatMap(JsonSchema.compiler, (compile) => {
    const describe = (given: Json.JsonSchema, left: number): Effect.Effect<Json.JsonSchema, InvalidJsonSchema> =>
      compile(given, { formats: "assertion" }).pipe(
        Effect.as(given),
        Effect.catchAll((error) => {
          const { kind, path } = error
          const isPattern = kind === "UnsafePattern" || kind === "Malformed"
          const rest = isPattern && left > 0 ? describePattern(given, path) : undefined
          return Json.isObject(rest) ? describe(rest, left - 1) : Effect.fail(error)
        })
      )
    return describe(schema, mostDescribed)
  })

/** The value with the `pattern` at this path in its description; `undefined` where none stands there. */
const describePattern = (value: unknown, [key, ...rest]: ReadonlyArray<string | number>): unknown => {
  if (key === undefined) return undefined
  if (Array.isArray(value)) {
    const changed = describePattern(value[Number(key)], rest)
    return changed === undefined ? undefined : value.map((item, index) => (index === key ? changed : item))
  }
  if (!Json.isObject(value)) return undefined
  if (key === "pattern" && rest.length === 0) {
    const { description, pattern, ...others } = value
    const said = `Pattern: ${String(pattern).slice(0, 300)}`
    return { ...others, description: typeof description === "string" ? `${description}\n${said}` : said }
  }
  const changed = describePattern(value[key], rest)
  return changed === undefined ? undefined : { ...value, [key]: changed }
}
