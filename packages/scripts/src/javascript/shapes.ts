/** What utility types compute of other types. */
import * as Option from "effect/Option"
import { type Resolution, structureOf } from "./resolution.js"
import * as Types from "./type.js"
import type { IndexSignature, ObjectType, Property, Type } from "./type.js"

/** Names of properties that are numbers. */
const numberPattern = "^-?\\d+(\\.\\d+)?$"

/** An object with the same properties, each changed; `undefined` where the type is no object. */
export const mapProperties = (
  resolution: Resolution,
  type: Type,
  change: (property: Property, name: string) => Property | undefined
): ObjectType | undefined => {
  const structure = structureOf(resolution, type)
  if (structure.kind !== "object") return undefined
  const properties = [...structure.properties].flatMap(([name, before]) => {
    const after = change(before, name)
    return after === undefined ? [] : [[name, after] as const]
  })
  return Types.object(properties, structure.index)
}

/** What `keyof` gives. */
export const keysOf = (resolution: Resolution, type: Type): Type | undefined => {
  const structure = structureOf(resolution, type)
  if (structure.kind !== "object") return undefined
  const names = [...structure.properties.keys()].map((name) => Types.literal(name))
  return Types.union(structure.index === undefined ? names : [...names, Types.simple("string")])
}

/** The texts that a type of literals stands for; `undefined` where it stands for others too. */
export const namesOf = (type: Type): ReadonlyArray<string> | undefined => {
  const names = Types.membersOf(type).map((member) =>
    member.kind === "literal" && member.value !== null ? String(member.value) : undefined
  )
  return type.kind === "never" ? [] : names.every((name) => name !== undefined) ? names : undefined
}

/** `Record<Keys, Value>`, and every other type that has a property for each key. */
export const recordOf = (keys: Type, valueOf: (key: Type, name: string | undefined) => Property): ObjectType => {
  const properties: Array<readonly [string, Property]> = []
  let index: IndexSignature | undefined
  for (const key of Types.membersOf(keys)) {
    if (key.kind === "literal" && key.value !== null) {
      properties.push([String(key.value), valueOf(key, String(key.value))])
    } else if (key.kind !== "never") {
      index ??= { value: valueOf(key, undefined).type, pattern: patternOf(key) }
    }
  }
  return Types.object(properties, index)
}

const patternOf = (key: Type): string | undefined => {
  if (key.kind !== "simple") return undefined
  if (key.type === "number" || key.type === "integer") return numberPattern
  const pattern = key.keywords["pattern"]
  return typeof pattern === "string" ? pattern : undefined
}

/** `Type["name"]`, `Type[number]`; `undefined` where that is not known. */
export const indexType = (resolution: Resolution, type: Type, key: Type): Type | undefined => {
  const structure = structureOf(resolution, type)
  const found = Types.membersOf(key).map((member): Type | undefined => {
    switch (structure.kind) {
      case "object": {
        const name = member.kind === "literal" ? String(member.value) : undefined
        const named = name === undefined ? undefined : structure.properties.get(name)
        if (named === undefined) return structure.index?.value
        return named.isOptional ? Types.union([named.type, Types.undefinedType]) : named.type
      }
      case "array":
        return structure.items
      case "tuple": {
        const types = [
          ...structure.elements.map((element) => element.type),
          ...(structure.rest === undefined ? [] : [structure.rest])
        ]
        return member.kind === "literal" ? types[Number(member.value)] : Types.union(types)
      }
      default:
        return undefined
    }
  })
  return found.every((one) => one !== undefined) ? Types.union(found) : undefined
}

/** What is of both types. Objects become one; a brand (`string & { __brand: "Id" }`) is left out. */
export const intersect = (resolution: Resolution, types: ReadonlyArray<Type>): Type => {
  const members = types.flatMap((type) => (type.kind === "any" ? [] : [type]))
  const scalars = members.filter(({ kind }) => kind === "simple" || kind === "literal" || kind === "never")
  const [scalar] = scalars.toSorted((left, right) => narrowness(right) - narrowness(left))
  if (scalar !== undefined) return scalar
  const shapes = members.map((member) => (member.annotations === undefined ? structureOf(resolution, member) : member))
  const objects = shapes.filter((shape) => shape.kind === "object")
  const merged = Option.liftPredicate(objects, ({ length }) => length > 0).pipe(
    Option.map((some) => some.reduce((left, right) => merge(resolution, left, right)))
  )
  const others = members.filter((_, index) => shapes[index]?.kind !== "object")
  const all = [...Option.toArray(merged), ...others]
  const [first] = all
  return first === undefined ? Types.any : all.length === 1 ? first : { kind: "intersection", members: all }
}

const narrowness = ({ kind }: Type): number => (kind === "never" ? 2 : kind === "literal" ? 1 : 0)

const merge = (resolution: Resolution, left: ObjectType, right: ObjectType): ObjectType => {
  const properties = new Map(left.properties)
  for (const [name, added] of right.properties) {
    const known = properties.get(name)
    properties.set(
      name,
      known === undefined
        ? added
        : Types.property(intersect(resolution, [known.type, added.type]), known.isOptional && added.isOptional, {
            ...known.annotations,
            ...added.annotations
          })
    )
  }
  return Types.object(properties, left.index ?? right.index)
}

/** `Exclude` and `Extract`. */
export const filterMembers = (type: Type, other: Type, isKept: boolean): Type => {
  const others = Types.membersOf(other)
  const isAmong = (member: Type): boolean =>
    others.some(
      (candidate) =>
        JSON.stringify(candidate) === JSON.stringify(member) ||
        (candidate.kind === "simple" && member.kind === "literal" && typeof member.value === candidate.type)
    )
  const members = Types.membersOf(type).filter((member) => isAmong(member) === isKept)
  return members.length === 0 ? Types.never : Types.union(members)
}
