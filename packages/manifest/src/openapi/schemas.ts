/** Schemas as JSON Schemas, with references to `$defs`; each definition is converted once. */
import * as JsonPointer from "@wield/core/JsonPointer"
import * as Json from "@wield/core/Json"
import type { Path } from "../ManifestProblem.js"
import type { Note } from "./Importing.js"
import { isLocal, isResolved, lookup, outside, type Resolve } from "./reference.js"
import * as Either from "effect/Either"
import { shorten, unusedName } from "./names.js"

/** The keywords of JSON Schema that are kept; what a specification has besides says nothing of values. */
const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))

export const annotations = words("title description default deprecated")

const holdsOne = words(
  "additionalItems additionalProperties contains else if items not propertyNames then unevaluatedItems unevaluatedProperties"
)

const holdsList = words("allOf anyOf oneOf prefixItems")

const holdsNamed = words("dependentSchemas patternProperties properties")

const asserting = words(
  "const contentEncoding contentMediaType dependentRequired enum exclusiveMaximum exclusiveMinimum format maxContains " +
    "maximum maxItems maxLength maxProperties minContains minimum minItems minLength minProperties multipleOf pattern " +
    "required type uniqueItems"
)

const kept: ReadonlySet<string> = new Set([...annotations, ...asserting, ...holdsList, ...holdsNamed, ...holdsOne])

export interface Converted {
  readonly schema: unknown
  readonly references: ReadonlySet<string>
}

export type Schemas = ReturnType<typeof schemasOf>

export interface SchemasOptions {
  readonly document: Json.JsonSchema
  readonly resolve: Resolve
  readonly note: Note
  readonly absent: "readOnly" | "writeOnly"
  readonly maxDescription: number
}

/** Deeper schemas are no tool's parameters, and overflow the stack of what reads them. */
const maxDepth = 200

const maxSeen = 200

const nothing: ReadonlySet<string> = new Set()

export const schemasOf = ({ absent, document, maxDescription, note, resolve }: SchemasOptions) => {
  const { absentProperties, isLeftOut } = absence(absent, resolve)
  const isOpenApi30 = /^3(\.0|$)/.test(String(document["openapi"]))
  const names = new Map<string, string>()
  const pointers = new Map<string, string>()
  const made = new Map<string, Converted>()
  /** What sets of names lead to, by the names: many operations answer with the same schema. */
  const reachable = new Map<string, Json.JsonSchema>()
  const memory = new Map<object, Converted | "open">()

  const convert = (value: unknown, path: Path, depth: number, absentNames = nothing): Converted => {
    if (typeof value === "boolean") return { schema: value, references: nothing }
    if (!Json.isObject(value) || depth > maxDepth) {
      const found = Json.isObject(value) ? `one nested more than ${maxDepth} deep` : JSON.stringify(value)
      note("warning", "malformed-schema", `expected a schema, found ${found}; read as any value`, path)
      return { schema: {}, references: nothing }
    }
    if (absentNames.size > 0) return convertObject(value, path, depth, absentNames)
    const known = memory.get(value)
    if (known === "open") {
      note("warning", "cyclic-object", "the schema contains itself without a $ref; read as any value", path)
      return { schema: {}, references: nothing }
    }
    if (known !== undefined) return known
    memory.set(value, "open")
    const converted = convertObject(value, path, depth, absentNames)
    memory.set(value, converted)
    return converted
  }

  const convertObject = (value: Json.JsonSchema, path: Path, depth: number, absentAround: ReadonlySet<string>) => {
    let references = nothing
    const convertIn = (item: unknown, here: Path, absentNames = nothing): unknown => {
      const converted = convert(item, here, depth + 1, absentNames)
      if (converted.references.size > 0) references = new Set([...references, ...converted.references])
      return converted.schema
    }
    const reference = value["$ref"]
    const source =
      typeof reference === "string" && isOpenApi30 ? only(value, annotations) : withoutExclusiveFlags(value)
    // Nothing else asks for them.
    const isAsking = Array.isArray(value["required"]) || Array.isArray(value["allOf"])
    const absentNames = isAsking ? new Set([...absentAround, ...absentProperties(value, new Set())]) : absentAround
    const converted: { [keyword: string]: unknown } = {}
    if (typeof reference === "string") {
      const name = nameOf(reference, path)
      if (name !== undefined) {
        references = new Set([name])
        converted["$ref"] = `#/$defs/${name}`
      }
    }
    for (const [keyword, stated] of Object.entries(source)) {
      if (!kept.has(keyword)) continue
      const wrong = meaningless(keyword, stated)
      if (wrong !== undefined) {
        note("warning", "meaningless-keyword", `${wrong}; read as if it were absent`, [...path, keyword])
        continue
      }
      if (keyword === "description") {
        if (typeof stated === "string" && stated.trim() !== "") converted[keyword] = shorten(stated, maxDescription)
      } else if (keyword === "required" && Array.isArray(stated)) {
        const required = stated.filter((name) => !absentNames.has(name))
        if (required.length > 0) converted[keyword] = required
      } else if (holdsList.has(keyword) && Array.isArray(stated)) {
        const branches =
          keyword === "allOf" || keyword === "prefixItems"
            ? stated
            : branchesByDiscriminator(stated, value["discriminator"], resolve)
        const around = keyword === "allOf" ? absentNames : nothing
        converted[keyword] = branches.map((branch, index) =>
          convertIn(branch, [...path, keyword, index], Json.isObject(branch) && "$ref" in branch ? nothing : around)
        )
      } else if (holdsNamed.has(keyword) && Json.isObject(stated)) {
        const shown = Object.entries(stated).filter(([, item]) => keyword !== "properties" || !isLeftOut(item))
        converted[keyword] = Object.fromEntries(
          shown.map(([name, item]) => [name, convertIn(item, [...path, keyword, name])])
        )
      } else if (holdsOne.has(keyword)) converted[keyword] = convertIn(stated, [...path, keyword])
      else converted[keyword] = stated
    }
    return { schema: value["nullable"] === true ? withNull(converted) : converted, references }
  }

  const nameOf = (reference: string, path: Path): string | undefined => {
    const known = names.get(reference)
    if (known !== undefined) return known
    const problem = !isLocal(reference)
      ? outside(reference)
      : lookup(document, reference) === undefined
        ? `${JSON.stringify(reference)} points at nothing in the document`
        : undefined
    if (problem !== undefined) {
      note("warning", "unresolved-reference", `${problem}; read as any value`, path)
      return undefined
    }
    // The last segment of the pointer, made fit for a pointer of its own.
    const last = (JsonPointer.keysOf(reference).at(-1) ?? "root").replace(/[^a-zA-Z0-9_.-]+/g, "_") || "schema"
    const name = unusedName(last, pointers)
    pointers.set(name, reference)
    names.set(reference, name)
    return name
  }

  /** What the references lead to, directly and indirectly; undefined for an empty set. */
  const definitions = (references: ReadonlySet<string>): Json.JsonSchema | undefined => {
    if (references.size === 0) return undefined
    const key = [...references].sort().join(" ")
    const known = reachable.get(key)
    if (known !== undefined) return known
    const found = new Set(references)
    // The loop goes on through what is added.
    for (const name of found) for (const other of definitionOf(name).references) found.add(other)
    const all = Object.fromEntries([...found].sort().map((name) => [name, definitionOf(name).schema]))
    reachable.set(key, all)
    return all
  }

  const definitionOf = (name: string): Converted => {
    const known = made.get(name)
    if (known !== undefined) return known
    const reference = pointers.get(name) ?? "#"
    const path = JsonPointer.keysOf(reference)
    const converted = convert(lookup(document, reference), path, 0)
    made.set(name, converted)
    if (!endless(name, (other) => definitionOf(other).schema)) return converted
    note("warning", "endless-recursion", "the schema refers to itself without a value in between; read as any", path)
    const any = { schema: {}, references: nothing }
    made.set(name, any)
    return any
  }

  return { convert: (schema: unknown, path: Path) => convert(schema, path, 0), definitions, isLeftOut }
}

/** What requests do not have, or responses. */
const absence = (absent: SchemasOptions["absent"], resolve: SchemasOptions["resolve"]) => {
  /** Whether a property is absent in this direction. */
  const isLeftOut = (property: unknown): boolean => {
    if (!Json.isObject(property)) return false
    if (property[absent] === true) return true
    if (typeof property["$ref"] !== "string") return false
    const resolved = resolve(property)
    return isResolved(resolved) && resolved[absent] === true
  }

  /** Names of properties that are absent, those of the schema's `allOf` included: another branch may require them. */
  const absentProperties = (value: unknown, seen: Set<object>): ReadonlyArray<string> => {
    const resolved = resolve(value)
    // Each once: ten references to ten references, twenty levels of them, would be read without end.
    if (!isResolved(resolved) || seen.has(resolved)) return []
    seen.add(resolved)
    const { allOf, properties } = resolved
    const own = Json.isObject(properties)
      ? Object.entries(properties).flatMap(([name, property]) => (isLeftOut(property) ? [name] : []))
      : []
    return Array.isArray(allOf) && seen.size < maxSeen
      ? [...own, ...allOf.flatMap((branch) => absentProperties(branch, seen))]
      : own
  }

  return { isLeftOut, absentProperties }
}

const only = (value: Json.JsonSchema, keywords: ReadonlySet<string>): Json.JsonSchema =>
  Object.fromEntries(Object.entries(value).filter(([keyword]) => keywords.has(keyword)))

const meaningless = (keyword: string, stated: unknown): string | undefined => {
  if (Array.isArray(stated)) return stated.length === 0 && lists.has(keyword) ? `\`${keyword}\` is empty` : undefined
  return keyword === "pattern" && typeof stated === "string" && !isRegExp(stated)
    ? `the pattern ${JSON.stringify(stated.slice(0, 100))} is no regular expression of ECMA-262`
    : undefined
}

const lists = new Set(["allOf", "anyOf", "enum", "oneOf", "prefixItems", "type"])

/** Python's spelling is read when the schema is compiled. */
const isRegExp = (pattern: string): boolean => {
  const source = pattern.replaceAll("(?P<", "(?<").replaceAll("(?P=", "(?:")
  return ["u", ""].some((flags) => Either.isRight(Either.try(() => new RegExp(source, flags))))
}

/** `exclusiveMinimum: true` beside `minimum` is the number itself. */
const withoutExclusiveFlags = (schema: Json.JsonSchema): Json.JsonSchema => {
  if (typeof schema["exclusiveMinimum"] !== "boolean" && typeof schema["exclusiveMaximum"] !== "boolean") return schema
  const fields = new Map(Object.entries(schema))
  for (const [flag, bound] of bounds) {
    const stated = fields.get(flag)
    if (typeof stated !== "boolean") continue
    fields.delete(flag)
    const limit = fields.get(bound)
    if (!stated || typeof limit !== "number") continue
    fields.delete(bound)
    fields.set(flag, limit)
  }
  return Object.fromEntries(fields)
}

const bounds = [
  ["exclusiveMinimum", "minimum"],
  ["exclusiveMaximum", "maximum"]
] as const

/** `nullable: true`. By the standard it wants a `type`; beside a `$ref` or an `allOf` it is meant all the same. */
const withNull = (schema: Json.JsonSchema): Json.JsonSchema => {
  const { type } = schema
  const isPlain = !composing.some((keyword) => keyword in schema)
  if (isPlain && type === undefined && schema["enum"] === undefined && schema["const"] === undefined) return schema
  if (isPlain && typeof type === "string" && schema["const"] === undefined) {
    const values = schema["enum"]
    const types = type === "null" ? type : [type, "null"]
    return Array.isArray(values) && !values.includes(null)
      ? { ...schema, type: types, enum: [...values, null] }
      : { ...schema, type: types }
  }
  const { default: preset, deprecated, description, title, ...stated } = schema
  const around = Object.entries({ title, description, default: preset, deprecated })
  return {
    ...Object.fromEntries(around.filter(([, annotation]) => annotation !== undefined)),
    anyOf: [stated, { type: "null" }]
  }
}

const composing = ["$ref", "allOf", "anyOf", "oneOf", "not", "if"]

const endless = (name: string, definition: (name: string) => unknown): boolean => {
  const found = new Set(namesInPlace(definition(name)))
  for (const next of found) {
    if (next === name) return true
    for (const other of namesInPlace(definition(next))) found.add(other)
  }
  return false
}

const namesInPlace = (schema: unknown): ReadonlyArray<string> => {
  if (!Json.isObject(schema)) return []
  const reference = schema["$ref"]
  const own = typeof reference === "string" ? [reference.slice("#/$defs/".length)] : []
  return [...own, ...inPlace.flatMap((keyword) => [schema[keyword]].flat().flatMap(namesInPlace))]
}

const inPlace = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"]

/** Where the branches of a union do not restrict the property of a discriminator, each is made to want its value. */
const branchesByDiscriminator = (branches: ReadonlyArray<unknown>, discriminator: unknown, resolve: Resolve) => {
  if (!Json.isObject(discriminator)) return branches
  const { mapping, propertyName } = discriminator
  if (typeof propertyName !== "string") return branches
  return branches.map((branch) => {
    if (!Json.isObject(branch) || typeof branch["$ref"] !== "string") return branch
    const reference = branch["$ref"]
    if (restricts(branch, propertyName, resolve, new Set())) return branch
    const names = namesOf(reference, mapping)
    return {
      allOf: [branch],
      properties: { [propertyName]: names.length === 1 ? { const: names[0] } : { enum: names } },
      required: [propertyName]
    }
  })
}

/** A mapping leads from a value to a reference or to the bare name of a schema; without one the name is the value. */
const namesOf = (reference: string, mapping: unknown): ReadonlyArray<string> => {
  const name = JsonPointer.keysOf(reference).at(-1) ?? reference
  const mapped = Json.isObject(mapping)
    ? Object.entries(mapping).flatMap(([value, target]) => (target === reference || target === name ? [value] : []))
    : []
  return mapped.length === 0 ? [name] : mapped
}

const restricts = (branch: unknown, property: string, resolve: Resolve, seen: Set<object>): boolean => {
  const resolved = resolve(branch)
  if (!isResolved(resolved)) return true
  // It was looked at, without result.
  if (seen.has(resolved) || seen.size > maxSeen) return false
  seen.add(resolved)
  const { allOf, properties } = resolved
  if (Json.isObject(properties) && Object.hasOwn(properties, property)) {
    const stated = resolve(properties[property])
    if (isResolved(stated) && (stated["const"] !== undefined || Array.isArray(stated["enum"]))) return true
  }
  // A branch that is itself a union tells its own branches apart.
  if (Array.isArray(resolved["oneOf"]) || Array.isArray(resolved["anyOf"])) return true
  return Array.isArray(allOf) && allOf.some((part) => restricts(part, property, resolve, seen))
}
