/** Property names that an API refuses, replaced by ones that it takes, and the names in the values that come back. */
import type { Loss, ToolDefinition } from "@wield/core"
import * as Json from "@wield/core/Json"
import * as JsonPointer from "@wield/core/JsonPointer"
import { lossOf } from "../internal/losses.js"
import { mapSchemas } from "./keywords.js"
import type { Path } from "../internal/wireField.js"
import { inputSchema } from "../internal/json.js"

export interface RenamedProperties {
  /** The given schema itself where no name had to be replaced. */
  readonly schema: Json.JsonSchema
  readonly losses: ReadonlyArray<Loss.Loss>
  /** A value of the given schema as one of the renamed schema. */
  readonly rename: (value: unknown) => unknown
  readonly restore: (value: unknown) => unknown
}

/** Values nested deeper keep their names, and the validator says so. */
const maxDepth = 1_000

export const renameProperties = (subject: string, document: Json.JsonSchema, allowed: RegExp): RenamedProperties => {
  const taken = new Set<string>()
  const refused: Array<{ readonly name: string; readonly path: Path }> = []
  eachName(document, [], 0, (name, path) => {
    if (allowed.test(name)) taken.add(name)
    else if (!refused.some((known) => known.name === name)) refused.push({ name, path })
  })
  if (refused.length === 0) return { schema: document, losses: [], rename: asItIs, restore: asItIs }
  const natives = new Map<string, string>()
  const originals = new Map<string, string>()
  for (const { name } of refused) {
    const base = name.replace(/[^a-zA-Z0-9]+/g, "_").slice(0, 48) || "property"
    let native = base
    for (let count = 2; taken.has(native) || !allowed.test(native); count++) native = `${base}_${count}`
    taken.add(native)
    natives.set(name, native)
    originals.set(native, name)
  }
  const nameOf = (name: unknown) => (typeof name === "string" ? (natives.get(name) ?? name) : name)
  const renameIn = (value: unknown, depth: number): unknown => {
    if (!Json.isObject(value) || depth > maxDepth) return value
    const renamed = Object.entries(mapSchemas(value, [], (inner) => renameIn(inner, depth + 1)))
    return Object.fromEntries(
      renamed.map(([keyword, stated]) => {
        if (keyword === "required" && Array.isArray(stated)) return [keyword, stated.map(nameOf)]
        const isNamed = keyword === "properties" || keyword === "dependentSchemas"
        if (!isNamed || !Json.isObject(stated)) return [keyword, stated]
        return [keyword, Object.fromEntries(Object.entries(stated).map(([key, item]) => [nameOf(key), item]))]
      })
    )
  }
  const renamed = renameIn(document, 0)
  const schema = Json.isObject(renamed) ? renamed : document
  return {
    schema,
    losses: refused.map(({ name, path }) => {
      const reason = `The API takes no property of this name; it is sent as ${natives.get(name) ?? ""} and read back.`
      return lossOf(subject, path, "properties", reason)
    }),
    rename: (value) => new Renaming(document, natives).rename([document], value, 0),
    restore: (value) => new Renaming(schema, originals).rename([schema], value, 0)
  }
}

const asItIs = (value: unknown): unknown => value

/** Gives the names of a value that its schema lists others; a key that the schema leaves open is its own. */
class Renaming {
  readonly #parts = new Map<Json.JsonSchema, ReadonlySet<Json.JsonSchema>>()

  constructor(
    private readonly document: Json.JsonSchema,
    private readonly names: ReadonlyMap<string, string>
  ) {}

  /** `schemas` are those that may describe the value. */
  rename(schemas: ReadonlyArray<unknown>, value: unknown, depth: number): unknown {
    if (depth > maxDepth || typeof value !== "object" || value === null) return value
    const parts = [...new Set(schemas.filter(Json.isObject).flatMap((schema) => [...this.#partsOf(schema)]))]
    if (parts.length === 0) return value
    if (Array.isArray(value)) {
      const items = parts.flatMap(itemsOf)
      return value.map((item) => this.rename(items, item, depth + 1))
    }
    const entries = Object.entries(value).map(([key, field]) => {
      const listed = parts.filter(({ properties }) => Json.isObject(properties) && Object.hasOwn(properties, key))
      const inner = parts.flatMap((part) => fieldsOf(part, key))
      return [listed.length === 0 ? key : (this.names.get(key) ?? key), this.rename(inner, field, depth + 1)]
    })
    return Object.fromEntries(entries)
  }

  /** The schema and all that it holds for the same value: what it refers to, and its branches. */
  #partsOf(schema: Json.JsonSchema): ReadonlySet<Json.JsonSchema> {
    const known = this.#parts.get(schema)
    if (known !== undefined) return known
    const parts = new Set([schema])
    // A set goes on to what is added to it meanwhile.
    for (const part of parts) {
      const { $ref: reference, dependentSchemas, else: otherwise, if: condition, then } = part
      const branches = [part["allOf"], part["anyOf"], part["oneOf"]].flatMap((each) =>
        Array.isArray(each) ? each : []
      )
      const dependent = Json.isObject(dependentSchemas) ? Object.values(dependentSchemas) : []
      const target = typeof reference === "string" ? JsonPointer.schemaAt(this.document, reference) : undefined
      for (const one of [target, condition, then, otherwise, ...branches, ...dependent]) {
        if (Json.isObject(one)) parts.add(one)
      }
    }
    this.#parts.set(schema, parts)
    return parts
  }
}

const itemsOf = ({ additionalItems, contains, items, prefixItems }: Json.JsonSchema): ReadonlyArray<unknown> =>
  [prefixItems, items, additionalItems, contains].flat()

const fieldsOf = (schema: Json.JsonSchema, key: string): ReadonlyArray<unknown> => {
  const { additionalProperties, patternProperties, properties } = schema
  if (Json.isObject(properties) && Object.hasOwn(properties, key)) return [properties[key]]
  return [...(Json.isObject(patternProperties) ? Object.values(patternProperties) : []), additionalProperties]
}

const eachName = (value: unknown, path: Path, depth: number, visit: (name: string, path: Path) => void): void => {
  if (!Json.isObject(value) || depth > maxDepth) return
  mapSchemas(value, path, (inner, at) => {
    const name = at.at(-1)
    if (at.at(-2) === "properties" && at.length === path.length + 2) visit(String(name), at)
    return eachName(inner, at, depth + 1, visit)
  })
}

/** The pattern of the API's error message for "Property keys". */
export const anthropicName = /^[a-zA-Z0-9_.-]{1,64}$/

const known = new WeakMap<ToolDefinition.ToolDefinition, RenamedProperties>()

/** Made once for a definition: it is needed for every request and every call. */
export const anthropicProperties = (definition: ToolDefinition.ToolDefinition): RenamedProperties => {
  const cached = known.get(definition)
  if (cached !== undefined) return cached
  const { losses, schema } = inputSchema(definition.name, definition.inputSchema)
  const renamed = renameProperties(definition.name, schema, anthropicName)
  const made = { ...renamed, losses: [...losses, ...renamed.losses] }
  known.set(definition, made)
  return made
}
