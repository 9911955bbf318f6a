/** Object types: their members, and the types that are made of others' members. */
import * as Option from "effect/Option"
import type TS from "typescript"
import { ts } from "./compiler.js"
import { documentationOf, type DocumentedValue } from "./jsdoc.js"
import { annotationsOf, asInteger, isInteger, valueOf } from "./keywords.js"
import { nameOf } from "./literals.js"
import * as Resolutions from "./resolution.js"
import { about, inside, type Resolution, resolve } from "./resolution.js"
import { recordOf } from "./shapes.js"
import * as Types from "./type.js"
import type { IndexSignature, ObjectType, Property, Type } from "./type.js"

/** Of an interface or an object type. */
export const membersType = (resolution: Resolution, members: ReadonlyArray<TS.TypeElement>): ObjectType => {
  const properties: Array<readonly [string, Property]> = []
  let index: IndexSignature | undefined
  for (const member of members) {
    const name = member.name === undefined ? Option.none() : nameOf(member.name)
    if (ts.isIndexSignatureDeclaration(member)) index ??= indexOf(resolution, member)
    else if (ts.isPropertySignature(member) && Option.isSome(name)) {
      properties.push([name.value, memberOf(about(inside(resolution), `${resolution.subject}.${name.value}`), member)])
    } else {
      const message =
        "this member is left out: arguments are values of JSON, which have properties of written-out names only; write `name: type`"
      Resolutions.warn(resolution, "unsupported-type", member, message)
    }
  }
  return Types.object(properties, index)
}

const memberOf = (resolution: Resolution, member: TS.PropertySignature): Property => {
  const documentation = documentationOf(member)
  const { hadUndefined, type } = Types.dropUndefined(
    member.type === undefined ? Types.any : resolve(resolution, member.type)
  )
  return Types.property(
    isInteger(documentation) ? asInteger(type) : type,
    member.questionToken !== undefined || hadUndefined,
    annotationsOf(resolution.reading, documentation, resolution.subject)
  )
}

const indexOf = (resolution: Resolution, { parameters, type }: TS.IndexSignatureDeclaration): IndexSignature => {
  const keyNode = parameters[0]?.type
  const key = keyNode === undefined ? Types.simple("string") : resolve(resolution, keyNode)
  const value = resolve(inside(resolution), type)
  return { value, pattern: recordOf(key, () => Types.property(value)).index?.pattern }
}

/** `{ [Key in Keys]?: Value }`. */
export const mappedType = (resolution: Resolution, node: TS.MappedTypeNode): Type => {
  const { constraint, name } = node.typeParameter
  const valueNode = node.type
  if (constraint === undefined || valueNode === undefined || node.nameType !== undefined) {
    const message = "mapped types that rename keys are not read: any value is accepted; write the object type out"
    return Resolutions.makeUnsupported(resolution, node, message)
  }
  const source = keysSource(resolution, constraint)
  const sign = node.questionToken?.kind
  return recordOf(resolve(resolution, constraint), (key, keyName) => {
    const from = keyName === undefined ? undefined : source?.properties.get(keyName)
    const within = Resolutions.under(inside(resolution), new Map([...resolution.bindings, [name.text, key]]))
    const { hadUndefined, type } = Types.dropUndefined(resolve(within, valueNode))
    const isMarked = sign !== undefined || hadUndefined || from?.isOptional === true
    return Types.property(type, sign !== ts.SyntaxKind.MinusToken && isMarked, from?.annotations)
  })
}

/** The type whose keys a mapped type goes over: their properties stay optional and documented. */
const keysSource = (resolution: Resolution, constraint: TS.TypeNode): ObjectType | undefined => {
  if (!ts.isTypeOperatorNode(constraint) || constraint.operator !== ts.SyntaxKind.KeyOfKeyword) return undefined
  const structure = Resolutions.structureOf(resolution, resolve(resolution, constraint.type))
  return structure.kind === "object" ? structure : undefined
}

/** The object that `@property` tags describe. */
export const documentedObject = (resolution: Resolution, values: ReadonlyArray<DocumentedValue>): ObjectType =>
  Types.object(
    values.map((value) => [
      value.name,
      documentedProperty(about(inside(resolution), `${resolution.subject}.${value.name}`), value)
    ])
  )

export const documentedProperty = (resolution: Resolution, value: DocumentedValue): Property => {
  const { hadUndefined, type } = Types.dropUndefined(documentedType(resolution, value))
  return Types.property(type, value.isOptional || hadUndefined, {
    ...(value.description === "" ? {} : { description: value.description }),
    ...(value.default === undefined ? {} : { default: defaultOf(value.default, type) })
  })
}

const documentedType = (resolution: Resolution, value: DocumentedValue): Type => {
  if (value.properties.length > 0) {
    const shape = documentedObject(resolution, value.properties)
    return value.isArray ? Types.array(shape) : shape
  }
  if (value.type !== undefined) return resolve(resolution, value.type)
  const message = `${value.name} has no type: any value is accepted; write it in the comment: {string} ${value.name}`
  return Resolutions.makeUnknown(resolution, value.node, message, "missing-type")
}

/** `[greeting=hello]` needs no quotes, and `[code=5]` of a string is "5". */
const defaultOf = (text: string, type: Type) => {
  const value = valueOf(text)
  const isText = type.kind === "simple" && type.type === "string"
  return isText && typeof value !== "string" && value !== null ? text : value
}
