/** Values of enums and constants of the file, as types and as defaults. */
import * as Option from "effect/Option"
import type { Json } from "@wield/core"
import type ts from "typescript"
import type { Declarations } from "./declarations.js"
import { type Constants, literalOf, nameOf, unwrap } from "./literals.js"
import type { Reading, TypeScript } from "./reading.js"

/** The members of an enum in their order; a value is `undefined` where it is computed. */
export const enumMembers = (
  { typescript }: Reading,
  nodes: ReadonlyArray<ts.EnumDeclaration>
): ReadonlyMap<string, string | number | undefined> => {
  const members = new Map<string, string | number | undefined>()
  for (const node of nodes) {
    let next: number | undefined = 0
    for (const member of node.members) {
      const value: string | number | undefined =
        member.initializer === undefined ? next : computed(typescript, member.initializer, members)
      const name = nameOf(typescript, member.name)
      if (Option.isSome(name)) members.set(name.value, value)
      next = typeof value === "number" ? value + 1 : undefined
    }
  }
  return members
}

/** What enums are computed by: literals, their own members, and operators such as `1 << 2`. */
const computed = (
  typescript: TypeScript,
  written: ts.Expression,
  members: ReadonlyMap<string, string | number | undefined>
): string | number | undefined => {
  const expression = unwrap(typescript, written)
  if (typescript.isIdentifier(expression)) return members.get(expression.text)
  if (typescript.isPropertyAccessExpression(expression)) return members.get(expression.name.text)
  if (typescript.isBinaryExpression(expression)) {
    const left = computed(typescript, expression.left, members)
    const right = computed(typescript, expression.right, members)
    return left === undefined || right === undefined
      ? undefined
      : operate(typescript, expression.operatorToken.kind, left, right)
  }
  const value = Option.getOrUndefined(literalOf(typescript, expression))
  return typeof value === "string" || typeof value === "number" ? value : undefined
}

const operate = (
  { SyntaxKind }: TypeScript,
  operator: ts.SyntaxKind,
  left: string | number,
  right: string | number
): string | number | undefined => {
  if (typeof left !== "number" || typeof right !== "number") {
    return operator === SyntaxKind.PlusToken ? `${left}${right}` : undefined
  }
  switch (operator) {
    case SyntaxKind.PlusToken:
      return left + right
    case SyntaxKind.MinusToken:
      return left - right
    case SyntaxKind.AsteriskToken:
      return left * right
    case SyntaxKind.BarToken:
      return left | right
    case SyntaxKind.LessThanLessThanToken:
      return left << right
    default:
      return undefined
  }
}

/** What names stand for in defaults: constants of the file, their properties, members of its enums. */
export const constantsOf = (reading: Reading, declarations: Declarations): Constants => {
  const { typescript } = reading
  let left = mostNames
  // A constant that is made of itself has no value, and would be looked for forever.
  const constants =
    (open: ReadonlySet<string>): Constants =>
    (expression) => {
      if (typescript.isIdentifier(expression)) {
        const initializer = declarations.constants.get(expression.text)?.initializer
        left -= 1
        return initializer === undefined || left < 0 || open.has(expression.text)
          ? Option.none()
          : literalOf(typescript, initializer, constants(new Set([...open, expression.text])))
      }
      if (!typescript.isPropertyAccessExpression(expression)) return Option.none()
      const name = expression.name.text
      if (typescript.isIdentifier(expression.expression)) {
        const declaration = declarations.types.get(expression.expression.text)
        if (declaration?.kind === "enum") {
          return Option.fromNullable(enumMembers(reading, declaration.nodes).get(name))
        }
      }
      return Option.flatMap(literalOf(typescript, expression.expression, constants(open)), (value) =>
        propertyOf(value, name)
      )
    }
  return constants(new Set())
}

/** Constants that name others twice, which name others twice, and so on, would fill the memory. */
const mostNames = 200

const propertyOf = (value: Json.Json, name: string): Option.Option<Json.Json> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.hasOwn(value, name)
    ? Option.fromNullable(Object.entries(value).find(([key]) => key === name)?.[1])
    : Option.none()
