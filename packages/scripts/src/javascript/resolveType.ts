/** From the type that a declaration writes to what it means. */
import type ts from "typescript"
import { constantsOf } from "./constants.js"
import * as Option from "effect/Option"
import { documentedValues } from "./jsdoc.js"
import { literalOf } from "./literals.js"
import { namedType } from "./namedType.js"
import { documentedObject, mappedType, membersType } from "./objectType.js"
import { type Bindings, inside, lossy, mostDepth, type Resolution, makeUnknown } from "./resolution.js"
import { indexType, intersect, keysOf } from "./shapes.js"
import {
  any,
  array,
  literal,
  never,
  nullType,
  object,
  simple,
  type Type,
  undefinedType,
  union,
  dropUndefined,
  type TupleElement,
  membersOf
} from "./type.js"
import { typeOfValue } from "./valueType.js"

export const resolveType = (resolution: Resolution, node: ts.TypeNode, bindings: Bindings): Type => {
  if (resolution.depth > mostDepth) {
    return makeUnknown(
      resolution,
      node,
      `the types here contain one another over more than ${mostDepth} levels: any value is accepted; make them flatter`,
      "unsupported-type"
    )
  }
  // What is over the bound is reported once, when the function's schema is made.
  if (resolution.shared.left <= 0) return any
  resolution.shared.left--
  const { typescript } = resolution.reading
  const keyword = keywords(typescript.SyntaxKind).get(node.kind)
  if (keyword !== undefined) return keyword
  const resolve = (inner: ts.TypeNode, at: Resolution = resolution): Type => resolveType(at, inner, bindings)
  const item = (inner: ts.TypeNode): Type => dropUndefined(resolve(inner, inside(resolution))).type
  if (typescript.isTypeReferenceNode(node)) return referencedType(resolution, node, bindings)
  if (typescript.isArrayTypeNode(node)) return array(item(node.elementType))
  if (typescript.isTupleTypeNode(node)) return tupleType(resolution, node, bindings)
  if (typescript.isUnionTypeNode(node)) return union(node.types.map((member) => resolve(member)))
  if (typescript.isIntersectionTypeNode(node)) {
    return intersect(
      resolution,
      node.types.map((member) => resolve(member))
    )
  }
  if (typescript.isTypeLiteralNode(node)) return membersType(resolution, node.members, bindings)
  if (typescript.isMappedTypeNode(node)) return mappedType(resolution, node, bindings)
  if (typescript.isLiteralTypeNode(node)) return literalType(resolution, node)
  if (typescript.isTemplateLiteralTypeNode(node)) return templateType(resolution, node, bindings)
  if (typescript.isTypeQueryNode(node)) return typeOfValue(resolution, node)
  if (typescript.isParenthesizedTypeNode(node)) return resolve(node.type)
  if (typescript.isTypeOperatorNode(node)) {
    if (node.operator === typescript.SyntaxKind.ReadonlyKeyword) return resolve(node.type)
    if (node.operator === typescript.SyntaxKind.KeyOfKeyword) {
      const keys = keysOf(resolution, resolve(node.type))
      if (keys !== undefined) return keys
    }
  }
  if (typescript.isIndexedAccessTypeNode(node)) {
    const found = indexType(resolution, resolve(node.objectType), resolve(node.indexType))
    if (found !== undefined) return found
  }
  if (node.kind === typescript.SyntaxKind.BigIntKeyword) {
    lossy(
      resolution,
      node,
      "a bigint reaches the function as a number: declare number, and call BigInt in the function"
    )
    return simple("integer")
  }
  if (typescript.isImportTypeNode(node)) {
    return makeUnknown(
      resolution,
      node,
      `${node.getText(resolution.reading.sourceFile)} is imported, and only types that this file declares are read: any value is accepted for it; declare it here`
    )
  }
  return documentedType(resolution, node, bindings) ?? unsupported(resolution, node)
}

const unsupported = (resolution: Resolution, node: ts.TypeNode): Type =>
  makeUnknown(
    resolution,
    node,
    `the type ${node.getText(resolution.reading.sourceFile)} has no known meaning in JSON Schema: any value is accepted for it; write an object type, an array, a union or a literal`,
    "unsupported-type"
  )

const keywords = (kind: typeof ts.SyntaxKind): ReadonlyMap<ts.SyntaxKind, Type> =>
  new Map<ts.SyntaxKind, Type>([
    [kind.StringKeyword, simple("string")],
    [kind.NumberKeyword, simple("number")],
    [kind.BooleanKeyword, simple("boolean")],
    [kind.AnyKeyword, any],
    [kind.UnknownKeyword, any],
    [kind.UndefinedKeyword, undefinedType],
    [kind.VoidKeyword, undefinedType],
    [kind.NeverKeyword, never],
    [kind.ObjectKeyword, object()],
    [kind.NullKeyword, nullType],
    [kind.JSDocAllType, any],
    [kind.JSDocUnknownType, any]
  ])

const referencedType = (resolution: Resolution, node: ts.TypeReferenceNode, bindings: Bindings): Type => {
  const { sourceFile, typescript } = resolution.reading
  const typeArguments = node.typeArguments ?? []
  if (typescript.isIdentifier(node.typeName)) {
    return namedType(resolution, node, node.typeName.text, typeArguments, bindings)
  }
  const { left, right } = node.typeName
  const declaration = typescript.isIdentifier(left) ? resolution.declarations.types.get(left.text) : undefined
  if (declaration?.kind === "enum") {
    // A member of an enum is a type, and is looked up as the value that it is.
    const value = constantsOf(
      resolution.reading,
      resolution.declarations
    )(
      typescript.factory.createPropertyAccessExpression(
        typescript.factory.createIdentifier(left.getText(sourceFile)),
        right.text
      )
    )
    if (Option.isSome(value) && (typeof value.value === "string" || typeof value.value === "number")) {
      return literal(value.value)
    }
  }
  return namedType(resolution, node, node.typeName.getText(sourceFile), typeArguments, bindings)
}

const literalType = (resolution: Resolution, node: ts.LiteralTypeNode): Type => {
  const { typescript } = resolution.reading
  const value = Option.getOrUndefined(literalOf(typescript, node.literal))
  if (typeof value === "object" && value !== null) return unsupported(resolution, node)
  if (value === undefined) return unsupported(resolution, node)
  return literal(value)
}

/** Types as comments write them: `?string`, `string=`, `!Date`. */
const documentedType = (resolution: Resolution, node: ts.TypeNode, bindings: Bindings): Type | undefined => {
  const { sourceFile, typescript } = resolution.reading
  const resolve = (inner: ts.TypeNode): Type => resolveType(resolution, inner, bindings)
  if (typescript.isJSDocTypeExpression(node)) return resolve(node.type)
  if (typescript.isJSDocNullableType(node)) return union([resolve(node.type), nullType])
  if (typescript.isJSDocNonNullableType(node)) return resolve(node.type)
  if (typescript.isJSDocOptionalType(node)) return union([resolve(node.type), undefinedType])
  if (typescript.isJSDocVariadicType(node)) return array(resolve(node.type))
  if (!typescript.isJSDocTypeLiteral(node)) return undefined
  const values = documentedValues(typescript, sourceFile, node.jsDocPropertyTags ?? [])
  const shape = documentedObject(resolution, values, bindings)
  return node.isArrayType ? array(shape) : shape
}

/** Tuples: named, optional and rest elements. */
const tupleType = (resolution: Resolution, node: ts.TupleTypeNode, bindings: Bindings): Type => {
  const { typescript } = resolution.reading
  const elements: Array<TupleElement> = []
  const rests: Array<Type> = []
  /** After a rest element: how many come there cannot be said, only what they may be. */
  const after: Array<Type> = []
  for (const element of node.elements) {
    const isNamed = typescript.isNamedTupleMember(element)
    const written = isNamed ? element.type : element
    const isRest = isNamed ? element.dotDotDotToken !== undefined : typescript.isRestTypeNode(element)
    const isMarked = isNamed ? element.questionToken !== undefined : typescript.isOptionalTypeNode(element)
    const inner = typescript.isOptionalTypeNode(written) || typescript.isRestTypeNode(written) ? written.type : written
    const { hadUndefined, type } = dropUndefined(resolution.resolve(inside(resolution), inner, bindings))
    const entry = { type, isOptional: isMarked || hadUndefined, name: isNamed ? element.name.text : undefined }
    if (isRest && type.kind === "tuple") elements.push(...type.elements)
    else if (isRest) rests.push(type.kind === "array" ? type.items : any)
    else if (rests.length > 0) after.push(type)
    else elements.push(entry)
  }
  if (after.length > 0) {
    lossy(resolution, node, "elements after a rest element are accepted in any order: put them before it")
  }
  const rest = [...rests, ...after]
  if (elements.length === 0 && rest.length > 0) return array(union(rest))
  return { kind: "tuple", elements: optionalAtEnd(elements), rest: rest.length === 0 ? undefined : union(rest) }
}

/** `[string | undefined, number]`: only what nothing required follows may be left out. */
const optionalAtEnd = (elements: ReadonlyArray<TupleElement>): ReadonlyArray<TupleElement> => {
  const lastRequired = elements.findLastIndex(({ isOptional }) => !isOptional)
  return elements.map((element, index) => ({ ...element, isOptional: index > lastRequired }))
}

/** Template literal types, as patterns: `` `v${number}` ``. */
const templateType = (resolution: Resolution, node: ts.TemplateLiteralTypeNode, bindings: Bindings): Type => {
  const parts = node.templateSpans.map(({ literal, type }) => {
    const part = partOf(resolution.resolve(resolution, type, bindings))
    return part === undefined ? undefined : part + escaped(literal.text)
  })
  const isPattern = parts.every((part) => part !== undefined)
  const isShort = parts.reduce((length, part) => length + (part?.length ?? 0), 0) <= longestPattern
  if (isPattern && isShort) {
    return simple("string", { pattern: `^${escaped(node.head.text)}${parts.join("")}$` })
  }
  makeUnknown(
    resolution,
    node,
    isPattern
      ? `this template literal type is a pattern of more than ${longestPattern} characters: any text is accepted; use fewer literals in it`
      : "this template literal type holds a type that is no pattern: any text is accepted; use string, number and literals in it",
    "unsupported-type"
  )
  return simple("string")
}

/** Of templates within templates, each of which holds another twice, it would fill the memory. */
const longestPattern = 10_000

const partOf = (type: Type): string | undefined => {
  const parts = membersOf(type).map((member) => {
    if (member.kind === "literal") return escaped(String(member.value))
    if (member.kind === "any") return anything
    if (member.kind !== "simple") return undefined
    switch (member.type) {
      case "string":
        return innerPattern(member.keywords["pattern"])
      case "number":
        return "-?\\d+(?:\\.\\d+)?"
      case "integer":
        return "-?\\d+"
      case "boolean":
        return "(?:true|false)"
    }
  })
  return parts.every((part) => part !== undefined)
    ? parts.length === 1
      ? parts[0]
      : `(?:${parts.join("|")})`
    : undefined
}

/** A line break is text, too. */
const anything = "[\\s\\S]*"

const innerPattern = (pattern: unknown): string =>
  typeof pattern === "string" ? `(?:${pattern.slice(1, -1)})` : anything

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")
