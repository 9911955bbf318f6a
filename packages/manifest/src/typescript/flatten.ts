/** A schema without `allOf`, and without anything beside a reference but what is said of it. */
import * as Json from "@wield/core/Json"
import { lookup } from "../openapi/reference.js"
import { merge } from "./merge.js"

export type Lose = (keyword: string, reason: string) => void

export const sayings: ReadonlySet<string> = new Set(
  "$comment $defs $id $schema default definitions deprecated description examples title".split(" ")
)

export const flatten = (
  value: unknown,
  root: Json.JsonSchema,
  lose: Lose,
  open: ReadonlySet<string> = new Set()
): Json.JsonSchema | boolean => {
  if (!Json.isObject(value)) return value !== false
  const { $ref: reference, allOf, ...rest } = value
  const parts = Array.isArray(allOf) ? allOf : []
  const isBare = Object.keys(rest).every((keyword) => sayings.has(keyword))
  if (typeof reference === "string" && parts.length === 0) {
    if (isBare) return value
    return joined(rest, [{ $ref: reference }], root, lose, open)
  }
  if (parts.length === 0) return value
  const all = typeof reference === "string" ? [{ $ref: reference }, ...parts] : parts
  // A wrapper that gives a reference a description of its own, as OpenAPI 3.0 needs it.
  const [only] = all
  if (isBare && all.length === 1 && Json.isObject(only)) {
    const flat = flatten(only, root, lose, open)
    return typeof flat === "boolean" ? flat : { ...flat, ...rest }
  }
  return joined(rest, all, root, lose, open)
}

const joined = (
  first: Json.JsonSchema,
  parts: ReadonlyArray<unknown>,
  root: Json.JsonSchema,
  lose: Lose,
  open: ReadonlySet<string>
): Json.JsonSchema | boolean => {
  let result = first
  for (const part of parts) {
    const flat = inlined(part, root, lose, open)
    if (flat === false) return false
    if (flat === true) continue
    const merged = merge(result, flat)
    for (const keyword of merged.lost)
      lose(keyword, "two parts of an allOf state it, and they cannot be joined into one")
    result = merged.schema
  }
  return result
}

const inlined = (value: unknown, root: Json.JsonSchema, lose: Lose, open: ReadonlySet<string>) => {
  const flat = flatten(value, root, lose, open)
  if (typeof flat === "boolean" || typeof flat["$ref"] !== "string") return flat
  const { $ref: reference } = flat
  if (open.has(reference)) {
    lose("allOf", "it leads back to itself, so it cannot be written out")
    return true
  }
  return inlined(lookup(root, reference), root, lose, new Set([...open, reference]))
}

export const areDisjoint = (branches: ReadonlyArray<Json.JsonSchema | boolean>): boolean =>
  branches.every((one, index) => branches.slice(index + 1).every((other) => isApart(one, other)))

const isApart = (one: Json.JsonSchema | boolean, other: Json.JsonSchema | boolean): boolean => {
  if (one === false || other === false) return true
  if (one === true || other === true) return false
  const isToldByValue = shareNothing(valuesOf(one), valuesOf(other))
  if (isToldByValue !== undefined) return isToldByValue
  return shareNothing(typesOf(one), typesOf(other)) === true || isToldByProperty(one, other)
}

/** A property that both require, of values that they do not share; both have to be objects. */
const isToldByProperty = (one: Json.JsonSchema, other: Json.JsonSchema): boolean => {
  if (typesOf(one)?.join() !== "object" || typesOf(other)?.join() !== "object") return false
  const names = requiredOf(one).filter((name) => requiredOf(other).includes(name))
  return names.some((name) => shareNothing(valuesOf(propertyOf(one, name)), valuesOf(propertyOf(other, name))) === true)
}

/** `undefined` where one of them says nothing. */
const shareNothing = (
  some: ReadonlyArray<unknown> | undefined,
  others: ReadonlyArray<unknown> | undefined
): boolean | undefined => others && some?.every((value) => !others.includes(value))

const requiredOf = ({ required }: Json.JsonSchema): ReadonlyArray<unknown> => (Array.isArray(required) ? required : [])

const propertyOf = ({ properties }: Json.JsonSchema, name: unknown): unknown =>
  Json.isObject(properties) && typeof name === "string" && Object.hasOwn(properties, name)
    ? properties[name]
    : undefined

/** As JSON, since they may be objects. */
const valuesOf = (schema: unknown): ReadonlyArray<string> | undefined => {
  if (!Json.isObject(schema)) return undefined
  if (schema["const"] !== undefined) return [JSON.stringify(schema["const"])]
  return Array.isArray(schema["enum"]) ? schema["enum"].map((value) => JSON.stringify(value)) : undefined
}

const typesOf = ({ type }: Json.JsonSchema): ReadonlyArray<unknown> | undefined =>
  type === undefined
    ? undefined
    : (Array.isArray(type) ? type : [type]).map((one) => (one === "integer" ? "number" : one))
