/**
 * From a schema from outside to a function that checks values: read as its
 * author meant it, then compiled by ajv, evaluated where ajv reads it otherwise
 * than its draft, or interpreted where ajv cannot run.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { isObject, type JsonSchema } from "../Json.js"
import type { InvalidJsonSchema } from "../JsonSchemaError.js"
import { type AjvRequest, loadAjv, Overtaxed } from "./ajv.js"
import { hasDefaults, withDefaults } from "./defaults.js"
import type { Draft } from "./draft.js"
import type { Engine } from "./engine.js"
import { endlessRecursion } from "./endlessRecursion.js"
import { engineSchema } from "./engineSchema.js"
import { loadEvaluator, needsEvaluation } from "./evaluator.js"
import { invalid } from "./invalid.js"
import { loadInterpreter } from "./interpreter.js"
import type { Path } from "./keywords.js"
import { type Normalised, normalise } from "./normalise.js"
import { vocabularyOf } from "./vocabulary.js"
import { loadRe2, type Matcher, matcher, type Re2, riskOf } from "./pattern.js"
import { resolveLocal } from "./pointer.js"
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
  const ajv = yield* loadAjv
  const interpreter = yield* Effect.cached(loadInterpreter)
  const evaluator = yield* Effect.cached(loadEvaluator)
  const re2 = yield* Effect.cached(loadRe2)
  return (schema, options = {}) =>
    Effect.gen(function* () {
      const normalised = yield* normalise(schema, options.draft)
      const recursion = normalised.seen.has("$ref") ? endlessRecursion(normalised.schema) : undefined
      if (recursion !== undefined) return yield* recursion
      const documents: Array<[string, Normalised]> = []
      for (const [uri, document] of Object.entries(options.documents ?? {})) {
        documents.push([uri, yield* normalise(document, options.draft)])
      }
      const all = [normalised, ...documents.map(([, document]) => document)]
      const patterns = all.flatMap(patternsOf)
      const needsRe2 = patterns.some(({ pattern }) => riskOf(pattern) !== "none")
      const matchers = yield* matchersOf(patterns, needsRe2 ? yield* re2 : undefined)
      const isFormatAsserted = options.formats === "assertion"
      const request = (): AjvRequest => ({
        schema: engineSchema(normalised, isFormatAsserted, vocabularyOf(normalised, options.documents)),
        draft: normalised.draft,
        matchers,
        documents: documents.map(([uri, document]) => [uri, engineSchema(document, isFormatAsserted)])
      })
      // A schema of this size may be too much for ajv, which is found out when it is compiled.
      const interpret = normalised.size > largestCertain ? yield* interpreter : undefined
      const whenAsked = onceAsked(() => {
        const compiled = ajv.compile(request())
        const isOvertaxed = Either.isLeft(compiled) && compiled.left instanceof Overtaxed
        return Either.getOrThrow(isOvertaxed && interpret !== undefined ? interpret(request()) : compiled)
      })
      let engine = whenAsked
      if (all.some(needsEvaluation)) {
        const compiled = ajv.compile(request())
        const problem = Either.isLeft(compiled) && !(compiled.left instanceof Overtaxed) ? compiled.left : undefined
        if (problem?.kind === "Malformed") return yield* problem
        engine = yield* Effect.mapError((yield* evaluator)(request()), (other) =>
          // ajv tells where a reference stands, but does not take each kind of them.
          problem === undefined || problem.kind === "Unsupported" ? other : problem
        )
      } else if (ajv.canCompile && documents.length === 0 && isCompilable(normalised)) {
        const problem = ajv.problemOf(request())
        if (problem !== undefined) return yield* problem
      } else {
        const compiled = ajv.compile(request())
        if (Either.isLeft(compiled)) {
          engine = compiled.left instanceof Overtaxed ? yield* (yield* interpreter)(request()) : yield* compiled.left
        }
      }
      const isFilling = options.defaults === "filled" && hasDefaults(normalised.seen)
      return { normalised, engine, fill: isFilling ? filling(normalised.schema, engine) : unfilled }
    })
})

/**
 * An engine that is made when the first value comes: compiling a schema takes
 * milliseconds and its code ten kilobytes, and most tools of a large toolset
 * are never called.
 */
const onceAsked = (make: () => Engine): Engine => {
  let made: Engine | undefined
  const engine = (): Engine => (made ??= make())
  return {
    isValid: (value) => engine().isValid(value),
    failures: (value) => engine().failures(value),
    failuresBy: (schema, value) => engine().failuresBy(schema, value),
    resolve: (reference) => engine().resolve(reference)
  }
}

/** A chain of so many schemas is not too deep for ajv. */
const largestCertain = 300

/**
 * Whether ajv can compile a schema that is valid by its draft, so that this
 * need not be tried: it can, where each reference leads to a schema of the same
 * document, and where nothing stands that only ajv refuses.
 */
const isCompilable = ({ normalisations, schema: root, seen }: Normalised): boolean => {
  if ([...seen].some((keyword) => uncertain.has(keyword))) return false
  // What was read otherwise may have left no values.
  if (normalisations.some(({ keyword }) => keyword === "enum")) return false
  if (!seen.has("$ref")) return true
  let isCertain = true
  eachSchema(root, ({ schema: { $ref: reference } }) => {
    isCertain =
      reference === undefined || (typeof reference === "string" && resolveLocal(reference, root) !== undefined)
    return isCertain
  })
  return isCertain
}

/** What changes where references lead, what drafts allow and ajv does not, and keywords that it adds to theirs. */
const uncertain: ReadonlySet<string> = new Set(
  (
    "$anchor $dynamicAnchor $dynamicRef $id $recursiveAnchor $recursiveRef id enum[] " +
    "formatExclusiveMaximum formatExclusiveMinimum formatMaximum formatMinimum"
  ).split(" ")
)

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

const noPatterns: ReadonlyArray<Pattern> = []

const patternsOf = ({ schema: root, seen }: Normalised): ReadonlyArray<Pattern> => {
  if (!seen.has("pattern") && !seen.has("patternProperties")) return noPatterns
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
