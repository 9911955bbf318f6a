/** What the reading of one file shares: its names, its problems, and the types read so far. */
import type { Json } from "@wield/core"
import type { Place } from "@wield/core/Problem"
import { Report } from "../folder/problem.js"
import { placeOf } from "../syntax/node.js"
import type { Source } from "../syntax/Source.js"
import type { Node, Parse } from "../syntax/treeSitter.js"
import type { Module } from "./module.js"
import { excerptOf } from "./notLiteral.js"

export interface Reading {
  readonly source: Source
  readonly module: Module
  readonly parse: Parse
  readonly report: Report
  /** JSON Schema of a type annotation. Given along, since types hold classes, and classes types. */
  readonly schemaOf: (node: Node, reading: Reading) => Json.JsonSchema
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
  /** What is read: `run.city`, `Address.street`. */
  readonly subject: string
  /** Where the text stands that it is read from, for types in texts. */
  readonly textPlace: Place | undefined
}

export const makeReading = (source: Source, module: Module, parse: Parse, schemaOf: Reading["schemaOf"]): Reading => ({
  source,
  module,
  parse,
  report: new Report(source.file),
  schemaOf,
  named: new Map(),
  open: new Set(),
  definitions: new Map(),
  instances: new Map(),
  parameters: new Map(),
  subject: "",
  textPlace: undefined
})

export const about = (reading: Reading, subject: string): Reading => ({ ...reading, subject, textPlace: undefined })

/** Of what is read: reported at a node, unless it stands in a text. */
export const warn = ({ report, subject, textPlace }: Reading, rule: string, message: string, node: Node): void =>
  report.warning(rule, message, { place: textPlace ?? placeOf(node), subject })

/** Says so, and lets any value in: never a guess. */
export const unknownType = (
  node: Node,
  reading: Reading,
  advice = "declare it in this file as a dataclass, TypedDict, Enum or pydantic model, or use one of Python's own types"
): Json.JsonSchema => {
  const message = `The type \`${excerptOf(node)}\` of ${reading.subject} is not known, so any value is accepted; ${advice}`
  warn(reading, "unknown-type", message, node)
  return {}
}

/** A named type of more parts is a `$ref` wherever it is used: written out, nested doubling would fill the memory. */
const mostInline = 500

/**
 * A type that the file names. One that contains itself, or is large, is a
 * definition that is referred to; every other one is written out where it is
 * used, which all providers read.
 */
export const namedType = (reading: Reading, name: string, used: Node, read: () => Json.JsonSchema): Json.JsonSchema => {
  const { definitions, named, open, report } = reading
  const known = named.get(name)
  if (known !== undefined) return known
  const reference = { $ref: `#/$defs/${name}` }
  if (open.has(name)) {
    definitions.set(name, {})
    return reference
  }
  open.add(name)
  const schema = read()
  open.delete(name)
  const isCircular = isOnly(name, schema, reading)
  if (isCircular) {
    const message = `The type \`${name}\` is nothing but itself, so any value is accepted; put a list or the field of a class in between`
    report.warning("circular-type", message, { place: placeOf(used), subject: name })
  }
  const whole = isCircular ? {} : schema
  const isReferred = definitions.has(name) || isLarge(whole)
  if (isReferred) definitions.set(name, whole)
  const result = isReferred && !isCircular ? reference : whole
  named.set(name, result)
  return result
}

/** Whether a value is of the type where it is of the type: no validator comes to an end with that. */
const isOnly = (name: string, schema: Json.JsonSchema, { definitions }: Reading): boolean => {
  const seen = new Set<unknown>()
  const leadsBack = (one: unknown): boolean => {
    if (typeof one !== "object" || one === null || seen.has(one)) return false
    seen.add(one)
    // A schema of a parameter is an object.
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
