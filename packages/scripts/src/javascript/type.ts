/** What a declared type means, before it is JSON Schema: utility types, `keyof` and intersections compute with it. */
import type { Json } from "@wield/core"

/** Description, bounds and other keywords that documentation has put beside a type. */
export type Annotations = Json.JsonObject

interface Annotated {
  readonly annotations?: Annotations | undefined
}

export interface Property {
  readonly type: Type
  readonly isOptional: boolean
  /** What stands beside the type in the property's own documentation. */
  readonly annotations: Annotations
}

export interface ObjectType extends Annotated {
  readonly kind: "object"
  readonly properties: ReadonlyMap<string, Property>
  /** Of properties that are not named; absent where nothing is said of them. */
  readonly index: IndexSignature | undefined
}

export interface IndexSignature {
  readonly value: Type
  /** What their names must match; absent for any string. */
  readonly pattern: string | undefined
}

export interface TupleElement {
  readonly type: Type
  readonly isOptional: boolean
  readonly name: string | undefined
}

export type LiteralValue = string | number | boolean | null

export interface LiteralType extends Annotated {
  readonly kind: "literal"
  readonly value: LiteralValue
}

export interface SimpleType extends Annotated {
  readonly kind: "simple"
  readonly type: "string" | "number" | "integer" | "boolean"
  /** Such as the pattern of a template literal type. */
  readonly keywords: Json.JsonObject
}

export interface TupleType extends Annotated {
  readonly kind: "tuple"
  readonly elements: ReadonlyArray<TupleElement>
  /** Of the elements after those; absent without such elements. */
  readonly rest: Type | undefined
}

export interface UnionType extends Annotated {
  readonly kind: "union"
  /** Neither unions nor `never`, unless they are annotated. */
  readonly members: ReadonlyArray<Type>
}

export type Type =
  | LiteralType
  | ObjectType
  | SimpleType
  | TupleType
  | UnionType
  /** A set where it is unique. */
  | (Annotated & { readonly kind: "array"; readonly items: Type; readonly isUnique: boolean })
  | (Annotated & { readonly kind: "intersection"; readonly members: ReadonlyArray<Type> })
  /** A type that contains itself, or is large: `key` is what its definition is kept under. */
  | (Annotated & { readonly kind: "reference"; readonly key: string })
  /** `undefined` makes what has it optional; of `never` there is no value. */
  | (Annotated & { readonly kind: "any" | "never" | "undefined" })

export const any: Type = { kind: "any" }
export const never: Type = { kind: "never" }
export const undefinedType: Type = { kind: "undefined" }
export const nullType: Type = { kind: "literal", value: null }

export const simple = (type: SimpleType["type"], keywords: Json.JsonObject = {}): Type => ({
  kind: "simple",
  type,
  keywords
})

export const literal = (value: LiteralValue): LiteralType => ({ kind: "literal", value })

export const array = (items: Type, isUnique = false): Type => ({ kind: "array", items, isUnique })

export const object = (
  properties: Iterable<readonly [string, Property]> = [],
  index?: IndexSignature | undefined
): ObjectType => ({ kind: "object", properties: new Map(properties), index })

export const property = (type: Type, isOptional = false, annotations: Annotations = {}): Property => ({
  type,
  isOptional,
  annotations
})

/** A type with keywords beside it; those it has already give way. */
export const annotate = (type: Type, annotations: Annotations): Type =>
  Object.keys(annotations).length === 0 ? type : { ...type, annotations: { ...type.annotations, ...annotations } }

/** The union of types: flat, and nothing but the member where there is one only. */
export const union = (types: Iterable<Type>): Type => {
  const members = [...types].flatMap((type) =>
    type.kind === "never" ? [] : type.kind === "union" && type.annotations === undefined ? type.members : [type]
  )
  const absence = members.filter(({ kind }) => kind !== "undefined" && kind !== "any")
  const nullless = absence.filter((type) => !isNull(type))
  // `Unit | null` and `Unit | undefined` keep what Unit is documented with.
  const [only] = nullless
  if (nullless.length === 1 && only?.kind === "union" && members.length > 1) {
    const rest = members.filter((member) => member !== only)
    return { kind: "union", members: [...only.members, ...rest], annotations: only.annotations }
  }
  const [first] = members
  return first === undefined ? never : members.length === 1 ? first : { kind: "union", members }
}

export const isNull = (type: Type): boolean => type.kind === "literal" && type.value === null

export const membersOf = (type: Type): ReadonlyArray<Type> => (type.kind === "union" ? type.members : [type])

/** Whether null is among the values, as the declaration says it. */
export const isNullable = (type: Type): boolean => membersOf(type).some(isNull)

/** A type without `undefined`, and whether it had it. */
export const dropUndefined = (type: Type): { readonly type: Type; readonly hadUndefined: boolean } => {
  const members = membersOf(type)
  const kept = members.filter(({ kind }) => kind !== "undefined")
  if (kept.length === members.length) return { type, hadUndefined: false }
  const rest = union(kept)
  return { type: type.annotations === undefined ? rest : annotate(rest, type.annotations), hadUndefined: true }
}

/** How large a type is when it is written out. Types that are used in several places are counted in each. */
export const sizeOf = (type: Type, known: WeakMap<Type, number>): number => {
  const before = known.get(type)
  if (before !== undefined) return before
  const size = 1 + partsOf(type).reduce((sum, part) => sum + sizeOf(part, known), 0)
  known.set(type, size)
  return size
}

const partsOf = (type: Type): ReadonlyArray<Type> => {
  switch (type.kind) {
    case "array":
      return [type.items]
    case "intersection":
    case "union":
      return type.members
    case "object":
      return [
        ...[...type.properties.values()].map((property) => property.type),
        ...(type.index === undefined ? [] : [type.index.value])
      ]
    case "tuple":
      return [...type.elements.map((element) => element.type), ...(type.rest === undefined ? [] : [type.rest])]
    default:
      return []
  }
}
