/**
 * From a schema from outside to a function that checks values: read as its
 * author meant it, then compiled by ajv, or interpreted where that cannot run.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { isObject, type JsonSchema } from "../Json.js"
import type { InvalidJsonSchema } from "../JsonSchemaError.js"
import { type AjvCompile, type AjvRequest, loadAjv, Overtaxed } from "./ajv.js"
import { hasDefaults, withDefaults } from "./defaults.js"
import type { Draft } from "./draft.js"
import type { Engine } from "./engine.js"
import { endlessRecursion } from "./endlessRecursion.js"
import { engineSchema } from "./engineSchema.js"
import { invalid } from "./invalid.js"
import { loadInterpreter } from "./interpreter.js"
import type { Path } from "./keywords.js"
import { type Normalised, normalise } from "./normalise.js"
import { loadRe2, type Matcher, matcher, type Re2, riskOf } from "./pattern.js"
import { eachSchema } from "./schemas.js"

export interface CompileOptions {
  readonly draft?: Draft | undefined
  readonly formats?: "annotation" | "assertion" | undefined
  readonly defaults?: "annotation" | "filled" | undefined
  readonly documents?: { readonly [uri: string]: JsonSchema } | undefined
}

export interface Compiled {
  readonly normalised: Normalised
  readonly engine: Engine
  /** The value with defaults, where they are asked for. */
  readonly fill: (value: unknown) => unknown
}

export type Compile = (schema: JsonSchema, options?: CompileOptions) => Effect.Effect<Compiled, InvalidJsonSchema>

/** What is loaded and prepared once, for any number of schemas. */
export const compiler: Effect.Effect<Compile> = Effect.gen(function* () {
  const compileByAjv = yield* loadAjv
  const interpreter = yield* Effect.cached(loadInterpreter)
  const re2 = yield* Effect.cached(loadRe2)
  return (schema, options = {}) =>
    Effect.gen(function* () {
      const normalised = yield* normalise(schema, options.draft)
      const recursion = endlessRecursion(normalised.schema)
      if (recursion !== undefined) return yield* recursion
      const documents: Array<[string, Normalised]> = []
      for (const [uri, document] of Object.entries(options.documents ?? {})) {
        documents.push([uri, yield* normalise(document, options.draft)])
      }
      const all = [normalised, ...documents.map(([, document]) => document)]
      const patterns = all.flatMap((document) => patternsOf(document.schema))
      const needsRe2 = patterns.some(({ pattern }) => riskOf(pattern) !== "none")
      const matchers = yield* matchersOf(patterns, needsRe2 ? yield* re2 : undefined)
      const isFormatAsserted = options.formats === "assertion"
      const request = (): AjvRequest => ({
        schema: engineSchema(normalised, isFormatAsserted),
        draft: normalised.draft,
        matchers,
        documents: documents.map(([uri, document]) => [uri, engineSchema(document, isFormatAsserted)])
      })
      const compiled = compileByAjv(request())
      const engine = Either.isRight(compiled)
        ? whenAsked(() => compileByAjv(request()))
        : compiled.left instanceof Overtaxed
          ? yield* (yield* interpreter)(request())
          : yield* compiled.left
      const isFilling = options.defaults === "filled" && hasDefaults(normalised.seen)
      return { normalised, engine, fill: isFilling ? filling(normalised.schema, engine) : unfilled }
    })
})

/**
 * What was compiled is let go, and made again when the first value comes: its
 * code takes ten kilobytes a schema, and most tools of a large toolset are
 * never called.
 */
const whenAsked = (compileAgain: () => ReturnType<AjvCompile>): Engine => {
  let made: Engine | undefined
  // It was compiled before, so that it can be is known.
  const engine = (): Engine => (made ??= Either.getOrThrow(compileAgain()))
  return {
    isValid: (value) => engine().isValid(value),
    failures: (value) => engine().failures(value),
    failuresBy: (schema, value) => engine().failuresBy(schema, value),
    resolve: (reference) => engine().resolve(reference)
  }
}

const unfilled = (value: unknown): unknown => value

const filling =
  (schema: JsonSchema, engine: Engine) =>
  (value: unknown): unknown => {
    const filled = withDefaults(schema, value)
    // A default may break a rule that spans properties; then the value is better off without.
    return filled === value || engine.isValid(filled) ? filled : value
  }

interface Pattern {
  readonly pattern: string
  readonly path: Path
}

const patternsOf = (root: JsonSchema): ReadonlyArray<Pattern> => {
  const found: Array<Pattern> = []
  eachSchema(root, ({ path, schema }) => {
    const { pattern, patternProperties } = schema
    if (typeof pattern === "string") found.push({ pattern, path: [...path, "pattern"] })
    if (!isObject(patternProperties)) return
    for (const key of Object.keys(patternProperties))
      found.push({ pattern: key, path: [...path, "patternProperties", key] })
  })
  return found
}

const noMatchers: ReadonlyMap<string, Matcher> = new Map()

const matchersOf = (
  patterns: ReadonlyArray<Pattern>,
  re2: Re2 | undefined
): Either.Either<ReadonlyMap<string, Matcher>, InvalidJsonSchema> => {
  if (patterns.length === 0) return Either.right(noMatchers)
  const matchers = new Map<string, Matcher>()
  for (const { path, pattern } of patterns) {
    const made = matcher(pattern, re2)
    if (made === undefined) {
      const problem =
        "this can take exponential time, and has no form that does not: rewrite it without a repetition in a repeated group"
      return Either.left(invalid("UnsafePattern", path, problem))
    }
    matchers.set(pattern, made)
  }
  return Either.right(matchers)
}
