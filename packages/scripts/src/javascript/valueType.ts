/** The type of a constant, as `typeof` gives it. */
import type ts from "typescript"
import * as Option from "effect/Option"
import { constantsOf, enumMembers } from "./constants.js"
import { literalOf, nameOf } from "./literals.js"
import { onceByKey } from "./namedType.js"
import { noBindings, type Resolution, makeUnknown } from "./resolution.js"
import { any, array, literal, object, property, simple, type Type, union } from "./type.js"

/** `typeof name`, `typeof name.property`. */
export const typeOfValue = (resolution: Resolution, node: ts.TypeQueryNode): Type => {
  const { reading } = resolution
  const { typescript } = reading
  const name = node.exprName
  if (typescript.isIdentifier(name)) {
    const constant = resolution.declarations.constants.get(name.text)
    const written = constant?.type
    if (written !== undefined) {
      return onceByKey(resolution, node, name.text, `${name.text} (constant)`, () =>
        resolution.resolve(resolution, written, noBindings)
      )
    }
    if (constant?.initializer !== undefined) return typeOfConstant(resolution, constant.initializer)
    const declared = resolution.declarations.types.get(name.text)
    if (declared?.kind === "enum") {
      return object(
        [...enumMembers(reading, declared.nodes)].map(([member, value]) => [
          member,
          property(value === undefined ? any : literal(value))
        ])
      )
    }
  }
  return makeUnknown(
    resolution,
    node,
    `${name.getText(reading.sourceFile)} is no constant that this file declares with a literal value: any value is accepted for its type; write the type out`
  )
}

/** The type that a `const` has by its value alone. */
const typeOfConstant = (resolution: Resolution, initializer: ts.Expression): Type =>
  typeOfExpression(resolution, initializer, isLiteral(resolution, initializer))

const isLiteral = ({ reading: { typescript } }: Resolution, expression: ts.Expression): boolean =>
  !typescript.isArrayLiteralExpression(expression) && !typescript.isObjectLiteralExpression(expression)

/** What the type of an initial value is, without an annotation: literals only where it cannot change. */
export const typeOfExpression = (resolution: Resolution, expression: ts.Expression, isConstant: boolean): Type => {
  const { typescript } = resolution.reading
  const { SyntaxKind } = typescript
  const inner = (of: ts.Expression): Type => typeOfExpression(resolution, of, isConstant)
  if (typescript.isParenthesizedExpression(expression)) return inner(expression.expression)
  if (typescript.isSatisfiesExpression(expression)) return inner(expression.expression)
  if (typescript.isAsExpression(expression)) {
    return typescript.isConstTypeReference(expression.type)
      ? typeOfExpression(resolution, expression.expression, true)
      : resolution.resolve(resolution, expression.type, noBindings)
  }
  if (typescript.isStringLiteralLike(expression)) return isConstant ? literal(expression.text) : simple("string")
  if (typescript.isTemplateExpression(expression)) return simple("string")
  if (typescript.isNumericLiteral(expression)) {
    return isConstant ? literal(Number(expression.text)) : simple("number")
  }
  if (typescript.isPrefixUnaryExpression(expression) && typescript.isNumericLiteral(expression.operand)) {
    if (expression.operator === SyntaxKind.ExclamationToken) return simple("boolean")
    const value = Number(expression.operand.text)
    return isConstant && expression.operator === SyntaxKind.MinusToken ? literal(-value) : simple("number")
  }
  if (expression.kind === SyntaxKind.TrueKeyword || expression.kind === SyntaxKind.FalseKeyword) {
    return isConstant ? literal(expression.kind === SyntaxKind.TrueKeyword) : simple("boolean")
  }
  if (typescript.isArrayLiteralExpression(expression)) {
    const items = expression.elements.map(inner)
    return isConstant
      ? {
          kind: "tuple",
          elements: items.map((type) => ({ type, isOptional: false, name: undefined })),
          rest: undefined
        }
      : array(items.length === 0 ? any : union(items))
  }
  if (typescript.isObjectLiteralExpression(expression)) {
    return object(
      expression.properties.flatMap((member) => {
        const name = member.name === undefined ? Option.none() : nameOf(typescript, member.name)
        return typescript.isPropertyAssignment(member) && Option.isSome(name)
          ? [[name.value, property(inner(member.initializer))] as const]
          : []
      })
    )
  }
  return typeOfNamed(resolution, expression)
}

/** A default that an enum or a constant of the file gives: `Color.Red`, `limits.most`. */
const typeOfNamed = (resolution: Resolution, expression: ts.Expression): Type => {
  const { declarations, reading } = resolution
  const { typescript } = reading
  const owner = typescript.isPropertyAccessExpression(expression) ? expression.expression : undefined
  if (owner !== undefined && typescript.isIdentifier(owner) && declarations.types.get(owner.text)?.kind === "enum") {
    return resolution.resolve(resolution, typescript.factory.createTypeReferenceNode(owner.text), noBindings)
  }
  switch (typeof Option.getOrUndefined(literalOf(typescript, expression, constantsOf(reading, declarations)))) {
    case "string":
      return simple("string")
    case "number":
      return simple("number")
    case "boolean":
      return simple("boolean")
    default:
      return any
  }
}
