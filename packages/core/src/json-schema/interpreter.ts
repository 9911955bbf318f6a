/**
 * Validation by interpretation, for runtimes that forbid to make functions from
 * text (a content security policy, workers at the edge), and for schemas that
 * are too wide for ajv. A hundred times slower than ajv's functions, which is
 * still some microseconds.
 */
import type { OutputUnit, Schema, SchemaDraft } from "@cfworker/json-schema"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { isObject, type JsonSchema } from "../Json.js"
import type { InvalidJsonSchema } from "../JsonSchemaError.js"
import type { AjvRequest } from "./ajv.js"
import { type Engine, engineOf, type Failure, valueAt } from "./engine.js"
import { keywordsIn, type Path } from "./keywords.js"
import { invalid } from "./invalid.js"
import { riskOf } from "./pattern.js"
import * as JsonPointer from "../JsonPointer.js"
import { eachSchema } from "./schemas.js"

export type Interpret = (request: AjvRequest) => Either.Either<Engine, InvalidJsonSchema>

type Lookup = Record<string, Schema | boolean>

export const loadInterpreter: Effect.Effect<Interpret> = Effect.map(
  Effect.promise(() => import("@cfworker/json-schema")),
  ({ dereference, validate }): Interpret =>
    ({ documents, draft, schema }) => {
      const version = versions[draft]
      // The copy is ours: the interpreter writes absolute references into it.
      const root = schema.root as Schema
      const prepared = Either.try({
        try: (): Lookup => {
          const lookup: Lookup = dereference(root)
          for (const [uri, document] of documents) dereference({ ...document.root, $id: uri } as Schema, lookup)
          return lookup
        },
        catch: (error) => invalid("Unsupported", [], String(error).slice(0, 300))
      })
      return Either.flatMap(prepared, (lookup): Either.Either<Engine, InvalidJsonSchema> => {
        const problem = findUnsupported(root, lookup)
        if (problem !== undefined) return Either.left(problem)
        const failures = (at: unknown, value: unknown): ReadonlyArray<Failure> => {
          if (typeof at === "boolean") return at ? [] : [failure("false schema", [], {}, value)]
          const { errors } = validate(value, at as Schema, version, lookup, false)
          return leaves(errors).flatMap((unit) => failuresOf(unit, at, value, lookup))
        }
        return Either.right(
          engineOf(
            schema.root,
            (value) => validate(value, root, version, lookup, true).valid,
            (at, value) => distinct(failures(at, value))
          )
        )
      })
    }
)

const versions: { readonly [Draft in AjvRequest["draft"]]: SchemaDraft } = {
  "draft-04": "4",
  "draft-06": "7",
  "draft-07": "7",
  "2019-09": "2019-09",
  "2020-12": "2020-12"
}

/** What the interpreter would pass over in silence, or find out with the first value only. */
const findUnsupported = (root: Schema, lookup: Lookup): InvalidJsonSchema | undefined => {
  let problem: InvalidJsonSchema | undefined
  eachSchema(root, ({ path, schema }) => {
    problem = unsupportedKeyword(schema, path, lookup)
    return problem === undefined
  })
  return problem
}

const unsupportedKeyword = (schema: JsonSchema, path: Path, lookup: Lookup): InvalidJsonSchema | undefined => {
  const { $ref: reference, pattern } = schema
  const absolute: unknown = Reflect.get(schema, "__absolute_ref__")
  if (typeof reference === "string" && lookup[typeof absolute === "string" ? absolute : reference] === undefined) {
    const kind = reference.startsWith("#") ? "UnknownReference" : "ExternalReference"
    return invalid(kind, [...path, "$ref"], `${reference} points at nothing that is known`)
  }
  if (typeof pattern === "string" && (riskOf(pattern) === "nested" || !isUnicode(pattern))) {
    return invalid("UnsafePattern", [...path, "pattern"], "without generated code this pattern cannot be run safely")
  }
  return undefined
}

const isUnicode = (pattern: string): boolean => {
  // The constructor reports by throwing; no effect is involved.
  try {
    new RegExp(pattern, "u")
    return true
  } catch {
    return false
  }
}

const failure = (keyword: string, path: Path, schema: Failure["schema"], data: unknown, name?: string): Failure => ({
  keyword,
  path,
  stated: schema[keyword],
  schema,
  data,
  name
})

const unions = keywordsIn("anyOf contains not oneOf")

/** The interpreter lists a keyword that has schemas and then what is wrong by those. */
const leaves = (units: ReadonlyArray<OutputUnit>): ReadonlyArray<OutputUnit> => {
  const kept: Array<OutputUnit> = []
  const closed = new Set(units.filter((unit) => unions.has(unit.keyword)).map((unit) => unit.keywordLocation))
  const parents = new Set<string>()
  for (const unit of units) for (const parent of prefixes(unit.keywordLocation)) parents.add(parent)
  for (const unit of units) {
    if (unit.keyword === "if" || unit.keyword === "false") continue
    if (prefixes(unit.keywordLocation).some((parent) => closed.has(parent))) continue
    if (unions.has(unit.keyword) || !parents.has(unit.keywordLocation)) kept.push(unit)
  }
  return kept.length > 0 ? kept : units.slice(0, 1)
}

const prefixes = (location: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (let at = location.lastIndexOf("/"); at > 0; at = location.lastIndexOf("/", at - 1))
    found.push(location.slice(0, at))
  return found
}

const failuresOf = (unit: OutputUnit, root: unknown, value: unknown, lookup: Lookup): ReadonlyArray<Failure> => {
  const path = JsonPointer.pathOf(unit.instanceLocation)
  const data = valueAt(value, path)
  const schema = schemaAt(unit, root, lookup)
  const make = (name?: string): Failure => failure(unit.keyword, path, schema, data, name)
  if (!isObject(data)) return [make()]
  const own = data
  switch (unit.keyword) {
    case "required": {
      const required: ReadonlyArray<unknown> = Array.isArray(schema["required"]) ? schema["required"] : []
      return required.flatMap((name) => (typeof name === "string" && !Object.hasOwn(own, name) ? [make(name)] : []))
    }
    case "additionalProperties": {
      const properties = isObject(schema["properties"]) ? schema["properties"] : {}
      const patterns = Object.keys(isObject(schema["patternProperties"]) ? schema["patternProperties"] : {})
      const extra = Object.keys(own).filter(
        (key) => !Object.hasOwn(properties, key) && !patterns.some((pattern) => new RegExp(pattern, "u").test(key))
      )
      return extra.map(make)
    }
    default:
      return [make()]
  }
}

/** The schema that has a keyword, by the way that the interpreter went to it. */
const schemaAt = (unit: OutputUnit, root: unknown, lookup: Lookup): Failure["schema"] => {
  let at: unknown = root
  for (const key of JsonPointer.pathOf(unit.keywordLocation).slice(0, -1)) {
    if (key === "$ref" && isObject(at)) at = lookup[String(at["__absolute_ref__"] ?? at["$ref"])]
    else at = isObject(at) || Array.isArray(at) ? Reflect.get(at, key) : undefined
  }
  return isObject(at) ? at : {}
}

const distinct = (failures: ReadonlyArray<Failure>): ReadonlyArray<Failure> => {
  const seen = new Set<string>()
  return failures.filter(({ keyword, name, path }) => {
    const key = JSON.stringify([keyword, path, name])
    return !seen.has(key) && seen.add(key)
  })
}
