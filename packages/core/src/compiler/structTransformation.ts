/**
 * The source for structs whose properties have defaults, other names, or are
 * options. Both sides are written as one: values go from one object to the
 * other without one in between, and what both sides check alike is checked once.
 */
import * as Option from "effect/Option"
import type * as AST from "effect/SchemaAST"
import { type Direction, type Emitter, key } from "./Emitter.js"
import { emitIsRecord, emitNoExcess, emitProperties, isPlain } from "./struct.js"

export const isStructTransformation = (first: AST.AST, last: AST.AST): first is AST.TypeLiteral =>
  first._tag === "TypeLiteral" &&
  last._tag === "TypeLiteral" &&
  [first, last].every(
    (side) => isPlain(side) && side.indexSignatures.length === 0 && side.propertySignatures.length > 0
  )

/** A property between the two sides. */
interface Held {
  readonly value: string
  /** The condition under which it is there. */
  readonly has: string
  /** The type it was checked against; none where it was changed since. */
  readonly checked: AST.AST | undefined
}

export const emitStructTransformation = (
  emitter: Emitter,
  first: AST.TypeLiteral,
  last: AST.AST,
  transformation: AST.TypeLiteralTransformation,
  direction: Direction,
  input: string
): string => {
  if (last._tag !== "TypeLiteral") return input
  emitIsRecord(emitter, input)
  if (emitter.excess === "error") emitNoExcess(emitter, first, input)
  const held = new Map<PropertyKey, Held>()
  for (const property of first.propertySignatures)
    held.set(property.name, emitRead(emitter, property, direction, input))
  for (const change of transformation.propertySignatureTransformations) {
    const [from, to] = direction === "decode" ? [change.from, change.to] : [change.to, change.from]
    const before = held.get(from)
    const convert = emitter.value(direction === "decode" ? change.decode : change.encode)
    const given =
      before === undefined
        ? emitter.value(none)
        : before.has === "true"
          ? `${emitter.value(Option.some)}(${before.value})`
          : `${before.has} ? ${emitter.value(Option.some)}(${before.value}) : ${emitter.value(none)}`
    const changed = emitter.variable(`${convert}(${given})`)
    held.delete(from)
    const value = emitter.variable(`${changed}._tag === "Some" ? ${changed}.value : undefined`)
    held.set(to, { value, has: `${changed}._tag === "Some"`, checked: undefined })
  }
  return emitProperties(
    emitter,
    last.propertySignatures.map((property) => {
      const source = held.get(property.name) ?? absent
      return {
        property,
        has: property.isOptional ? source.has : undefined,
        read: source.value,
        emitValue: (value) => (source.checked === property.type ? value : emitter.emit(property.type, direction, value))
      }
    })
  )
}

const none = Option.none()

const absent: Held = { value: "undefined", has: "false", checked: undefined }

const emitRead = (emitter: Emitter, property: AST.PropertySignature, direction: Direction, input: string): Held => {
  const name = key(emitter, property.name)
  const checked = isUnchanging(property.type) ? property.type : undefined
  if (!property.isOptional) {
    const value = emitter.variable(`${input}[${name}]`)
    return { value: emitter.variable(emitter.emit(property.type, direction, value)), has: "true", checked }
  }
  const has = emitter.variable(`own(${input}, ${name})`)
  const value = emitter.variable(`${has} ? ${input}[${name}] : undefined`)
  emitter.line(`if (${has}) {`)
  emitter.line(`${value} = ${emitter.emit(property.type, direction, value)}`)
  emitter.line("}")
  return { value, has, checked }
}

/** Whether the type is the same on both sides, so that a value that one has checked the other need not. */
const isUnchanging = (type: AST.AST): boolean => {
  switch (type._tag) {
    case "Declaration":
    case "Suspend":
    case "Transformation":
      return false
    case "Refinement":
      return isUnchanging(type.from)
    case "TypeLiteral":
      return (
        type.propertySignatures.every((property) => isUnchanging(property.type)) &&
        type.indexSignatures.every((signature) => isUnchanging(signature.type))
      )
    case "TupleType":
      return [...type.elements, ...type.rest].every((element) => isUnchanging(element.type))
    case "Union":
      return type.types.every(isUnchanging)
    default:
      return true
  }
}
