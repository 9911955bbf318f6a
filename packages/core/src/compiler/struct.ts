/**
 * The source for structs and records. The result is a new object with its keys
 * in the order of the schema, as the interpreter makes it.
 */
import * as Option from "effect/Option"
import type * as SchemaTree from "../SchemaTree.js"
import { type Direction, type Emitter, emitInterpreted, field, key } from "./Emitter.js"

export const emitStruct = (
  emitter: Emitter,
  ast: SchemaTree.NodeOf<"TypeLiteral">,
  direction: Direction,
  input: string
): string => {
  const { indexSignatures, propertySignatures } = ast
  if (propertySignatures.length === 0 && indexSignatures.length === 0) {
    emitter.failIf(`${input} === null || ${input} === undefined`)
    return input
  }
  if (!isPlain(ast)) return emitInterpreted(emitter, ast, direction, input)
  emitIsRecord(emitter, input)
  if (emitter.excess === "error") emitNoExcess(emitter, ast, input)
  const result = emitProperties(
    emitter,
    propertySignatures.map((property) => ({
      property,
      has: property.isOptional ? `own(${input}, ${key(emitter, property.name)})` : undefined,
      read: `${input}[${key(emitter, property.name)}]`,
      emitValue: (value) => emitter.emit(property.type, direction, value)
    }))
  )
  for (const signature of indexSignatures) {
    const known = emitter.value(new Set(propertySignatures.map(({ name }) => name)))
    const name = emitter.variable("undefined", "k")
    emitter.line(`for (${name} of Object.keys(${input})) {`)
    // Assigning it would set the prototype.
    emitter.failIf(`${name} === "__proto__"`)
    const item = emitter.variable(`${input}[${name}]`)
    const value = emitter.emit(signature.type, direction, item)
    emitter.line(propertySignatures.length === 0 ? "" : `if (!${known}.has(${name}))`)
    emitter.line(`${result}[${name}] = ${value}`)
    emitter.line("}")
  }
  return result
}

/** One property of the result: when it is there, how its value is read and converted. */
interface EmittedProperty {
  readonly property: SchemaTree.Property
  /** The condition under which it is there; always where undefined. */
  readonly has: string | undefined
  readonly read: string
  readonly emitValue: (value: string) => string
}

/** An object literal as long as every property is there, assignments from the first that may not be. */
const emitProperties = (emitter: Emitter, properties: ReadonlyArray<EmittedProperty>): string => {
  const fields: Array<string> = []
  let at = 0
  for (; at < properties.length; at++) {
    const current = properties[at]
    if (current === undefined || current.has !== undefined) break
    const value = current.emitValue(emitter.variable(current.read))
    fields.push(`${field(emitter, current.property.name)}: ${value}`)
  }
  const result = emitter.variable(`{ ${fields.join(", ")} }`)
  for (; at < properties.length; at++) {
    const current = properties[at]
    if (current === undefined) break
    if (current.has !== undefined) emitter.line(`if (${current.has}) {`)
    const value = current.emitValue(emitter.variable(current.read))
    emitter.line(`${result}[${key(emitter, current.property.name)}] = ${value}`)
    if (current.has !== undefined) emitter.line("}")
  }
  return result
}

const emitIsRecord = (emitter: Emitter, input: string): void =>
  emitter.failIf(`typeof ${input} !== "object" || ${input} === null || Array.isArray(${input})`)

/** A property of this name would set the prototype; keys of other kinds than strings are rare. */
const isPlain = (ast: SchemaTree.NodeOf<"TypeLiteral">): boolean =>
  ast.propertySignatures.every(({ name }) => name !== "__proto__") &&
  ast.indexSignatures.every(({ parameter }) => parameter._tag === "StringKeyword")

/** Only a struct without an index signature has properties too many. */
const emitNoExcess = (emitter: Emitter, ast: SchemaTree.NodeOf<"TypeLiteral">, input: string): void => {
  if (ast.indexSignatures.length > 0) return
  const known = emitter.value(new Set(ast.propertySignatures.map(({ name }) => name)))
  const name = emitter.variable("undefined", "k")
  emitter.line(`for (${name} of Reflect.ownKeys(${input})) if (!${known}.has(${name})) return F`)
}

export const isStructTransformation = (
  first: SchemaTree.Node,
  last: SchemaTree.Node
): first is SchemaTree.NodeOf<"TypeLiteral"> =>
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
  readonly checked: SchemaTree.Node | undefined
}

/**
 * The source for structs whose properties have defaults, other names, or are options. Both sides are written as one:
 * values go from one object to the other without one in between, and what both sides check alike is checked once.
 */
export const emitStructTransformation = (
  emitter: Emitter,
  first: SchemaTree.NodeOf<"TypeLiteral">,
  last: SchemaTree.Node,
  transformation: SchemaTree.StructChange,
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

const emitRead = (emitter: Emitter, property: SchemaTree.Property, direction: Direction, input: string): Held => {
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
const isUnchanging = (type: SchemaTree.Node): boolean => {
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
