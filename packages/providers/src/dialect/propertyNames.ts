/** Property names that an API refuses, replaced by ones that it takes, and the names in the values that come back. */
import type { Loss, ToolDefinition } from "@wield/core"
import * as Json from "@wield/core/Json"
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
  const schema = renameIn(document, 0)
  return {
    schema: Json.isObject(schema) ? schema : document,
    losses: refused.map(({ name, path }) => {
      const reason = `The API takes no property of this name; it is sent as ${natives.get(name) ?? ""} and read back.`
      return lossOf(subject, path, "properties", reason)
    }),
    rename: (value) => withKeys(value, natives, 0),
    restore: (value) => withKeys(value, originals, 0)
  }
}

const asItIs = (value: unknown): unknown => value

const withKeys = (value: unknown, names: ReadonlyMap<string, string>, depth: number): unknown => {
  if (depth > maxDepth) return value
  if (Array.isArray(value)) return value.map((item) => withKeys(item, names, depth + 1))
  if (!Json.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [names.get(key) ?? key, withKeys(item, names, depth + 1)])
  )
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
