/** The type of a constant, as `typeof` gives it. */
import * as Option from "effect/Option"
import type TS from "typescript"
import { ts } from "./compiler.js"
import { constantsOf, enumMembers } from "./constants.js"
import { literalOf, nameOf } from "./literals.js"
import { namedType, onceByKey } from "./namedType.js"
import { makeUnknown, type Resolution, resolve, under } from "./resolution.js"
import { any, array, literal, object, property, simple, type Type, union } from "./type.js"

/** `typeof name`, `typeof name.property`. */
export const typeOfValue = (resolution: Resolution, node: TS.TypeQueryNode): Type => {
  const name = node.exprName
  if (ts.isIdentifier(name)) {
    const { constants, types } = resolution.reading.declarations
    const { initializer, type } = constants.get(name.text) ?? {}
    if (type !== undefined) {
      const unbound = under(resolution, new Map())
      return onceByKey(resolution, node, name.text, `${name.text} (constant)`, () => resolve(unbound, type))
    }
    if (initializer !== undefined) {
      const isLiteral = !ts.isArrayLiteralExpression(initializer) && !ts.isObjectLiteralExpression(initializer)
      return typeOfExpression(resolution, initializer, isLiteral)
    }
    const declared = types.get(name.text)
    if (declared?.kind === "enum") {
      const members = [...enumMembers(declared.nodes)]
      return object(members.map(([key, value]) => [key, property(value === undefined ? any : literal(value))]))
    }
  }
  const message = `${name.getText()} is no constant that this file declares with a literal value: any value is accepted for its type; write the type out`
  return makeUnknown(resolution, node, message)
}

/** What the type of an initial value is, without an annotation: literals only where it cannot change. */
export const typeOfExpression = (resolution: Resolution, expression: TS.Expression, isConstant: boolean): Type => {
  const inner = (of: TS.Expression): Type => typeOfExpression(resolution, of, isConstant)
  if (ts.isParenthesizedExpression(expression)) return inner(expression.expression)
  if (ts.isSatisfiesExpression(expression)) return inner(expression.expression)
  if (ts.isAsExpression(expression)) {
    return ts.isConstTypeReference(expression.type)
      ? typeOfExpression(resolution, expression.expression, true)
      : resolve(under(resolution, new Map()), expression.type)
  }
  if (ts.isStringLiteralLike(expression)) return isConstant ? literal(expression.text) : simple("string")
  if (ts.isTemplateExpression(expression)) return simple("string")
  if (ts.isNumericLiteral(expression)) return isConstant ? literal(Number(expression.text)) : simple("number")
  if (ts.isPrefixUnaryExpression(expression) && ts.isNumericLiteral(expression.operand)) {
    if (expression.operator === ts.SyntaxKind.ExclamationToken) return simple("boolean")
    const value = Number(expression.operand.text)
    return isConstant && expression.operator === ts.SyntaxKind.MinusToken ? literal(-value) : simple("number")
  }
  if (expression.kind === ts.SyntaxKind.TrueKeyword || expression.kind === ts.SyntaxKind.FalseKeyword) {
    return isConstant ? literal(expression.kind === ts.SyntaxKind.TrueKeyword) : simple("boolean")
  }
  if (ts.isArrayLiteralExpression(expression)) {
    const items = expression.elements.map(inner)
    if (!isConstant) return array(items.length === 0 ? any : union(items))
    const elements = items.map((type) => ({ type, isOptional: false, name: undefined }))
    return { kind: "tuple", elements, rest: undefined }
  }
  if (ts.isObjectLiteralExpression(expression)) {
    return object(
      expression.properties.flatMap((member) => {
        const name = member.name === undefined ? Option.none() : nameOf(member.name)
        return ts.isPropertyAssignment(member) && Option.isSome(name)
          ? [[name.value, property(inner(member.initializer))] as const]
          : []
      })
    )
  }
  return typeOfNamed(resolution, expression)
}

/** A default that an enum or a constant of the file gives: `Color.Red`, `limits.most`. */
const typeOfNamed = (resolution: Resolution, expression: TS.Expression): Type => {
  const { reading } = resolution
  const owner = ts.isPropertyAccessExpression(expression) ? expression.expression : undefined
  if (owner !== undefined && ts.isIdentifier(owner) && reading.declarations.types.get(owner.text)?.kind === "enum") {
    return namedType(under(resolution, new Map()), expression, owner.text, [])
  }
  const value = Option.getOrUndefined(literalOf(expression, constantsOf(reading)))
  const type = typeof value
  return type === "string" || type === "number" || type === "boolean" ? simple(type) : any
}
