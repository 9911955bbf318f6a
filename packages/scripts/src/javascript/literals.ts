/** The value of an expression that is one whatever happens when the file runs. */
import type { Json } from "@wield/core"
import * as Option from "effect/Option"
import type ts from "typescript"
import type { TypeScript } from "./reading.js"

/** What a name (`Unit.Metric`, `defaultLimit`) stands for, where the file says so. */
export type Constants = (expression: ts.Expression) => Option.Option<Json.Json>

export const noConstants: Constants = () => Option.none()

/** JSON cannot say `NaN`, `Infinity`, a hole in an array or a large bigint: those are not literals. */
export const literalOf = (
  typescript: TypeScript,
  written: ts.Expression,
  constants: Constants = noConstants
): Option.Option<Json.Json> => {
  const expression = unwrap(typescript, written)
  const literal = (of: ts.Expression): Option.Option<Json.Json> => literalOf(typescript, of, constants)
  if (typescript.isStringLiteralLike(expression)) return Option.some(expression.text)
  if (typescript.isNumericLiteral(expression)) return finite(Number(expression.text))
  if (typescript.isBigIntLiteral(expression)) return safe(Number(expression.text.replace(/n$/, "")))
  if (expression.kind === typescript.SyntaxKind.TrueKeyword) return Option.some(true)
  if (expression.kind === typescript.SyntaxKind.FalseKeyword) return Option.some(false)
  if (expression.kind === typescript.SyntaxKind.NullKeyword) return Option.some(null)
  if (typescript.isPrefixUnaryExpression(expression)) {
    const sign = signs(typescript).get(expression.operator)
    return sign === undefined
      ? Option.none()
      : Option.flatMap(literal(expression.operand), (value) =>
          typeof value === "number" ? Option.some(sign * value) : Option.none()
        )
  }
  if (typescript.isArrayLiteralExpression(expression)) return Option.all(expression.elements.map(literal))
  if (typescript.isObjectLiteralExpression(expression)) {
    return Option.map(
      Option.all(
        expression.properties.map((property) =>
          typescript.isPropertyAssignment(property)
            ? Option.all([nameOf(typescript, property.name), literal(property.initializer)])
            : Option.none()
        )
      ),
      (entries) => Object.fromEntries(entries)
    )
  }
  return constants(expression)
}

/** The name of a property, where it is not computed of anything but a literal. */
export const nameOf = (typescript: TypeScript, name: ts.PropertyName): Option.Option<string> => {
  if (typescript.isIdentifier(name) || typescript.isStringLiteralLike(name)) return Option.some(name.text)
  if (typescript.isNumericLiteral(name)) return Option.some(String(Number(name.text)))
  return typescript.isComputedPropertyName(name) && typescript.isStringLiteralLike(name.expression)
    ? Option.some(name.expression.text)
    : Option.none()
}

/** Without what changes a type and no value: brackets, `as`, `satisfies`, `!`. */
export const unwrap = (typescript: TypeScript, expression: ts.Expression): ts.Expression =>
  typescript.isParenthesizedExpression(expression) ||
  typescript.isAsExpression(expression) ||
  typescript.isTypeAssertionExpression(expression) ||
  typescript.isSatisfiesExpression(expression) ||
  typescript.isNonNullExpression(expression)
    ? unwrap(typescript, expression.expression)
    : expression

const signs = ({ SyntaxKind }: TypeScript): ReadonlyMap<ts.SyntaxKind, 1 | -1> =>
  new Map<ts.SyntaxKind, 1 | -1>([
    [SyntaxKind.MinusToken, -1],
    [SyntaxKind.PlusToken, 1]
  ])

const finite = (value: number): Option.Option<number> => (Number.isFinite(value) ? Option.some(value) : Option.none())

const safe = (value: number): Option.Option<number> =>
  Number.isSafeInteger(value) ? Option.some(value) : Option.none()
