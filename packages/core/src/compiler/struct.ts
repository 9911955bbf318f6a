/**
 * The source for structs and records. The result is a new object with its keys
 * in the order of the schema, as the interpreter makes it.
 */
import type * as AST from "effect/SchemaAST"
import { type Direction, type Emitter, emitInterpreted, field, key } from "./Emitter.js"

export const emitStruct = (emitter: Emitter, ast: AST.TypeLiteral, direction: Direction, input: string): string => {
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
export interface EmittedProperty {
  readonly property: AST.PropertySignature
  /** The condition under which it is there; always where undefined. */
  readonly has: string | undefined
  readonly read: string
  readonly emitValue: (value: string) => string
}

/** An object literal as long as every property is there, assignments from the first that may not be. */
export const emitProperties = (emitter: Emitter, properties: ReadonlyArray<EmittedProperty>): string => {
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

export const emitIsRecord = (emitter: Emitter, input: string): void =>
  emitter.failIf(`typeof ${input} !== "object" || ${input} === null || Array.isArray(${input})`)

/** A property of this name would set the prototype; keys of other kinds than strings are rare. */
export const isPlain = (ast: AST.TypeLiteral): boolean =>
  ast.propertySignatures.every(({ name }) => name !== "__proto__") &&
  ast.indexSignatures.every(({ parameter }) => parameter._tag === "StringKeyword")

/** Only a struct without an index signature has properties too many. */
export const emitNoExcess = (emitter: Emitter, ast: AST.TypeLiteral, input: string): void => {
  if (ast.indexSignatures.length > 0) return
  const known = emitter.value(new Set(ast.propertySignatures.map(({ name }) => name)))
  const name = emitter.variable("undefined", "k")
  emitter.line(`for (${name} of Reflect.ownKeys(${input})) if (!${known}.has(${name})) return F`)
}
