/**
 * Validation by evaluation, as the drafts word it: for what ajv reads otherwise,
 * which is references by dynamic scope and what counts as evaluated. Some
 * hundred times slower than ajv's functions; few tools need it.
 *
 * `@hyperjump/json-schema` keeps keywords and dialects in one place for the
 * whole process, and fetches what it does not know. So no schema from outside is
 * registered there, what is added has names of its own, and all documents that
 * there are stand in a cache that refuses to be asked for any other.
 */
import type { Browser, Document } from "@hyperjump/browser"
import type { OutputUnit } from "@hyperjump/json-schema/draft-2020-12"
import type { CompiledSchema, SchemaDocument } from "@hyperjump/json-schema/experimental"
import type { Format } from "ajv"
import * as Effect from "effect/Effect"
import { isObject, type JsonSchema } from "../Json.js"
import type { InvalidJsonSchema } from "../JsonSchemaError.js"
import { type AjvRequest, loadFormats } from "./ajv.js"
import { type Engine, engineOf, type Failure, maxSteps, valueAt, isMultipleOf } from "./engine.js"
import { invalid } from "./invalid.js"
import { keywordsIn } from "./keywords.js"
import type { Normalised } from "./normalise.js"
import type { Matcher } from "./pattern.js"
import * as JsonPointer from "../JsonPointer.js"
import { eachSchema } from "./schemas.js"

export type Evaluate = (request: AjvRequest) => Effect.Effect<Engine, InvalidJsonSchema>

/** The address of a schema that has none itself. */
const root = "https://schema.invalid/"

const keywords = "https://json-schema.org/keyword/"
const assertedFormat = `${root}keyword/format`
const exactMultipleOf = `${root}keyword/multipleOf`
const countedContains = `${root}keyword/contains`

export const loadEvaluator: Effect.Effect<Evaluate> = Effect.map(
  Effect.promise(() =>
    Promise.all([
      import("@hyperjump/json-schema/experimental"),
      import("@hyperjump/json-schema/instance/experimental"),
      loadFormats(),
      // They register the keywords of their drafts.
      import("@hyperjump/json-schema/draft-2019-09"),
      import("@hyperjump/json-schema/draft-2020-12")
    ])
  ),
  ([{ addKeyword, buildSchemaDocument, compile, getSchema, interpret, Validation }, instances, formats]): Evaluate => {
    addKeyword<string>({
      id: assertedFormat,
      // No schema has this keyword: `prepare` puts it in place of the one that asserts nothing.
      compile: () => Promise.resolve(""),
      interpret: (name, instance) => isOfFormat(formatOf(name), instances.value(instance))
    })
    addKeyword<number>({
      id: exactMultipleOf,
      // As above: what the library compiled it to is the divisor.
      compile: () => Promise.resolve(1),
      interpret: (divisor, instance) => {
        const value = instances.value(instance)
        return typeof value !== "number" || isMultipleOf(value, divisor)
      }
    })
    addKeyword<Contains>({
      id: countedContains,
      compile: () => Promise.resolve({ contains: "", minContains: 1, maxContains: 1 }),
      interpret: ({ contains, maxContains, minContains }, instance, context) => {
        if (instances.typeOf(instance) !== "array") return true
        const items = Array.from(instances.iter(instance))
        const count = items.filter((item) => Validation.interpret(contains, item, context)).length
        return count >= minContains && count <= maxContains
      }
    })
    const formatOf = (name: string): Format | undefined => {
      // It throws at a name that it does not know, which asserts nothing.
      try {
        // A name that it does not know gives nothing.
        return formats.get(name as Parameters<typeof formats.get>[0])
      } catch {
        return undefined
      }
    }

    const compiledOf = async (request: AjvRequest): Promise<Compiled> => {
      const { documents, draft, schema } = request
      const dialect = `https://json-schema.org/draft/${draft}/schema`
      const tokens = new Map<string, Matcher>()
      const all = new Map<string, Document>()
      const add = (document: JsonSchema, address: string): Document => {
        // A schema is JSON.
        const copy = copyOf(document, request, tokens) as Parameters<typeof buildSchemaDocument>[0]
        const built = buildSchemaDocument(copy, address, dialect)
        for (const one of [built, ...Object.values(built.embedded ?? {})]) {
          // ajv has looked whether they are valid.
          Object.assign(one, { validated: true })
          all.set(one.baseUri, one)
        }
        all.set(address, built)
        return built
      }
      for (const [address, document] of documents) add(document.root, address)
      const document = add(schema.root, root)
      const cache = new Proxy<Record<string, Document>>(Object.fromEntries(all), {
        get: (known, address) => {
          if (typeof address === "string" && !Object.hasOwn(known, address)) throw new UnknownDocument(address)
          return known[String(address)]
        }
      })
      // What it is called with again for each reference, which its type does not say.
      const browser = await getSchema(document.baseUri, { _cache: cache } as unknown as Browser<SchemaDocument>)
      const compiled = await compile(browser)
      prepare(compiled, draft, tokens)
      return { base: document.baseUri, compiled, documents: all }
    }

    return (request) =>
      Effect.tryPromise({
        try: () => compiledOf(request),
        catch: (error) =>
          error instanceof UnknownDocument
            ? invalid(
                "ExternalReference",
                [],
                `${error.message.slice(0, 300)} leads out of this document, and nothing is fetched`
              )
            : invalid("Unsupported", [], String(error).slice(0, 300))
      }).pipe(
        Effect.map(({ base, compiled, documents }): Engine => {
          /** Where the branches of unions stand, which are asked for by `failuresBy`. */
          const branches = new WeakMap<object, string>()
          const evaluate = (uri: string, value: unknown, outputFormat: "FLAG" | "DETAILED") => {
            let steps = 0
            const count = () => {
              if (++steps > maxSteps) throw new TooManySteps()
            }
            const plugins = [{ id: `${root}steps`, beforeSchema: count }]
            // A value that is not JSON throws.
            const instance = instances.fromJs(value as Parameters<typeof instances.fromJs>[0])
            return interpret({ ...compiled, schemaUri: uri }, instance, { outputFormat, plugins })
          }
          const failuresAt = (uri: string, value: unknown): ReadonlyArray<Failure> => {
            const result = evaluate(uri, value, "DETAILED")
            return result.valid ? [] : (result.errors ?? []).flatMap((unit) => failuresOf(unit, value))
          }
          const failuresOf = (unit: OutputUnit, value: unknown): ReadonlyArray<Failure> => {
            const path = JsonPointer.pathOf(unit.instanceLocation)
            const data = valueAt(value, path)
            if (unit.keyword === Validation.id) {
              return [{ keyword: "false schema", path, stated: false, schema: {}, data, name: undefined }]
            }
            const { keyword, location, schema } = placeOf(unit.absoluteKeywordLocation)
            const stated = schema[keyword] ?? statedIn(compiled, keyword, location)
            const failure = (name?: string): Failure => ({ keyword, path, stated, schema, data, name })
            // Of a union in a draft's own schema the branches cannot be asked: what is wrong by them stands for it.
            if (unions.has(keyword) && schema[keyword] !== undefined) {
              if (Array.isArray(stated)) {
                stated.forEach((branch: unknown, index) => {
                  if (isObject(branch)) branches.set(branch, `${location}/${index}`)
                })
              }
              return [failure()]
            }
            const inner = unit.errors ?? []
            if (keyword === "propertyNames" || (closed.has(keyword) && stated === false)) {
              // What is wrong with them is only that they are there, or how they are named.
              const names = inner.map(({ instanceLocation }) => JsonPointer.pathOf(instanceLocation).at(-1))
              const texts = [...new Set(names.flatMap((name) => (typeof name === "string" ? [name] : [])))]
              return texts.length === 0 ? [failure()] : texts.map((name) => failure(name))
            }
            if (inner.length > 0) return inner.flatMap((one) => failuresOf(one, value))
            if (keyword === "required" && isObject(data) && Array.isArray(stated)) {
              return stated.flatMap((name) => (Object.hasOwn(data, String(name)) ? [] : [failure(String(name))]))
            }
            return [failure()]
          }
          /** Of the root as it was given; of other documents as they were built. */
          const placeOf = (location: string) => {
            const [address = "", fragment = ""] = location.split("#", 2)
            const path = JsonPointer.pathOf(`#${fragment}`)
            const document = address === base ? request.schema.root : documents.get(address)?.root
            const schema = valueAt(document, path.slice(0, -1))
            return { keyword: String(path.at(-1)), location, schema: isObject(schema) ? schema : {} }
          }
          return engineOf(
            request.schema.root,
            (value) => evaluate(compiled.schemaUri, value, "FLAG").valid,
            (schema, value) => {
              const uri = schema === request.schema.root ? compiled.schemaUri : isObject(schema) && branches.get(schema)
              return typeof uri === "string" ? failuresAt(uri, value) : undefined
            }
          )
        })
      )
  }
)

/** What a keyword of a draft's own schema states, of which there is only what it was compiled to. */
const statedIn = ({ ast }: CompiledSchema, keyword: string, location: string): unknown => {
  for (const nodes of Object.values(ast)) {
    // As in `prepare`.
    const all: ReadonlyArray<readonly [id: string, location: string, value: unknown]> = Array.isArray(nodes)
      ? nodes
      : []
    const value = all.find((node) => node[1] === location)?.[2]
    if (value instanceof RegExp) return value.source
    if (value !== undefined) {
      // The library compares values by their texts.
      return keyword === "enum" && Array.isArray(value) ? value.map((text) => JSON.parse(String(text))) : value
    }
  }
  return undefined
}

interface Compiled {
  readonly base: string
  readonly compiled: CompiledSchema
  readonly documents: ReadonlyMap<string, Document>
}

/** What the library compiles the keyword to. */
interface Contains {
  readonly contains: string
  readonly minContains: number
  readonly maxContains: number
}

class UnknownDocument extends Error {}

class TooManySteps extends Error {}

const unions = keywordsIn("anyOf contains not oneOf")

const closed = keywordsIn("additionalProperties items unevaluatedItems unevaluatedProperties")

const isOfFormat = (format: Format | undefined, value: unknown): boolean => {
  if (format === undefined || typeof format === "boolean") return true
  if (typeof format === "string") return isOfFormat(new RegExp(format, "u"), value)
  if (format instanceof RegExp) return typeof value !== "string" || format.test(value)
  if (typeof format === "function") return typeof value !== "string" || format(value)
  const { type = "string", validate } = format
  if (typeof value !== type || typeof validate === "string") return true
  // Which of the two it takes is said by its type.
  return validate instanceof RegExp ? validate.test(String(value)) : (validate as (value: unknown) => boolean)(value)
}

/**
 * A copy with a text that matches nothing in place of each pattern: the library
 * would make expressions of them that take exponential time, or that cannot be
 * made with the flag `u`. The draft's own words stand for the older
 * `dependencies`, which it does not know.
 */
const copyOf = (document: JsonSchema, { matchers }: AjvRequest, tokens: Map<string, Matcher>): JsonSchema => {
  const tokenOf = (pattern: string): string => {
    if (tokens.has(pattern)) return pattern
    const token = `(?!)wield${tokens.size}`
    tokens.set(token, matchers.get(pattern) ?? new RegExp(pattern, "u"))
    return token
  }
  const copy = structuredClone(document)
  eachSchema(copy, ({ schema }) => {
    const { dependencies, pattern, patternProperties } = schema
    const changed: { [keyword: string]: unknown } = {}
    if (typeof pattern === "string") changed["pattern"] = tokenOf(pattern)
    if (isObject(patternProperties)) {
      const entries = Object.entries(patternProperties).map(([key, inner]) => [tokenOf(key), inner] as const)
      changed["patternProperties"] = Object.fromEntries(entries)
    }
    if (isObject(dependencies)) {
      const entries = Object.entries(dependencies)
      const [lists, schemas] = [true, false].map((isList) =>
        entries.filter(([, inner]) => Array.isArray(inner) === isList)
      )
      changed["dependentRequired"] = { ...Object.fromEntries(lists ?? []), ...toObject(schema["dependentRequired"]) }
      changed["dependentSchemas"] = { ...Object.fromEntries(schemas ?? []), ...toObject(schema["dependentSchemas"]) }
    }
    Object.assign(schema, changed)
  })
  return copy
}

const toObject = (value: unknown): object => (isObject(value) ? value : {})

/** Puts the patterns in place of their tokens, and what is exact or asserts in place of what is not or does not. */
const prepare = ({ ast }: CompiledSchema, draft: Normalised["draft"], tokens: ReadonlyMap<string, Matcher>): void => {
  const matcherOf = (expression: RegExp): Matcher => {
    const listed = expression.source.split("|").flatMap((text) => tokens.get(text) ?? [])
    return { test: (text) => expression.test(text) || listed.some((matcher) => matcher.test(text)) }
  }
  for (const nodes of Object.values(ast)) {
    if (!Array.isArray(nodes)) continue
    // A node is a keyword's id, its place and what it was compiled to.
    for (const node of nodes as ReadonlyArray<[id: string, location: string, value: unknown]>) {
      const [id, , value] = node
      if (id === `${keywords}pattern` && value instanceof RegExp) node[2] = matcherOf(value)
      if (id === `${keywords}additionalProperties`) withMatcher(value, matcherOf)
      if (id === `${keywords}patternProperties` && Array.isArray(value)) {
        for (const pair of value) withMatcher(pair, matcherOf)
      }
      if (id.startsWith(keywords) && /\/format(?:-assertion)?$/.test(id) && typeof value === "string")
        node[0] = assertedFormat
      // Only since draft 2020-12 is what it matches evaluated by it.
      if (id === `${keywords}contains` && draft === "2019-09") node[0] = countedContains
      // The library takes what is off by a ten-millionth, and no negative decimals.
      if (id === `${keywords}multipleOf`) node[0] = exactMultipleOf
    }
  }
}

/** Both keywords have an expression and the schema of what matches it. */
const withMatcher = (pair: unknown, matcherOf: (expression: RegExp) => Matcher): void => {
  if (Array.isArray(pair) && pair[0] instanceof RegExp) pair[0] = matcherOf(pair[0])
}
