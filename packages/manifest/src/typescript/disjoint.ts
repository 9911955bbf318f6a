/** Whether no value fits two branches of a union: then `oneOf` says no more than `anyOf`. */
import { Json } from "@wield/core"

export const areDisjoint = (branches: ReadonlyArray<Json.JsonSchema | boolean>): boolean =>
  branches.every((one, index) => branches.slice(index + 1).every((other) => isApart(one, other)))

const isApart = (one: Json.JsonSchema | boolean, other: Json.JsonSchema | boolean): boolean => {
  if (one === false || other === false) return true
  if (one === true || other === true) return false
  const values = valuesOf(one)
  const others = valuesOf(other)
  if (values !== undefined && others !== undefined) return !values.some((value) => others.includes(value))
  const types = typesOf(one)
  const otherTypes = typesOf(other)
  if (types !== undefined && otherTypes !== undefined && !types.some((type) => otherTypes.includes(type))) return true
  return isToldByProperty(one, other)
}

/** A property that both require, of values that they do not share; both have to be objects. */
const isToldByProperty = (one: Json.JsonSchema, other: Json.JsonSchema): boolean => {
  if (typesOf(one)?.join() !== "object" || typesOf(other)?.join() !== "object") return false
  const names = requiredOf(one).filter((name) => requiredOf(other).includes(name))
  return names.some((name) => {
    const values = valuesOf(propertyOf(one, name))
    const others = valuesOf(propertyOf(other, name))
    return values !== undefined && others !== undefined && !values.some((value) => others.includes(value))
  })
}

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
