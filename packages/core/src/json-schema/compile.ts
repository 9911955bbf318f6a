/**
 * From a schema from outside to a function that checks values: read as its
 * author meant it, then compiled by ajv, evaluated where ajv reads it otherwise
 * than its draft, or interpreted where ajv cannot run.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { identity } from "effect/Function"
import { once } from "../Fibers.js"
import { isObject, type JsonSchema } from "../Json.js"
import type { CompileOptions } from "../JsonSchema.js"
import type { InvalidJsonSchema } from "../JsonSchemaError.js"
import { type Ajv8, type AjvRequest, loadAjv, Overtaxed } from "./ajv.js"
import type { Engine } from "./engine.js"
import { engineSchema } from "./engineSchema.js"
import { invalid } from "./invalid.js"
import { eachSubschema, keywordsIn, type Path } from "./keywords.js"
import { normalise, type Normalised } from "./normalise.js"
import type * as PatternModule from "./pattern.js"
import type { Matcher, Re2 } from "./pattern.js"
import * as JsonPointer from "../JsonPointer.js"
import { eachSchema } from "./schemas.js"
import { kindOf } from "./summary.js"

export interface Compiled {
  readonly normalised: Normalised
  readonly engine: Engine
  /** The value with defaults, where they are asked for. */
  readonly fill: (value: unknown) => unknown
}

export type Compile = (schema: JsonSchema, options?: CompileOptions) => Effect.Effect<Compiled, InvalidJsonSchema>

/** What is loaded and prepared once, for any number of schemas. */
export const compiler: Effect.Effect<Compile> = Effect.gen(function* () {
  yield* loadAjv(commonDraft)
  // Few schemas need them: each is loaded with the first that does.
  const interpreter = once(
    Effect.flatMap(
      Effect.promise(() => import("./interpreter.js")),
      ({ loadInterpreter }) => loadInterpreter
    )
  )
  const evaluator = once(
    Effect.flatMap(
      Effect.promise(() => import("./evaluator.js")),
      ({ loadEvaluator }) => loadEvaluator
    )
  )
  const expressions = once(Effect.promise(() => import("./pattern.js")))
  const re2 = once(Effect.flatMap(expressions, ({ loadRe2 }) => loadRe2))
  return (schema, options = {}) =>
    Effect.gen(function* () {
      const normalised = yield* normalise(schema, options.draft)
      const recursion = normalised.seen.has("$ref") ? endlessRecursion(normalised.schema) : undefined
      if (recursion !== undefined) return yield* recursion
      const documents: Array<[string, Normalised]> = []
      for (const [uri, document] of Object.entries(options.documents ?? {})) {
        documents.push([uri, yield* normalise(document, options.draft)])
      }
      const ajv = yield* loadAjv(normalised.draft)
      const all = [normalised, ...documents.map(([, document]) => document)]
      const patterns = all.flatMap(patternsOf)
      const matchers = patterns.length === 0 ? noMatchers : yield* matchersOf(patterns, yield* expressions, re2)
      const isFormatAsserted = options.formats === "assertion"
      const request = (): AjvRequest => ({
        isWellFormed: normalised.isWellFormed,
        schema: engineSchema(normalised, isFormatAsserted, vocabularyOf(normalised, options.documents)),
        refers: all.some(({ seen }) => references.some((keyword) => seen.has(keyword))),
        draft: normalised.draft,
        matchers,
        documents: documents.map(([uri, document]) => [uri, engineSchema(document, isFormatAsserted)])
      })
      // A schema of this size may be too much for ajv, which is found out when it is compiled.
      const interpret = normalised.size > largestCertain ? yield* interpreter : undefined
      const whenAsked = onceAsked(() => {
        const compiled = compileBy(ajv, request(), normalised.size)
        const isOvertaxed = Either.isLeft(compiled) && compiled.left instanceof Overtaxed
        return Either.getOrThrowWith(isOvertaxed && interpret !== undefined ? interpret(request()) : compiled, identity)
      })
      /** Compiles it now: what is wrong with the schema shows before it is used. */
      const tried = Effect.gen(function* () {
        const compiled = compileBy(ajv, request(), normalised.size)
        if (Either.isRight(compiled)) return whenAsked
        return compiled.left instanceof Overtaxed ? yield* (yield* interpreter)(request()) : yield* compiled.left
      })
      let engine = whenAsked
      if (all.some(needsEvaluation)) {
        const compiled = compileBy(ajv, request(), normalised.size)
        const problem = Either.isLeft(compiled) && !(compiled.left instanceof Overtaxed) ? compiled.left : undefined
        if (problem?.kind === "Malformed") return yield* problem
        engine = yield* Effect.mapError((yield* evaluator)(request()), (other) =>
          // ajv tells where a reference stands, but does not take each kind of them.
          problem === undefined || problem.kind === "Unsupported" ? other : problem
        )
      } else if (ajv.canCompile && documents.length === 0 && isCompilable(normalised)) {
        const problem = normalised.isWellFormed ? undefined : ajv.problemOf(request().schema.root)
        if (problem !== undefined) return yield* problem
        // With a pattern that the interpreter does not run, the first call could find that no engine takes the schema.
        const { isInterpretable } = interpret === undefined || patterns.length === 0 ? anyPattern : yield* expressions
        if (!patterns.every(({ pattern }) => isInterpretable(pattern))) engine = yield* tried
      } else {
        engine = yield* tried
      }
      const isFilling = options.defaults === "filled" && normalised.seen.has("default")
      return { normalised, engine, fill: isFilling ? filling(normalised.schema, engine) : identity }
    })
})

/** What is certain to be compiled needs no interpreter. */
const anyPattern = { isInterpretable: () => true }

/** Of a schema that names none, and has no keyword of another. */
const commonDraft = "2020-12"

const references = ["$ref", "$dynamicRef", "$recursiveRef"]

/** Whether ajv reads a schema otherwise than its draft has it. */
const needsEvaluation = ({ draft, seen }: Normalised): boolean =>
  !draft.startsWith("draft-") && scoped.some((keyword) => seen.has(keyword))

const scoped = ["$dynamicRef", "$recursiveRef", "unevaluatedItems", "unevaluatedProperties"]

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

/** ajv takes a millisecond a property to compile a schema, and the program waits: larger ones are interpreted. */
const compileBy = (ajv: Ajv8, request: AjvRequest, size: number): ReturnType<Ajv8["compile"]> =>
  size <= largestCompiled
    ? ajv.compile(request)
    : Either.left(
        (request.isWellFormed ? undefined : ajv.problemOf(request.schema.root)) ??
          new Overtaxed({ message: "the schema takes ajv too long" })
      )

const largestCompiled = 2_000

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
      reference === undefined || (typeof reference === "string" && JsonPointer.schemaAt(root, reference) !== undefined)
    return isCertain
  })
  return isCertain
}

/** What changes where references lead, what drafts allow and ajv does not, and keywords that it adds to theirs. */
const uncertain = keywordsIn(
  "$anchor $dynamicAnchor $dynamicRef $id $recursiveAnchor $recursiveRef id enum[] " +
    "formatExclusiveMaximum formatExclusiveMinimum formatMaximum formatMinimum"
)

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

type Expressions = Pick<typeof PatternModule, "matcher" | "riskOf">

const noMatchers: ReadonlyMap<string, Matcher> = new Map()

const matchersOf = (
  patterns: ReadonlyArray<Pattern>,
  { matcher, riskOf }: Expressions,
  loadRe2: Effect.Effect<Re2>
): Effect.Effect<ReadonlyMap<string, Matcher>, InvalidJsonSchema> =>
  Effect.gen(function* () {
    const re2 = patterns.some(({ pattern }) => riskOf(pattern) !== "none") ? yield* loadRe2 : undefined
    const matchers = new Map<string, Matcher>()
    for (const { path, pattern } of patterns) {
      const made = matcher(pattern, re2)
      if (made === undefined) {
        const problem =
          "this can take exponential time, and has no form that does not: rewrite it without a repetition in a repeated group"
        return yield* invalid("UnsafePattern", path, problem)
      }
      matchers.set(pattern, made)
    }
    return matchers
  })

/** Keywords whose schemas are about the same value as the schema they stand in. */
const inPlace = keywordsIn("allOf anyOf else if not oneOf then")

/** The first schema that leads back to itself by references and `inPlace` keywords only. */
const endlessRecursion = (root: JsonSchema): InvalidJsonSchema | undefined => {
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
    const target = typeof schema["$ref"] === "string" ? JsonPointer.schemaAt(root, schema["$ref"]) : undefined
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

/**
 * Which keywords a custom meta-schema turns on. Up to draft 7 there
 * is no saying; since then a meta-schema lists vocabularies, and a keyword of
 * one that it does not list says nothing about a value. By the last part of the
 * vocabulary's address.
 */
const vocabularies: { readonly [name: string]: ReadonlySet<string> } = {
  applicator: keywordsIn(
    "additionalItems additionalProperties allOf anyOf contains dependentSchemas else if items not oneOf " +
      "patternProperties prefixItems properties propertyNames then"
  ),
  unevaluated: keywordsIn("unevaluatedItems unevaluatedProperties"),
  validation: keywordsIn(
    "const dependentRequired enum exclusiveMaximum exclusiveMinimum maxContains maxItems maxLength maxProperties " +
      "maximum minContains minItems minLength minProperties minimum multipleOf pattern required type uniqueItems"
  )
}

/** Whether a keyword says anything, as far as the meta-schema is among the documents. */
const vocabularyOf = (
  { draft, schema }: Normalised,
  documents: { readonly [uri: string]: JsonSchema } = {}
): ((keyword: string) => boolean) => {
  const address = schema["$schema"]
  const meta = typeof address === "string" && Object.hasOwn(documents, address) ? documents[address] : undefined
  const stated = meta?.["$vocabulary"]
  if (!isObject(stated) || draft.startsWith("draft-")) return () => true
  const names = new Set(Object.keys(stated).map((uri) => uri.slice(uri.lastIndexOf("/") + 1)))
  // Draft 2019-09 has the unevaluated keywords among the applicators.
  if (draft === "2019-09" && names.has("applicator")) names.add("unevaluated")
  const silent = new Set(
    Object.entries(vocabularies).flatMap(([name, keywords]) => (names.has(name) ? [] : [...keywords]))
  )
  return (keyword) => !silent.has(keyword)
}

/** Values nested deeper get no defaults. */
const maxDepth = 100

/** The same value where nothing is absent; the given value is never changed. */
const withDefaults = (root: JsonSchema, value: unknown): unknown => {
  const fill = (schema: unknown, value: unknown, depth: number): unknown => {
    if (!isObject(schema) || depth > maxDepth || typeof value !== "object" || value === null) return value
    let filled: unknown = value
    const target = typeof schema["$ref"] === "string" ? JsonPointer.schemaAt(root, schema["$ref"]) : undefined
    if (target !== undefined) filled = fill(target, filled, depth + 1)
    // Not into unions: which branch holds is not known here.
    if (Array.isArray(schema["allOf"])) for (const part of schema["allOf"]) filled = fill(part, filled, depth + 1)
    // It was an object, and a copy of one is.
    return Array.isArray(filled) ? fillItems(schema, filled, depth) : fillProperties(schema, filled as object, depth)
  }

  const fillProperties = (schema: JsonSchema, value: object, depth: number): unknown => {
    const properties = schema["properties"]
    if (!isObject(properties)) return value
    const added: Array<[string, unknown]> = []
    for (const [key, property] of Object.entries(properties)) {
      if (!Object.hasOwn(value, key)) {
        if (isObject(property) && property["default"] !== undefined && isAllowed(property, root)) {
          added.push([key, structuredClone(property["default"])])
        }
        continue
      }
      const before: unknown = Reflect.get(value, key)
      const after = fill(property, before, depth + 1)
      if (after !== before) added.push([key, after])
    }
    return added.length === 0 ? value : Object.fromEntries([...Object.entries(value), ...added])
  }

  const fillItems = (schema: JsonSchema, value: ReadonlyArray<unknown>, depth: number): unknown => {
    const { items, prefixItems } = schema
    const places = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : []
    const rest = Array.isArray(items) ? schema["additionalItems"] : items
    const filled = value.map((item, index) => fill(index < places.length ? places[index] : rest, item, depth + 1))
    return filled.some((item, index) => item !== value[index]) ? filled : value
  }

  return fill(root, value, 0)
}

const isAllowed = (property: JsonSchema, root: JsonSchema): boolean => {
  const value = property["default"]
  const target = typeof property["$ref"] === "string" ? JsonPointer.schemaAt(root, property["$ref"]) : undefined
  return [property, target].every((schema) => {
    if (schema === undefined) return true
    const { enum: values, type } = schema
    const types: ReadonlyArray<unknown> = Array.isArray(type) ? type : [type]
    const kind = kindOf(value)
    const isOfType =
      type === undefined || types.includes(kind) || (Number.isInteger(value) && types.includes("integer"))
    return isOfType && (!Array.isArray(values) || typeof value === "object" || values.includes(value))
  })
}
