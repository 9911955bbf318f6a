/**
 * A schema as a validator gets it: a copy without what the validator would
 * read otherwise than the schema's draft does, and with what it needs in order
 * to be stopped. Nothing else sees the copy.
 */
import { isObject, type JsonSchema } from "../Json.js"
import { isData, keywordsIn, mapSubschemas } from "./keywords.js"
import type { Normalised } from "./normalise.js"
import * as JsonPointer from "../JsonPointer.js"
import { eachSchema } from "./schemas.js"

/** A keyword of ours: it counts how often a recursive part of the schema is tried. */
export const stepKeyword = "x-wield-step"

export interface EngineSchema {
  readonly root: JsonSchema
  /** Where each subschema of the copy stands, as a JSON Pointer. */
  readonly pointers: ReadonlyMap<unknown, string>
}

/** Read by ajv though no draft has them, or read by ajv as more than an annotation. */
const dropped = keywordsIn(`$async $data $schema $vocabulary id nullable ${stepKeyword}`)

export const engineSchema = (
  { draft, isDeclared, schema, seen }: Normalised,
  isFormatAsserted: boolean,
  isMeant: (keyword: string) => boolean = () => true
): EngineSchema => {
  const pointers = new Map<unknown, string>()
  // Up to draft 7 what stands beside a reference is ignored. Where no draft is
  // declared it is meant: Pydantic and many by hand write it so.
  const isReferenceAlone = isDeclared && draft.startsWith("draft-")
  // Only where references point at can a schema repeat itself.
  const targets = new Set<unknown>()
  const elsewhere = seen.has("$ref")
    ? eachSchema(schema, ({ schema: each }) => {
        const target = typeof each["$ref"] === "string" ? JsonPointer.schemaAt(schema, each["$ref"]) : undefined
        if (target !== undefined) targets.add(target)
      })
    : targets

  const copy = (value: unknown, pointer: string): unknown => {
    if (!isObject(value)) return value
    const hasReference = typeof value["$ref"] === "string"
    const fields = new Map<string, unknown>()
    if (targets.has(value)) fields.set(stepKeyword, true)
    for (const [keyword, stated] of Object.entries(value)) {
      if (dropped.has(keyword) || !isMeant(keyword) || (keyword === "format" && !isFormatAsserted)) continue
      if (isReferenceAlone && hasReference && (keyword === "$id" || !kept.has(keyword))) continue
      const here = pointer + JsonPointer.make([keyword])
      const copyInner = (inner: unknown, ...key: ReadonlyArray<string | number>) =>
        copy(inner, here + JsonPointer.make(key))
      const copied = mapSubschemas(keyword, stated, copyInner, () =>
        isData.has(keyword) ? stated : data(stated, here)
      )
      fields.set(keyword, copied)
    }
    prototypeProperty(fields)
    emptyEnum(fields)
    const made = Object.fromEntries(fields)
    pointers.set(made, pointer)
    return made
  }

  /** What stands in an unknown keyword identifies nothing; ajv looks for identifiers there too. */
  const data = (value: unknown, pointer: string): unknown => {
    if (elsewhere.has(value)) return copy(value, pointer)
    if (Array.isArray(value)) return value.map((item, index) => data(item, `${pointer}/${index}`))
    if (!isObject(value)) return value
    const entries = Object.entries(value).filter(([key]) => key !== "$id" && key !== "$anchor")
    return Object.fromEntries(entries.map(([key, inner]) => [key, data(inner, pointer + JsonPointer.make([key]))]))
  }

  const root = copy(schema, "")
  // `copy` gives an object for an object.
  return { root: root as JsonSchema, pointers }
}

/** References may lead into these. */
const kept = keywordsIn("$ref $defs definitions")

/** Nothing is one of no values. ajv takes an empty list for a mistake. */
const emptyEnum = (fields: Map<string, unknown>): void => {
  const values = fields.get("enum")
  if (!Array.isArray(values) || values.length > 0) return
  fields.delete("enum")
  const all = fields.get("allOf")
  fields.set("allOf", [...(Array.isArray(all) ? all : []), false])
}

export const prototypePattern = "^__proto__$"

/** Validators leave out a property of this name, which could set a prototype; as a pattern they take it. */
const prototypeProperty = (fields: Map<string, unknown>): void => {
  const properties = fields.get("properties")
  if (!isObject(properties) || !Object.hasOwn(properties, "__proto__")) return
  const { ["__proto__"]: _, ...others } = properties
  const patterns = fields.get("patternProperties")
  // A descriptor's value is any.
  const own = Object.getOwnPropertyDescriptor(properties, "__proto__")?.value as unknown
  fields.set("properties", others)
  fields.set("patternProperties", { ...(isObject(patterns) ? patterns : {}), [prototypePattern]: own })
}
