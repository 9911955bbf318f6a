/**
 * Property names that an API refuses, replaced by ones that it takes, and the
 * names in the values that come back.
 */
import type { Loss } from "@wield/core"
import * as Json from "@wield/core/Json"

type Path = ReadonlyArray<string | number>

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

const lists: ReadonlySet<string> = new Set(["allOf", "anyOf", "items", "oneOf", "prefixItems"])
const schemasByName: ReadonlySet<string> = new Set(["$defs", "definitions", "dependentSchemas"])
const single: ReadonlySet<string> = new Set(["additionalProperties", "contains", "else", "if", "items", "not", "then"])

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
  const renameIn = (value: unknown, depth: number): unknown => {
    if (!Json.isObject(value) || depth > maxDepth) return value
    const nameOf = (name: unknown): unknown => (typeof name === "string" ? (natives.get(name) ?? name) : name)
    return Object.fromEntries(
      Object.entries(value).map(([keyword, stated]): [string, unknown] => {
        if (keyword === "required" && Array.isArray(stated)) return [keyword, stated.map(nameOf)]
        if (Json.isObject(stated) && (keyword === "properties" || schemasByName.has(keyword))) {
          const isRenamed = keyword !== "$defs" && keyword !== "definitions"
          const inner = Object.entries(stated).map(([key, item]) => [
            isRenamed ? String(nameOf(key)) : key,
            renameIn(item, depth + 1)
          ])
          return [keyword, Object.fromEntries(inner)]
        }
        if (Array.isArray(stated))
          return [keyword, lists.has(keyword) ? stated.map((item) => renameIn(item, depth + 1)) : stated]
        return [keyword, single.has(keyword) ? renameIn(stated, depth + 1) : stated]
      })
    )
  }
  const schema = renameIn(document, 0)
  return {
    schema: Json.isObject(schema) ? schema : document,
    losses: refused.map(({ name, path }) => ({
      subject,
      path,
      keyword: "properties",
      reason: `The API takes no property of this name; it is sent as ${natives.get(name) ?? ""} and read back.`
    })),
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
  for (const [keyword, stated] of Object.entries(value)) {
    const here = [...path, keyword]
    if (Json.isObject(stated) && (keyword === "properties" || schemasByName.has(keyword))) {
      for (const [key, item] of Object.entries(stated)) {
        if (keyword === "properties") visit(key, [...here, key])
        eachName(item, [...here, key], depth + 1, visit)
      }
    } else if (Array.isArray(stated) && lists.has(keyword)) {
      for (const [index, item] of stated.entries()) eachName(item, [...here, index], depth + 1, visit)
    } else if (single.has(keyword)) eachName(stated, here, depth + 1, visit)
  }
}
