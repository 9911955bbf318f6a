/** Object types: their members, and the types that are made of others' members. */
import * as Option from "effect/Option"
import type ts from "typescript"
import { documentationOf, type DocumentedValue } from "./jsdoc.js"
import { annotationsOf, asInteger, isInteger, valueOf } from "./keywords.js"
import { nameOf } from "./literals.js"
import { report } from "./reading.js"
import { about, type Bindings, inside, type Resolution, structureOf, makeUnknown } from "./resolution.js"
import { recordOf } from "./shapes.js"
import {
  any,
  array,
  type IndexSignature,
  object,
  type ObjectType,
  property,
  type Property,
  simple,
  type Type,
  dropUndefined
} from "./type.js"

/** Of an interface or an object type. */
export const membersType = (
  resolution: Resolution,
  members: ReadonlyArray<ts.TypeElement>,
  bindings: Bindings
): ObjectType => {
  const { typescript } = resolution.reading
  const properties: Array<readonly [string, Property]> = []
  let index: IndexSignature | undefined
  for (const member of members) {
    if (typescript.isIndexSignatureDeclaration(member)) index ??= indexOf(resolution, member, bindings)
    const name = member.name === undefined ? Option.none() : nameOf(typescript, member.name)
    if (typescript.isPropertySignature(member) && Option.isSome(name)) {
      const at = about(inside(resolution), `${resolution.subject}.${name.value}`)
      properties.push([name.value, memberOf(at, member, bindings)])
    } else if (!typescript.isIndexSignatureDeclaration(member)) {
      report(
        resolution.reading,
        "warning",
        "unsupported-type",
        member,
        resolution.subject,
        "this member is left out: arguments are values of JSON, which have properties of written-out names only; write `name: type`"
      )
    }
  }
  return object(properties, index)
}

const memberOf = (resolution: Resolution, member: ts.PropertySignature, bindings: Bindings): Property => {
  const documentation = documentationOf(resolution.reading, member)
  const { hadUndefined, type } = dropUndefined(
    member.type === undefined ? any : resolution.resolve(resolution, member.type, bindings)
  )
  return property(
    isInteger(documentation) ? asInteger(type) : type,
    member.questionToken !== undefined || hadUndefined,
    annotationsOf(resolution.reading, documentation, resolution.subject)
  )
}

const indexOf = (
  resolution: Resolution,
  { parameters, type }: ts.IndexSignatureDeclaration,
  bindings: Bindings
): IndexSignature => {
  const keyNode = parameters[0]?.type
  const key = keyNode === undefined ? simple("string") : resolution.resolve(resolution, keyNode, bindings)
  const value = resolution.resolve(inside(resolution), type, bindings)
  return { value, pattern: recordOf(key, () => property(value)).index?.pattern }
}

/** `{ [Key in Keys]?: Value }`. */
export const mappedType = (resolution: Resolution, node: ts.MappedTypeNode, bindings: Bindings): Type => {
  const { SyntaxKind } = resolution.reading.typescript
  const { constraint, name } = node.typeParameter
  const valueNode = node.type
  if (constraint === undefined || valueNode === undefined || node.nameType !== undefined) {
    return makeUnknown(
      resolution,
      node,
      "mapped types that rename keys are not read: any value is accepted; write the object type out",
      "unsupported-type"
    )
  }
  const source = keysSource(resolution, constraint, bindings)
  const keys = resolution.resolve(resolution, constraint, bindings)
  const sign = node.questionToken?.kind
  return recordOf(keys, (key, keyName) => {
    const from = keyName === undefined ? undefined : source?.properties.get(keyName)
    const { hadUndefined, type } = dropUndefined(
      resolution.resolve(inside(resolution), valueNode, new Map([...bindings, [name.text, key]]))
    )
    const isOptional =
      sign === SyntaxKind.MinusToken ? false : sign !== undefined || hadUndefined || from?.isOptional === true
    return property(type, isOptional, from?.annotations)
  })
}

/** The type whose keys a mapped type goes over: their properties stay optional and documented. */
const keysSource = (resolution: Resolution, constraint: ts.TypeNode, bindings: Bindings): ObjectType | undefined => {
  const { typescript } = resolution.reading
  if (!typescript.isTypeOperatorNode(constraint)) return undefined
  if (constraint.operator !== typescript.SyntaxKind.KeyOfKeyword) return undefined
  const structure = structureOf(resolution, resolution.resolve(resolution, constraint.type, bindings))
  return structure.kind === "object" ? structure : undefined
}

/** The object that `@property` tags describe. */
export const documentedObject = (
  resolution: Resolution,
  values: ReadonlyArray<DocumentedValue>,
  bindings: Bindings
): ObjectType =>
  object(
    values.map((value) => [
      value.name,
      documentedProperty(about(inside(resolution), `${resolution.subject}.${value.name}`), value, bindings)
    ])
  )

export const documentedProperty = (resolution: Resolution, value: DocumentedValue, bindings: Bindings): Property => {
  const { hadUndefined, type } = dropUndefined(documentedType(resolution, value, bindings))
  const fallback = value.default === undefined ? undefined : defaultOf(resolution, value.default, type)
  return property(type, value.isOptional || hadUndefined, {
    ...(value.description === "" ? {} : { description: value.description }),
    ...(fallback === undefined ? {} : { default: fallback })
  })
}

const documentedType = (resolution: Resolution, value: DocumentedValue, bindings: Bindings): Type => {
  if (value.properties.length > 0) {
    const shape = documentedObject(resolution, value.properties, bindings)
    return value.isArray ? array(shape) : shape
  }
  if (value.type !== undefined) return resolution.resolve(resolution, value.type, bindings)
  return makeUnknown(
    resolution,
    value.node,
    `${value.name} has no type: any value is accepted; write it in the comment: {string} ${value.name}`,
    "missing-type"
  )
}

/** `[greeting=hello]` needs no quotes, and `[code=5]` of a string is "5". */
const defaultOf = ({ reading }: Resolution, text: string, type: Type) => {
  const value = valueOf(reading.typescript, text)
  const isText = type.kind === "simple" && type.type === "string"
  return isText && typeof value !== "string" && value !== null ? text : value
}
