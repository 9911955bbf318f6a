/** Values of enums and constants of the file, as types and as defaults. */
import * as Json from "@wield/core/Json"
import * as Option from "effect/Option"
import type TS from "typescript"
import { ts } from "./compiler.js"
import { type Constants, literalOf, nameOf, unwrap } from "./literals.js"
import type { Reading } from "./reading.js"

type Members = ReadonlyMap<string, string | number | undefined>

/** The members of an enum in their order; a value is `undefined` where it is computed. */
export const enumMembers = (nodes: ReadonlyArray<TS.EnumDeclaration>): Members => {
  const members = new Map<string, string | number | undefined>()
  for (const node of nodes) {
    let next: number | undefined = 0
    for (const { initializer, name } of node.members) {
      const value: string | number | undefined = initializer === undefined ? next : compute(initializer, members)
      const known = nameOf(name)
      if (Option.isSome(known)) members.set(known.value, value)
      next = typeof value === "number" ? value + 1 : undefined
    }
  }
  return members
}

/** What enums are computed by: literals, their own members, and operators such as `1 << 2`. */
const compute = (written: TS.Expression, members: Members): string | number | undefined => {
  const expression = unwrap(written)
  if (ts.isIdentifier(expression)) return members.get(expression.text)
  if (ts.isPropertyAccessExpression(expression)) return members.get(expression.name.text)
  if (ts.isBinaryExpression(expression)) {
    const left = compute(expression.left, members)
    const right = compute(expression.right, members)
    return left === undefined || right === undefined ? undefined : operate(expression.operatorToken.kind, left, right)
  }
  const value = Option.getOrUndefined(literalOf(expression))
  return typeof value === "string" || typeof value === "number" ? value : undefined
}

const operate = (
  operator: TS.SyntaxKind,
  left: string | number,
  right: string | number
): string | number | undefined => {
  if (typeof left !== "number" || typeof right !== "number") {
    return operator === ts.SyntaxKind.PlusToken ? `${left}${right}` : undefined
  }
  switch (operator) {
    case ts.SyntaxKind.PlusToken:
      return left + right
    case ts.SyntaxKind.MinusToken:
      return left - right
    case ts.SyntaxKind.AsteriskToken:
      return left * right
    case ts.SyntaxKind.BarToken:
      return left | right
    case ts.SyntaxKind.LessThanLessThanToken:
      return left << right
    default:
      return undefined
  }
}

/** What names stand for in defaults: constants of the file, their properties, members of its enums. */
export const constantsOf = ({ declarations }: Reading): Constants => {
  let left = mostNames
  // A constant that is made of itself has no value, and would be looked for forever.
  const constants =
    (open: ReadonlySet<string>): Constants =>
    (expression) => {
      if (ts.isIdentifier(expression)) {
        const initializer = declarations.constants.get(expression.text)?.initializer
        left -= 1
        return initializer === undefined || left < 0 || open.has(expression.text)
          ? Option.none()
          : literalOf(initializer, constants(new Set([...open, expression.text])))
      }
      if (!ts.isPropertyAccessExpression(expression)) return Option.none()
      const { expression: owner, name } = expression
      const declaration = ts.isIdentifier(owner) ? declarations.types.get(owner.text) : undefined
      if (declaration?.kind === "enum") return Option.fromNullable(enumMembers(declaration.nodes).get(name.text))
      return Option.flatMap(literalOf(owner, constants(open)), (value) => propertyOf(value, name.text))
    }
  return constants(new Set())
}

/** Constants that name others twice, which name others twice, and so on, would fill the memory. */
const mostNames = 200

/** A field of a JSON object is JSON. */
const propertyOf = (value: Json.Json, name: string): Option.Option<Json.Json> =>
  Json.isObject(value) && Object.hasOwn(value, name) ? Option.fromNullable(value[name] as Json.Json) : Option.none()
