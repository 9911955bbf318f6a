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
import * as JsonPointer from "../JsonPointer.js"
import { eachSchema } from "./schemas.js"

export type Interpret = (request: AjvRequest) => Either.Either<Engine, InvalidJsonSchema>

type Lookup = Record<string, Schema | boolean>

export const loadInterpreter: Effect.Effect<Interpret> = Effect.map(
  Effect.promise(() => Promise.all([import("@cfworker/json-schema"), import("./pattern.js")])),
  ([{ dereference, validate }, { isInterpretable, longestTextFor }]): Interpret =>
    ({ documents, draft, schema }) => {
      const version = versions[draft]
      // The copy is ours: the interpreter writes absolute references into it.
      const root = schema.root as Schema
      // The library's type of a schema is an object or a boolean, as these are.
      const roots = [root, ...documents.map(([, document]) => document.root as Schema)]
      const longestKey = Math.min(...roots.map((each) => boundTexts(each, longestTextFor)))
      const prepared = Either.try({
        try: (): Lookup => {
          const lookup: Lookup = dereference(root)
          // As above.
          for (const [uri, document] of documents) dereference({ ...document.root, $id: uri } as Schema, lookup)
          return lookup
        },
        catch: (error) => invalid("Unsupported", [], String(error).slice(0, 300))
      })
      return Either.flatMap(prepared, (lookup): Either.Either<Engine, InvalidJsonSchema> => {
        for (const each of roots) {
          const problem = findUnsupported(each, lookup, isInterpretable)
          if (problem !== undefined) return Either.left(problem)
        }
        const failures = (at: unknown, value: unknown): ReadonlyArray<Failure> => {
          if (typeof at === "boolean") return at ? [] : [failure("false schema", [], {}, value)]
          if (holdsLongKey(value, longestKey)) return [failure("propertyNames", [], {}, value)]
          // As above.
          const { errors } = validate(value, at as Schema, version, lookup, false)
          return leaves(errors).flatMap((unit) => failuresOf(unit, at, value, lookup))
        }
        return Either.right(
          engineOf(
            schema.root,
            (value) => !holdsLongKey(value, longestKey) && validate(value, root, version, lookup, true).valid,
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
const findUnsupported = (root: Schema, lookup: Lookup, isSafe: IsSafe): InvalidJsonSchema | undefined => {
  let problem: InvalidJsonSchema | undefined
  eachSchema(root, ({ path, schema }) => {
    problem = unsupportedKeyword(schema, path, lookup, isSafe)
    return problem === undefined
  })
  return problem
}

type IsSafe = (pattern: string) => boolean

/** How long a text may be for a pattern. */
type Longest = (pattern: string) => number | undefined

/**
 * The interpreter runs patterns itself. One that may take long for a long text
 * gets a schema beside it that such a text does not fit, and that comes first.
 * Returns how long a key may be.
 */
const boundTexts = (root: Schema, longest: Longest): number => {
  let longestKey = Infinity
  const changes: Array<() => void> = []
  eachSchema(root, ({ schema }) => {
    const { pattern, patternProperties } = schema
    if (isObject(patternProperties)) {
      for (const key of Object.keys(patternProperties)) longestKey = Math.min(longestKey, longest(key) ?? 0)
    }
    const maxLength = typeof pattern === "string" ? (longest(pattern) ?? 0) : Infinity
    // Where no text is short enough, the pattern is refused.
    if (maxLength === Infinity || maxLength === 0) return true
    const { allOf } = schema
    const parts: ReadonlyArray<unknown> = Array.isArray(allOf) ? allOf : []
    changes.push(() => {
      Object.assign(schema, { allOf: [...parts, { if: { maxLength }, then: { pattern }, else: { maxLength } }] })
      Reflect.deleteProperty(schema, "pattern")
    })
    return true
  })
  // What is added is not looked through again.
  for (const change of changes) change()
  return longestKey
}

const holdsLongKey = (value: unknown, longest: number): boolean => {
  if (longest === Infinity) return false
  const open = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next !== "object" || next === null) continue
    for (const [key, inner] of Object.entries(next)) {
      if (key.length > longest) return true
      open.push(inner)
    }
  }
  return false
}

const unsupportedKeyword = (
  schema: JsonSchema,
  path: Path,
  lookup: Lookup,
  isSafe: IsSafe
): InvalidJsonSchema | undefined => {
  const { $ref: reference, pattern, patternProperties } = schema
  const absolute: unknown = Reflect.get(schema, "__absolute_ref__")
  if (typeof reference === "string" && lookup[typeof absolute === "string" ? absolute : reference] === undefined) {
    const kind = reference.startsWith("#") ? "UnknownReference" : "ExternalReference"
    return invalid(kind, [...path, "$ref"], `${reference} points at nothing that is known`)
  }
  const keyword = typeof pattern === "string" && !isSafe(pattern) ? ["pattern"] : undefined
  const key = isObject(patternProperties) ? Object.keys(patternProperties).find((one) => !isSafe(one)) : undefined
  const unsafe = keyword ?? (key === undefined ? undefined : ["patternProperties", key])
  if (unsafe !== undefined) {
    return invalid("UnsafePattern", [...path, ...unsafe], "without generated code this pattern cannot be run safely")
  }
  return undefined
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
  // Of each property that is missing there is a unit, each of which leads to all of them.
  const places = new Map(kept.map((unit) => [`${unit.keywordLocation} ${unit.instanceLocation}`, unit]))
  return kept.length > 0 ? [...places.values()] : units.slice(0, 1)
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
