/**
 * The source for unions: the first member that fits, in the order in which the
 * interpreter tries them. It tries members that a literal tells apart before
 * the others; where that could change the order, it is left to it.
 */
import * as SchemaTree from "../SchemaTree.js"
import { type Direction, type Emitter, emitInterpreted, key } from "./Emitter.js"

export const emitUnion = (
  emitter: Emitter,
  ast: SchemaTree.NodeOf<"Union">,
  direction: Direction,
  input: string
): string => {
  const { types } = ast
  if (types.every((type) => type._tag === "Literal")) return emitLiterals(emitter, types, input)
  const tags = types.map((type) => tagOf(type, direction))
  if (tags.every((tag) => tag === undefined)) return emitInOrder(emitter, types, direction, input)
  const tagged = discriminator(tags)
  return tagged === undefined
    ? emitInterpreted(emitter, ast, direction, input)
    : emitTagged(emitter, types, tagged, direction, input)
}

const emitLiterals = (emitter: Emitter, types: ReadonlyArray<SchemaTree.NodeOf<"Literal">>, input: string): string => {
  emitter.failIf(`!${emitter.value(types.map((type) => type.literal))}.includes(${input})`)
  return input
}

/** `null` and `undefined` beside one type are by far the most common unions. */
const emitInOrder = (
  emitter: Emitter,
  types: ReadonlyArray<SchemaTree.Node>,
  direction: Direction,
  input: string
): string => {
  const result = emitter.variable(input)
  const empties = types.filter(isEmpty)
  const others = types.filter((type) => !isEmpty(type))
  const only = others[0]
  if (only !== undefined && others.length === 1 && empties.length > 0 && isNeverEmpty(only)) {
    emitter.line(`if (${empties.map((type) => `${input} !== ${emptyText(type)}`).join(" && ")}) {`)
    emitter.line(`${result} = ${emitter.emit(only, direction, input)}`)
    emitter.line("}")
    return result
  }
  const [first, ...rest] = types.map((type) => emitter.functionOf(type, direction))
  emitter.line(`${result} = ${first}(${input})`)
  for (const next of rest) emitter.line(`if (${result} === F) ${result} = ${next}(${input})`)
  emitter.failIf(`${result} === F`)
  return result
}

const isEmpty = (type: SchemaTree.Node): boolean =>
  type._tag === "UndefinedKeyword" || (type._tag === "Literal" && type.literal === null)

const emptyText = (type: SchemaTree.Node): string => (type._tag === "UndefinedKeyword" ? "undefined" : "null")

/** Whether the type takes neither `null` nor `undefined`, so that trying it first or last is the same. */
const isNeverEmpty = (type: SchemaTree.Node): boolean => {
  // What falls back takes anything.
  if (SchemaTree.fallsBack(type)) return false
  switch (type._tag) {
    case "StringKeyword":
    case "NumberKeyword":
    case "BooleanKeyword":
    case "TupleType":
    case "TypeLiteral":
      return true
    case "Refinement":
      return isNeverEmpty(type.from)
    default:
      return false
  }
}

interface Tag {
  readonly name: PropertyKey
  readonly literal: SchemaTree.LiteralValue
}

/** The first required property with a literal type: what the interpreter tells members apart by. */
const tagOf = (type: SchemaTree.Node, direction: Direction): Tag | "unclear" | undefined => {
  switch (type._tag) {
    case "TypeLiteral": {
      for (const property of type.propertySignatures) {
        const side = direction === "decode" ? SchemaTree.encodedSide(property.type) : SchemaTree.typeSide(property.type)
        if (side._tag === "Literal" && !property.isOptional) return { name: property.name, literal: side.literal }
      }
      return undefined
    }
    case "TupleType":
    case "Declaration":
    case "Refinement":
    case "Transformation":
    case "Suspend":
      return isObjectLike(type) ? "unclear" : undefined
    default:
      return undefined
  }
}

/** Whether the interpreter might find a literal inside. */
const isObjectLike = (type: SchemaTree.Node): boolean => {
  switch (type._tag) {
    case "TupleType":
      return type.elements.length > 0
    case "Refinement":
      return isObjectLike(type.from)
    case "Transformation":
      return isObjectLike(type.from) || isObjectLike(type.to)
    case "TypeLiteral":
    case "Declaration":
    case "Suspend":
      return true
    default:
      return false
  }
}

/** One property that every member has with a literal of its own. */
const discriminator = (
  tags: ReadonlyArray<Tag | "unclear" | undefined>
): { readonly name: PropertyKey; readonly literals: ReadonlyArray<SchemaTree.LiteralValue> } | undefined => {
  const literals: Array<SchemaTree.LiteralValue> = []
  let name: PropertyKey | undefined
  for (const tag of tags) {
    if (tag === undefined || tag === "unclear" || (name !== undefined && tag.name !== name)) return undefined
    name = tag.name
    literals.push(tag.literal)
  }
  if (name === undefined || new Set(literals.map(String)).size !== literals.length) return undefined
  return { name, literals }
}

const emitTagged = (
  emitter: Emitter,
  types: ReadonlyArray<SchemaTree.Node>,
  tagged: { readonly name: PropertyKey; readonly literals: ReadonlyArray<SchemaTree.LiteralValue> },
  direction: Direction,
  input: string
): string => {
  emitter.failIf(`typeof ${input} !== "object" || ${input} === null`)
  const result = emitter.variable("F")
  const tag = emitter.variable(`${input}[${key(emitter, tagged.name)}]`)
  // An object is no literal, and a model can send one that has no text: `{"toString":1}`.
  emitter.failIf(`typeof ${tag} === "object" && ${tag} !== null`)
  emitter.line(`switch (String(${tag})) {`)
  for (const [index, type] of types.entries()) {
    const call = emitter.functionOf(type, direction)
    emitter.line(`case ${JSON.stringify(String(tagged.literals[index]))}: ${result} = ${call}(${input}); break`)
  }
  emitter.line("}")
  emitter.failIf(`${result} === F`)
  return result
}
