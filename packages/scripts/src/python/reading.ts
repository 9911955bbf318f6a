/** What the reading of one file shares: its names, its problems, and the types read so far. */
import type { Json } from "@wield/core"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Place, Problem, Severity } from "@wield/core/Problem"
import { placeOf } from "../syntax/node.js"
import type { Source } from "../syntax/Source.js"
import type { Node, Parse } from "../syntax/treeSitter.js"
import type { Module } from "./module.js"

/** Trees of forward references live as long as the reading. */
export type Read<A> = Effect.Effect<A, never, Scope.Scope>

/** What a type belongs to. */
export interface Owner {
  /** `run.city`, `Address.street`. */
  readonly subject: string
  /** Where the text stands that the type was read from, for types in texts. */
  readonly place?: Place | undefined
}

export interface Reading {
  readonly source: Source
  readonly module: Module
  readonly parse: Parse
  /** JSON Schema of a type annotation: types hold classes, and classes types. */
  readonly typeOf: (node: Node, owner: Owner) => Read<Json.JsonSchema>
  readonly problems: Array<Problem>
  /** Types of the file that are read. */
  readonly named: Map<string, Json.JsonSchema>
  /** Those that are being read: to meet one again is recursion. */
  readonly open: Set<string>
  /** Those that are referred to, by name: types that contain themselves, and large ones. */
  readonly definitions: Map<string, Json.JsonSchema>
  /** The names of generic types with their arguments, such as `Box_integer`, by what the arguments are. */
  readonly instances: Map<string, string>
  /** What type parameters stand for here. */
  readonly parameters: ReadonlyMap<string, Json.JsonSchema>
  /** The same reading, where type parameters stand for these. */
  readonly under: (parameters: ReadonlyMap<string, Json.JsonSchema>) => Reading
}

export const makeReading = (
  source: Source,
  module: Module,
  parse: Parse,
  schemaOf: (node: Node, reading: Reading, owner: Owner) => Read<Json.JsonSchema>
): Reading => {
  const shared = {
    source,
    module,
    parse,
    problems: [],
    named: new Map<string, Json.JsonSchema>(),
    open: new Set<string>(),
    definitions: new Map<string, Json.JsonSchema>(),
    instances: new Map<string, string>()
  }
  const under = (parameters: ReadonlyMap<string, Json.JsonSchema>): Reading => {
    const reading: Reading = {
      ...shared,
      parameters,
      under,
      typeOf: (node, owner) => schemaOf(node, reading, owner)
    }
    return reading
  }
  return under(new Map())
}

export interface Complaint {
  readonly severity: Severity
  readonly rule: string
  readonly message: string
  readonly at: Node | Place | undefined
  readonly subject?: string | undefined
}

/** One problem is reported once, however many functions meet it. */
export const report = (reading: Reading, { at, message, rule, severity, subject }: Complaint): void => {
  const place = at !== undefined && "type" in at ? placeOf(at) : at
  const isKnown = reading.problems.some(
    (other) => other.message === message && other.place?.line === place?.line && other.place?.column === place?.column
  )
  if (!isKnown) {
    reading.problems.push({ severity, rule, message, file: reading.source.file, place, subject })
  }
}

/** A named type of more parts is a `$ref` wherever it is used: written out, nested doubling would fill the memory. */
const mostInline = 500

/**
 * A type that the file names. One that contains itself, or is large, is a
 * definition that is referred to; every other one is written out where it is
 * used, which all providers read.
 */
export const namedType = (
  reading: Reading,
  name: string,
  used: Node,
  read: Effect.Effect<Json.JsonSchema, never, Scope.Scope>
): Read<Json.JsonSchema> =>
  Effect.suspend(() => {
    const known = reading.named.get(name)
    if (known !== undefined) return Effect.succeed(known)
    const reference = { $ref: `#/$defs/${name}` }
    if (reading.open.has(name)) {
      reading.definitions.set(name, {})
      return Effect.succeed(reference)
    }
    reading.open.add(name)
    return Effect.map(read, (schema) => {
      reading.open.delete(name)
      if (isOnly(name, schema, reading)) {
        report(reading, {
          severity: "warning",
          rule: "circular-type",
          message: `The type \`${name}\` is nothing but itself, so any value is accepted; put a list or the field of a class in between`,
          at: used,
          subject: name
        })
        reading.definitions.set(name, {})
        reading.named.set(name, {})
        return {}
      }
      const isReferred = reading.definitions.has(name) || isLarge(schema)
      if (isReferred) reading.definitions.set(name, schema)
      const result = isReferred ? reference : schema
      reading.named.set(name, result)
      return result
    })
  })

/** Whether a value is of the type where it is of the type: no validator comes to an end with that. */
const isOnly = (name: string, schema: Json.JsonSchema, { definitions }: Reading): boolean => {
  const seen = new Set<unknown>()
  const leadsBack = (one: unknown): boolean => {
    if (typeof one !== "object" || one === null || seen.has(one)) return false
    seen.add(one)
    const { $ref, anyOf } = one as Json.JsonSchema
    if ($ref === `#/$defs/${name}`) return true
    if (typeof $ref === "string" && leadsBack(definitions.get($ref.replace("#/$defs/", "")))) return true
    return Array.isArray(anyOf) && anyOf.some(leadsBack)
  }
  return leadsBack(schema)
}

const isLarge = (schema: Json.JsonSchema): boolean => {
  let parts = 0
  const count = (value: unknown): void => {
    parts += 1
    if (typeof value !== "object" || value === null || parts > mostInline) return
    Object.values(value).forEach(count)
  }
  count(schema)
  return parts > mostInline
}

/** The definitions that schemas refer to, also by way of each other. */
export const definitionsOf = (reading: Reading, schemas: ReadonlyArray<Json.JsonSchema>): Json.JsonSchema => {
  const found = new Map<string, Json.JsonSchema>()
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return
    for (const [key, child] of Object.entries(value)) {
      const name = key === "$ref" && typeof child === "string" ? child.replace("#/$defs/", "") : undefined
      const definition = name === undefined ? undefined : reading.definitions.get(name)
      if (name !== undefined && definition !== undefined && !found.has(name)) {
        found.set(name, definition)
        visit(definition)
      }
      visit(child)
    }
  }
  schemas.forEach(visit)
  return Object.fromEntries(found)
}
