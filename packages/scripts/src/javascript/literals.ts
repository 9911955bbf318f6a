/** The value of an expression that is one whatever happens when the file runs. */
import type { Json } from "@wield/core"
import * as Option from "effect/Option"
import type TS from "typescript"
import { ts } from "./compiler.js"

/** What a name (`Unit.Metric`, `defaultLimit`) stands for, where the file says so. */
export type Constants = (expression: TS.Expression) => Option.Option<Json.Json>

/** JSON cannot say `NaN`, `Infinity`, a hole in an array or a large bigint: those are not literals. */
export const literalOf = (
  written: TS.Expression,
  constants: Constants = () => Option.none()
): Option.Option<Json.Json> => {
  const expression = unwrap(written)
  const literal = (of: TS.Expression): Option.Option<Json.Json> => literalOf(of, constants)
  if (ts.isStringLiteralLike(expression)) return Option.some(expression.text)
  if (ts.isNumericLiteral(expression)) {
    return Option.filter(Option.some(Number(expression.text)), Number.isFinite)
  }
  if (ts.isBigIntLiteral(expression)) {
    return Option.filter(Option.some(Number(expression.text.replace(/n$/, ""))), Number.isSafeInteger)
  }
  switch (expression.kind) {
    case ts.SyntaxKind.TrueKeyword:
      return Option.some(true)
    case ts.SyntaxKind.FalseKeyword:
      return Option.some(false)
    case ts.SyntaxKind.NullKeyword:
      return Option.some(null)
  }
  if (ts.isPrefixUnaryExpression(expression)) {
    const { operand, operator } = expression
    const sign = operator === ts.SyntaxKind.MinusToken ? -1 : operator === ts.SyntaxKind.PlusToken ? 1 : undefined
    return Option.flatMap(literal(operand), (value) =>
      typeof value === "number" && sign !== undefined ? Option.some(sign * value) : Option.none()
    )
  }
  if (ts.isArrayLiteralExpression(expression)) return Option.all(expression.elements.map(literal))
  if (ts.isObjectLiteralExpression(expression)) {
    const entries = expression.properties.map((property) =>
      ts.isPropertyAssignment(property)
        ? Option.all([nameOf(property.name), literal(property.initializer)])
        : Option.none()
    )
    return Option.map(Option.all(entries), (known) => Object.fromEntries(known))
  }
  return constants(expression)
}

/** The name of a property, where it is not computed of anything but a literal. */
export const nameOf = (name: TS.PropertyName): Option.Option<string> => {
  if (ts.isIdentifier(name) || ts.isStringLiteralLike(name)) return Option.some(name.text)
  if (ts.isNumericLiteral(name)) return Option.some(String(Number(name.text)))
  return ts.isComputedPropertyName(name) && ts.isStringLiteralLike(name.expression)
    ? Option.some(name.expression.text)
    : Option.none()
}

/** Without what changes a type and no value: brackets, `as`, `satisfies`, `!`. */
export const unwrap = (expression: TS.Expression): TS.Expression =>
  ts.isParenthesizedExpression(expression) ||
  ts.isAsExpression(expression) ||
  ts.isTypeAssertionExpression(expression) ||
  ts.isSatisfiesExpression(expression) ||
  ts.isNonNullExpression(expression)
    ? unwrap(expression.expression)
    : expression
