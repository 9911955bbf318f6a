/** From what a type means to JSON Schema 2020-12. */
import type { Json } from "@wield/core"
import type { IndexSignature, LiteralValue, ObjectType, TupleType, Type, UnionType } from "./type.js"
import { isNull } from "./type.js"

type Schema = Json.JsonSchema

/** Where the definition of a type that contains itself is found, by its key. */
export type Reference = (key: string) => string

export const schemaOf = (type: Type, reference: Reference): Schema =>
  type.annotations === undefined ? shapeOf(type, reference) : { ...shapeOf(type, reference), ...type.annotations }

const shapeOf = (type: Type, reference: Reference): Schema => {
  switch (type.kind) {
    case "any":
    case "undefined":
      return {}
    case "never":
      return { not: {} }
    case "simple":
      return { type: type.type, ...type.keywords }
    case "literal":
      return literals([type.value])
    case "reference":
      return { $ref: reference(type.key) }
    case "array":
      return {
        type: "array",
        ...unlessAny("items", schemaOf(type.items, reference)),
        ...(type.isUnique ? { uniqueItems: true } : {})
      }
    case "tuple":
      return tuple(type, reference)
    case "object":
      return object(type, reference)
    case "intersection":
      return { allOf: type.members.map((member) => schemaOf(member, reference)) }
    case "union":
      return union(type, reference)
  }
}

/** `{}` says nothing. */
const unlessAny = (keyword: string, schema: Schema): Schema =>
  Object.keys(schema).length === 0 ? {} : { [keyword]: schema }

const tuple = ({ elements, rest }: TupleType, reference: Reference): Schema => {
  if (elements.length === 0) return { type: "array", maxItems: 0 }
  const required = elements.filter(({ isOptional }) => !isOptional).length
  return {
    type: "array",
    prefixItems: elements.map(({ name, type }) => ({
      ...schemaOf(type, reference),
      ...(name === undefined ? {} : { title: name })
    })),
    ...(rest === undefined ? { items: false } : unlessAny("items", schemaOf(rest, reference))),
    ...(required === 0 ? {} : { minItems: required })
  }
}

const object = ({ index, properties }: ObjectType, reference: Reference): Schema => {
  const entries = [...properties].map(([name, { annotations, type }]) => [
    name,
    { ...schemaOf(type, reference), ...annotations }
  ])
  const required = [...properties].filter(([, { isOptional }]) => !isOptional).map(([name]) => name)
  return {
    type: "object",
    ...(entries.length === 0 ? {} : { properties: Object.fromEntries(entries) }),
    ...(required.length === 0 ? {} : { required }),
    ...(index === undefined ? {} : indexSignature(index, entries.length > 0, reference))
  }
}

const indexSignature = ({ pattern, value }: IndexSignature, hasProperties: boolean, reference: Reference): Schema => {
  const schema = schemaOf(value, reference)
  if (pattern === undefined) return unlessAny("additionalProperties", schema)
  return hasProperties
    ? { patternProperties: { [pattern]: schema } }
    : { ...unlessAny("additionalProperties", schema), propertyNames: { pattern } }
}

/** Literals are one `enum`, types without further keywords one `type`, and null is a type of the only other one. */
const union = ({ members }: UnionType, reference: Reference): Schema => {
  if (members.some(({ annotations, kind }) => kind === "any" && annotations === undefined)) return {}
  const isNullable = members.some(isNull)
  const plain = plainTypes(members)
  const values = members.flatMap((member): ReadonlyArray<LiteralValue> =>
    member.kind === "literal" && member.value !== null && member.annotations === undefined ? [member.value] : []
  )
  const kept = values.filter((value) => !plain.some((type) => accepts(type, value)))
  const alternatives = new Map<string, Schema>()
  const add = (schema: Schema): unknown => alternatives.set(JSON.stringify(schema), schema)
  for (const member of members) {
    if (isPlain(member)) {
      add({ type: plain.length === 1 ? plain[0] : plain })
    } else if (isNull(member)) {
      continue
    } else if (member.kind === "literal" && member.annotations === undefined) {
      add(kept.includes(member.value) ? literals(kept) : { type: plain.length === 1 ? plain[0] : plain })
    } else if (member.kind !== "undefined") {
      const schema = schemaOf(member, reference)
      if (!plain.some((type) => schema["type"] === type && member.annotations === undefined)) add(schema)
    }
  }
  return together([...alternatives.values()], isNullable)
}

const together = (alternatives: ReadonlyArray<Schema>, isNullable: boolean): Schema => {
  if (!isNullable) return alternatives.length === 1 ? (alternatives[0] ?? {}) : { anyOf: alternatives }
  const [first] = alternatives
  if (first === undefined) return { type: "null" }
  if (Object.keys(first).length === 0) return first
  const only = alternatives.length === 1 ? withNull(first) : undefined
  return only ?? { anyOf: [...alternatives, { type: "null" }] }
}

const withNull = (schema: Schema): Schema | undefined => {
  const { enum: values, type, ...rest } = schema
  if (type === undefined) return undefined
  const types: ReadonlyArray<unknown> = Array.isArray(type) ? type : [type]
  return {
    type: [...types, "null"],
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
    ...rest
  }
}

/** The types that are nothing but types; `true | false` is one of them. */
const plainTypes = (members: ReadonlyArray<Type>): ReadonlyArray<string> => {
  const types = new Set(members.flatMap((member) => (isPlain(member) ? [member.type] : [])))
  const has = (value: boolean): boolean =>
    members.some((member) => member.kind === "literal" && member.value === value && member.annotations === undefined)
  if (has(true) && has(false)) types.add("boolean")
  return [...types].filter((type) => type !== "integer" || !types.has("number"))
}

const isPlain = (type: Type): type is Extract<Type, { kind: "simple" }> =>
  type.kind === "simple" && type.annotations === undefined && Object.keys(type.keywords).length === 0

const accepts = (type: string, value: LiteralValue): boolean =>
  type === "integer" ? Number.isInteger(value) : typeof value === type

const literals = (values: ReadonlyArray<LiteralValue>): Schema => {
  const types = [...new Set(values.map((value) => (value === null ? "null" : typeof value)))]
  const type = types.length === 1 ? types[0] : types
  return values.every((value) => value === null) ? { type: "null" } : { type, enum: [...new Set(values)] }
}
