/** From the type that a declaration writes to what it means. */
import * as Option from "effect/Option"
import type TS from "typescript"
import { ts } from "./compiler.js"
import { enumMembers } from "./constants.js"
import { documentedValues } from "./jsdoc.js"
import { literalOf } from "./literals.js"
import { namedType } from "./namedType.js"
import { documentedObject, mappedType, membersType } from "./objectType.js"
import { inside, lossy, makeUnknown, mostDepth, type Resolution, makeUnsupported } from "./resolution.js"
import { indexType, intersect, keysOf } from "./shapes.js"
import * as Types from "./type.js"
import { any, array, dropUndefined, simple, type TupleElement, type Type, union } from "./type.js"
import { typeOfValue } from "./valueType.js"

export const resolveType = (resolution: Resolution, node: TS.TypeNode): Type => {
  if (resolution.depth > mostDepth) {
    const message = `the types here contain one another over more than ${mostDepth} levels: any value is accepted; make them flatter`
    return makeUnsupported(resolution, node, message)
  }
  // What is over the bound is reported once, when the function's schema is made.
  if (resolution.shared.left <= 0) return any
  resolution.shared.left--
  const keyword = keywords.get(node.kind)
  if (keyword !== undefined) return keyword
  const resolve = (inner: TS.TypeNode): Type => resolveType(resolution, inner)
  if (ts.isTypeReferenceNode(node)) return referencedType(resolution, node)
  if (ts.isArrayTypeNode(node)) return array(dropUndefined(resolveType(inside(resolution), node.elementType)).type)
  if (ts.isTupleTypeNode(node)) return tupleType(resolution, node)
  if (ts.isUnionTypeNode(node)) return union(node.types.map(resolve))
  if (ts.isIntersectionTypeNode(node)) return intersect(resolution, node.types.map(resolve))
  if (ts.isTypeLiteralNode(node)) return membersType(resolution, node.members)
  if (ts.isMappedTypeNode(node)) return mappedType(resolution, node)
  if (ts.isLiteralTypeNode(node)) return literalType(resolution, node)
  if (ts.isTemplateLiteralTypeNode(node)) return templateType(resolution, node)
  if (ts.isTypeQueryNode(node)) return typeOfValue(resolution, node)
  if (ts.isParenthesizedTypeNode(node)) return resolve(node.type)
  if (ts.isTypeOperatorNode(node)) {
    if (node.operator === ts.SyntaxKind.ReadonlyKeyword) return resolve(node.type)
    if (node.operator === ts.SyntaxKind.KeyOfKeyword) {
      const keys = keysOf(resolution, resolve(node.type))
      if (keys !== undefined) return keys
    }
  }
  if (ts.isIndexedAccessTypeNode(node)) {
    const found = indexType(resolution, resolve(node.objectType), resolve(node.indexType))
    if (found !== undefined) return found
  }
  if (node.kind === ts.SyntaxKind.BigIntKeyword) {
    const message = "a bigint reaches the function as a number: declare number, and call BigInt in the function"
    lossy(resolution, node, message)
    return simple("integer")
  }
  if (ts.isImportTypeNode(node)) {
    const message = `${node.getText()} is imported, and only types that this file declares are read: any value is accepted for it; declare it here`
    return makeUnknown(resolution, node, message)
  }
  return documentedType(resolution, node) ?? meaningless(resolution, node)
}

const meaningless = (resolution: Resolution, node: TS.TypeNode): Type => {
  const message = `the type ${node.getText()} has no known meaning in JSON Schema: any value is accepted for it; write an object type, an array, a union or a literal`
  return makeUnsupported(resolution, node, message)
}

const keywords: ReadonlyMap<TS.SyntaxKind, Type> = new Map<TS.SyntaxKind, Type>([
  [ts.SyntaxKind.StringKeyword, simple("string")],
  [ts.SyntaxKind.NumberKeyword, simple("number")],
  [ts.SyntaxKind.BooleanKeyword, simple("boolean")],
  [ts.SyntaxKind.AnyKeyword, any],
  [ts.SyntaxKind.UnknownKeyword, any],
  [ts.SyntaxKind.UndefinedKeyword, Types.undefinedType],
  [ts.SyntaxKind.VoidKeyword, Types.undefinedType],
  [ts.SyntaxKind.NeverKeyword, Types.never],
  [ts.SyntaxKind.ObjectKeyword, Types.object()],
  [ts.SyntaxKind.NullKeyword, Types.nullType],
  [ts.SyntaxKind.JSDocAllType, any],
  [ts.SyntaxKind.JSDocUnknownType, any]
])

const referencedType = (resolution: Resolution, node: TS.TypeReferenceNode): Type => {
  const { typeArguments = [], typeName } = node
  if (!ts.isIdentifier(typeName)) {
    const declaration = resolution.reading.declarations.types.get(typeName.left.getText())
    const member = declaration?.kind === "enum" ? enumMembers(declaration.nodes).get(typeName.right.text) : undefined
    // A member of an enum is a type, of the value that it is.
    if (member !== undefined) return Types.literal(member)
  }
  return namedType(resolution, node, typeName.getText(), typeArguments)
}

const literalType = (resolution: Resolution, node: TS.LiteralTypeNode): Type => {
  const value = Option.getOrUndefined(literalOf(node.literal))
  const isScalar = value !== undefined && (typeof value !== "object" || value === null)
  return isScalar ? Types.literal(value) : meaningless(resolution, node)
}

/** Types as comments write them: `?string`, `string=`, `!Date`. */
const documentedType = (resolution: Resolution, node: TS.TypeNode): Type | undefined => {
  const resolve = (inner: TS.TypeNode): Type => resolveType(resolution, inner)
  if (ts.isJSDocTypeExpression(node) || ts.isJSDocNonNullableType(node)) return resolve(node.type)
  if (ts.isJSDocNullableType(node)) return union([resolve(node.type), Types.nullType])
  if (ts.isJSDocOptionalType(node)) return union([resolve(node.type), Types.undefinedType])
  if (ts.isJSDocVariadicType(node)) return array(resolve(node.type))
  if (!ts.isJSDocTypeLiteral(node)) return undefined
  const shape = documentedObject(resolution, documentedValues(node.jsDocPropertyTags ?? []))
  return node.isArrayType ? array(shape) : shape
}

/** Tuples: named, optional and rest elements. */
const tupleType = (resolution: Resolution, node: TS.TupleTypeNode): Type => {
  const elements: Array<TupleElement> = []
  const rests: Array<Type> = []
  /** After a rest element: how many come there cannot be said, only what they may be. */
  const after: Array<Type> = []
  for (const element of node.elements) {
    const isNamed = ts.isNamedTupleMember(element)
    const written = isNamed ? element.type : element
    const isRest = isNamed ? element.dotDotDotToken !== undefined : ts.isRestTypeNode(element)
    const isMarked = isNamed ? element.questionToken !== undefined : ts.isOptionalTypeNode(element)
    const inner = ts.isOptionalTypeNode(written) || ts.isRestTypeNode(written) ? written.type : written
    const { hadUndefined, type } = dropUndefined(resolveType(inside(resolution), inner))
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
const templateType = (resolution: Resolution, node: TS.TemplateLiteralTypeNode): Type => {
  const parts = node.templateSpans.map(({ literal, type }) => {
    const part = partOf(resolveType(resolution, type))
    return part === undefined ? undefined : part + escaped(literal.text)
  })
  const isPattern = parts.every((part) => part !== undefined)
  const isShort = parts.reduce((length, part) => length + (part?.length ?? 0), 0) <= longestPattern
  if (isPattern && isShort) {
    return simple("string", { pattern: `^${escaped(node.head.text)}${parts.join("")}$` })
  }
  const message = isPattern
    ? `this template literal type is a pattern of more than ${longestPattern} characters: any text is accepted; use fewer literals in it`
    : "this template literal type holds a type that is no pattern: any text is accepted; use string, number and literals in it"
  makeUnsupported(resolution, node, message)
  return simple("string")
}

/** Of templates within templates, each of which holds another twice, it would fill the memory. */
const longestPattern = 10_000

const partOf = (type: Type): string | undefined => {
  const parts = Types.membersOf(type).map((member) => {
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
