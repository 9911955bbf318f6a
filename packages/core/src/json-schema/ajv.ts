/**
 * Validation by ajv. A schema is compiled twice: at once to a function that
 * stops at the first mistake, and, when a reader asks what is wrong with a
 * value, to one that collects them all.
 */
import type { Ajv, ErrorObject, Options, ValidateFunction } from "ajv"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { once } from "../Fibers.js"
import { canonical, isObject, type JsonSchema } from "../Json.js"
import { show } from "../Issue.js"
import type { InvalidJsonSchema } from "../JsonSchemaError.js"
import type { Draft } from "../JsonSchema.js"
import { type Engine, engineOf, type Failure, maxSteps, isMultipleOf } from "./engine.js"
import { type EngineSchema, prototypePattern, stepKeyword } from "./engineSchema.js"
import type { Path } from "./keywords.js"
import { invalid } from "./invalid.js"
import type { Matcher } from "./pattern.js"
import * as JsonPointer from "../JsonPointer.js"

export interface AjvRequest {
  /** The meta-schema need not be asked. */
  readonly isWellFormed: boolean
  readonly schema: EngineSchema
  /** Whether it, or one of the documents, may refer to another schema. */
  readonly refers: boolean
  readonly draft: Draft
  readonly matchers: ReadonlyMap<string, Matcher>
  readonly documents: ReadonlyArray<readonly [uri: string, document: EngineSchema]>
}

/** ajv cannot run: functions must not be made from text here, or the schema is too much for it. */
export class Overtaxed extends Data.TaggedError("Overtaxed")<{ readonly message: string }> {}

export interface Ajv8 {
  /** Whether functions may be made from text here. */
  readonly canCompile: boolean
  /** What is wrong with a schema by its draft, without compiling it. */
  readonly problemOf: (schema: JsonSchema) => InvalidJsonSchema | undefined
  readonly compile: (request: AjvRequest) => Either.Either<Engine, InvalidJsonSchema | Overtaxed>
}

type Family = "7" | "2019" | "2020"

const familyOf = (draft: Draft): Family => (draft === "2020-12" ? "2020" : draft === "2019-09" ? "2019" : "7")

const base: Options = {
  // Unknown keywords and formats are common in schemas from outside.
  strict: false,
  // A schema's text must not reach the console.
  logger: false,
  // Else `toString` is there in every object.
  ownProperties: true,
  // ajv would pass over its code again and again: a schema of two thousand properties took six times as long to compile.
  code: { optimize: false },
  // Done by `problemOf`, once for both functions.
  validateSchema: false
}

/**
 * What a CommonJS module exports, where it is imported when it is needed: by `default`. Its names stand beside that
 * only where something has read them from its text, which esbuild does not for a chunk of its own.
 */
const exportsOf = async <A>(module: Promise<{ readonly default: A }>): Promise<A> => (await module).default

/** The formats that the drafts name. */
export const loadFormats = async () => (await exportsOf(import("ajv-formats"))).default

/** Each draft's class in a module of its own. They differ in their vocabularies only, which their types do not say. */
const classes: { readonly [F in Family]: () => Promise<typeof Ajv> } = {
  "7": async () => (await exportsOf(import("ajv"))).Ajv,
  "2019": async () => (await exportsOf(import("ajv/dist/2019.js"))).Ajv2019 as unknown as typeof Ajv,
  "2020": async () => (await exportsOf(import("ajv/dist/2020.js"))).Ajv2020 as unknown as typeof Ajv
}

const load = async (family: Family): Promise<Ajv8> => {
  const [Class, addFormats] = await Promise.all([classes[family](), loadFormats()])
  const make = (options: Options): Ajv => {
    const ajv = new Class(options)
    addFormats(ajv)
    return ajv
  }
  // What checks schemas is itself compiled, which takes ten times as long as a tool's schema.
  const metas = new Map<boolean, Ajv>()
  const metaOf = (isExplaining: boolean): Ajv => {
    const known = metas.get(isExplaining)
    if (known !== undefined) return known
    const options = { allErrors: isExplaining, verbose: isExplaining, validateSchema: true, validateFormats: false }
    const meta = make({ ...base, ...options })
    metas.set(isExplaining, meta)
    return meta
  }
  const problemOf = (schema: JsonSchema): InvalidJsonSchema | undefined => {
    if (metaOf(false).validateSchema(schema) === true) return undefined
    const meta = metaOf(true)
    void meta.validateSchema(schema)
    return schemaProblem(meta.errors ?? [])
  }

  const compile: Ajv8["compile"] = (request) => {
    const { documents, isWellFormed, matchers, refers, schema } = request
    let steps = 0
    // Its draft's own schema is there for references to it.
    let meta = refers
    const prepare = (options: Options): Ajv => {
      const ajv = make({
        ...base,
        ...options,
        meta,
        code: {
          ...base.code,
          regExp: Object.assign((pattern: string) => matchers.get(pattern) ?? trust(pattern, request), { code: "" })
        }
      })
      ajv.addKeyword({
        keyword: stepKeyword,
        schema: false,
        before: "not",
        validate: () => {
          if (++steps > maxSteps) throw new TooManySteps()
          return true
        }
      })
      // ajv compares each item with each other one: minutes for a hundred thousand objects.
      ajv.removeKeyword("uniqueItems")
      ajv.addKeyword({
        keyword: "uniqueItems",
        type: "array",
        schemaType: "boolean",
        validate: (isAsked: boolean, items: ReadonlyArray<unknown>) => !isAsked || areDifferent(items)
      })
      // ajv divides: 19.99 would be no multiple of 0.01.
      ajv.removeKeyword("multipleOf")
      ajv.addKeyword({
        keyword: "multipleOf",
        type: "number",
        schemaType: "number",
        validate: (divisor: number, value: number) => isMultipleOf(value, divisor)
      })
      for (const [uri, document] of documents) ajv.addSchema(document.root, uri)
      return ajv
    }
    const compileOnce = (): Either.Either<ValidateFunction, InvalidJsonSchema | Overtaxed> => {
      const problem = isWellFormed ? undefined : problemOf(schema.root)
      if (problem !== undefined) return Either.left(problem)
      for (const isFast of [true, false]) {
        try {
          return Either.right(prepare({ allErrors: !isFast }).compile(schema.root))
        } catch (error) {
          // A schema may bring its draft's own along, such as that of a format that contains schemas.
          if (meta && error instanceof Error && /already exists|more than one schema/.test(error.message)) {
            meta = false
            return compileOnce()
          }
          // One function for everything nests as deep as a schema has properties; the other one does not.
          if (!(error instanceof RangeError)) return Either.left(failed(error, schema.root))
        }
      }
      return Either.left(new Overtaxed({ message: "the schema is too much for ajv" }))
    }
    const compiled = Either.try({ try: compileOnce, catch: (error) => failed(error, schema.root) }).pipe(
      Either.flatMap((either) => either)
    )
    return Either.map(compiled, (validate): Engine => {
      let explaining: Ajv | undefined
      const explain = (pointer: string): ValidateFunction | undefined => {
        if (explaining === undefined) {
          explaining = prepare({ allErrors: true, verbose: true })
          explaining.addSchema(schema.root, rootKey)
        }
        return explaining.getSchema(`${rootKey}#${encodeURI(pointer)}`)
      }
      /** The errors as ajv has them: those of the branches of a union, then that of the union. */
      const raw = (at: unknown, value: unknown): ReadonlyArray<ErrorObject> | undefined => {
        if (at === true) return []
        const pointer = at === schema.root ? "" : schema.pointers.get(at)
        const explained = pointer === undefined ? undefined : explain(pointer)
        if (explained === undefined) return undefined
        return explained(value) ? [] : (explained.errors ?? [])
      }
      return engineOf(
        schema.root,
        (value) => {
          steps = 0
          return validate(value)
        },
        (at, value) => {
          steps = 0
          const errors = raw(at, value)
          return errors === undefined ? undefined : withoutBranches(errors, raw).map(failureOf)
        }
      )
    })
  }

  return {
    canCompile: canCompile(),
    problemOf,
    compile
  }
}

const engines: { readonly [F in Family]: Effect.Effect<Ajv8> } = {
  "7": once(Effect.promise(() => load("7"))),
  "2019": once(Effect.promise(() => load("2019"))),
  "2020": once(Effect.promise(() => load("2020")))
}

/** Once for a process: a toolset that is made for each request would wait for it each time. */
export const loadAjv = (draft: Draft): Effect.Effect<Ajv8> => engines[familyOf(draft)]

const canCompile = (): boolean => {
  // The constructor reports by throwing that it is forbidden; no effect is involved.
  try {
    return new Function("return true")() === true
  } catch {
    return false
  }
}

const rootKey = "wield:schema"

/** A pattern of ours, or of a draft's own schema. Those from outside were looked at, wherever a reference of a known kind leads. */
const trust = (pattern: string, { documents, schema }: AjvRequest): RegExp => {
  if (pattern === prototypePattern) return new RegExp(pattern, "u")
  const quoted = JSON.stringify(pattern)
  if (
    [schema, ...documents.map(([, document]) => document)].some(({ root }) => JSON.stringify(root).includes(quoted))
  ) {
    throw new Error(`the pattern ${quoted.slice(0, 100)} stands where no schema is looked for`)
  }
  return new RegExp(pattern, "u")
}

class TooManySteps extends Error {}

const failed = (error: unknown, root: JsonSchema): InvalidJsonSchema | Overtaxed => {
  if (error instanceof EvalError) return new Overtaxed({ message: "functions must not be made from text here" })
  if (error instanceof RangeError) return new Overtaxed({ message: "the schema is too much for ajv" })
  const message = error instanceof Error ? error.message : String(error)
  const reference = isObject(error) && typeof error["missingRef"] === "string" ? error["missingRef"] : undefined
  if (reference === undefined) return invalid("Unsupported", [], message.slice(0, 300))
  const { path, stated } = findReference(root, reference)
  const shown = show(stated)
  return stated.startsWith("#")
    ? invalid("UnknownReference", path, `${shown} points at nothing in this document`)
    : invalid(
        "ExternalReference",
        path,
        `${shown} leads out of this document, and nothing is fetched: put the other one under $defs and refer to it there (\`JsonSchema.compile\` also takes it in \`documents\`)`
      )
}

/** ajv names a missing reference by the absolute address that it was resolved to. */
const findReference = (root: JsonSchema, missing: string): { readonly path: Path; readonly stated: string } => {
  const open: Array<{ readonly value: unknown; readonly path: Path }> = [{ value: root, path: [] }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path, value } = next
    if (typeof value !== "object" || value === null) continue
    for (const [key, inner] of Object.entries(value)) {
      const here = [...path, Array.isArray(value) ? Number(key) : key]
      if (
        /^\$(?:dynamic|recursive)?[rR]ef$/.test(key) &&
        typeof inner === "string" &&
        missing.endsWith(inner.replace(/^\.*\//, ""))
      ) {
        return { path: here, stated: inner }
      }
      open.push({ value: inner, path: here })
    }
  }
  return { path: [], stated: missing }
}

/** Of the errors that the meta-schema has, the one that is deepest in the schema. */
const schemaProblem = (errors: ReadonlyArray<ErrorObject>): InvalidJsonSchema => {
  const deepest = errors.reduce<ErrorObject | undefined>(
    (found, error) => (found === undefined || error.instancePath.length > found.instancePath.length ? error : found),
    undefined
  )
  if (deepest === undefined) return invalid("Malformed", [], "it is no JSON Schema")
  const path = JsonPointer.pathOf(deepest.instancePath)
  return invalid("Malformed", path, `${deepest.message ?? "it is not valid"}, but it is ${show(deepest.data)}`)
}

/** Whose errors stand before their own, those of every branch or item that was tried. */
const unions: ReadonlySet<string> = new Set(["anyOf", "contains", "oneOf"])

/**
 * ajv lists what is wrong by every branch of a union before it says that the
 * union is not met. How many errors that were is found by asking the branches
 * again, which is exact, as their places in the list are not.
 */
const withoutBranches = (
  errors: ReadonlyArray<ErrorObject>,
  raw: (schema: unknown, value: unknown) => ReadonlyArray<ErrorObject> | undefined
): ReadonlyArray<ErrorObject> => {
  const out: Array<ErrorObject> = []
  // From the end: a union's own errors are known before those of its branches are met.
  for (let index = errors.length - 1; index >= 0; index--) {
    const error = errors[index]
    if (error === undefined) continue
    if (!unions.has(error.keyword)) {
      out.push(error)
      continue
    }
    const tried: ReadonlyArray<readonly [unknown, unknown]> =
      error.keyword === "contains"
        ? (Array.isArray(error.data) ? error.data : []).map((item: unknown) => [error.schema, item] as const)
        : (Array.isArray(error.schema) ? error.schema : []).map((branch: unknown) => [branch, error.data] as const)
    const counts = tried.map(([schema, value]) => (schema === false ? 1 : raw(schema, value)?.length))
    // Of a union in another document the branches cannot be asked: what is wrong by them stands for it.
    if (!counts.includes(undefined)) out.push(error)
    for (const count of counts) index -= count ?? 0
  }
  // What is wrong with a name is said by `propertyNames`, what is wrong by a branch of `if` by the branch.
  return out
    .reverse()
    .filter(
      ({ keyword, propertyName }) => keyword !== "if" && (propertyName === undefined || keyword === "propertyNames")
    )
}

const failureOf = (error: ErrorObject): Failure => {
  const params: { readonly [name: string]: unknown } = error.params
  const name =
    params["missingProperty"] ?? params["additionalProperty"] ?? params["unevaluatedProperty"] ?? params["propertyName"]
  return {
    keyword: error.keyword,
    path: JsonPointer.pathOf(error.instancePath),
    stated: error.schema,
    schema: isObject(error.parentSchema) ? error.parentSchema : {},
    data: error.data,
    name: typeof name === "string" ? name : undefined
  }
}

/** By their text with sorted keys, which is the same for what JSON Schema takes for equal. */
const areDifferent = (items: ReadonlyArray<unknown>): boolean => new Set(items.map(canonical)).size === items.length
