/** The JSON value of a default: a literal, an Enum's member, a constant, `60 * MINUTE`, `Path(".")`. */
import type { Json } from "@wield/core"
import * as Either from "effect/Either"
import { field, itemsOf } from "../syntax/node.js"
import type { Node } from "../syntax/treeSitter.js"
import { classKindOf } from "./classKind.js"
import { compute } from "./computed.js"
import { membersOf, memberValue } from "./enumeration.js"
import { literalOf } from "./literal.js"
import { describeNode, type NotLiteral, notLiteral } from "./notLiteral.js"
import { argumentsOf, calledName } from "./qualifiedName.js"
import type { Reading } from "./reading.js"

export const defaultOf = (node: Node, reading: Reading): Either.Either<Json.Json, NotLiteral> => {
  const literal = literalOf(node)
  if (Either.isRight(literal)) return literal
  const member = memberValue(node, reading)
  if (member !== undefined) return Either.right(member)
  const computed = compute(node, reading)
  if (computed !== undefined) return Either.right(computed.value)
  if (node.type === "parenthesized_expression") {
    const [inner] = itemsOf(node)
    return inner === undefined ? literal : defaultOf(inner, reading)
  }
  if (node.type === "identifier") {
    const binding = reading.module.bindings.get(node.text)
    const value = binding?.kind === "value" && binding.isConstant ? binding.value : undefined
    // Of a list or dict the name may be constant, but what it holds can change.
    const constant = value === undefined ? literal : literalOf(value)
    return Either.isRight(constant) && (typeof constant.right !== "object" || constant.right === null)
      ? constant
      : literal
  }
  return node.type === "call" ? madeOf(node, reading) : literal
}

const madeOf = (call: Node, reading: Reading): Either.Either<Json.Json, NotLiteral> => {
  const not = Either.left(notLiteral(call, describeNode(call)))
  const name = calledName(call, reading.module)
  const isCollection = ["list", "tuple", "set", "frozenset"].includes(name)
  const [first, ...others] = argumentsOf(call)
  if (others.length > 0 || first?.type === "keyword_argument") return not
  if (first === undefined) return isCollection ? Either.right([]) : name === "dict" ? Either.right({}) : not
  const value = literalOf(first)
  if (Either.isLeft(value)) return not
  const isMade =
    isLocalMaker(call, value.right, reading) ||
    (isCollection && Array.isArray(value.right)) ||
    (textual.has(name) && typeof value.right === "string")
  return isMade ? value : not
}

/** `Color("red")`, and `City("Rome")` where City is a NewType. */
const isLocalMaker = (call: Node, value: Json.Json, reading: Reading): boolean => {
  const maker = field(call, "function")
  const binding = maker?.type === "identifier" ? reading.module.bindings.get(maker.text) : undefined
  if (binding?.kind === "class" && classKindOf(binding, reading) === "enum") {
    return [...membersOf(binding, reading).values()].includes(value)
  }
  return binding?.kind === "value" && calledName(binding.value, reading.module) === "NewType"
}

/** Types whose values are texts in JSON, made of just these texts. */
const textual: ReadonlySet<string> = new Set(
  "str pathlib.Path pathlib.PurePath decimal.Decimal uuid.UUID ipaddress.IPv4Address ipaddress.IPv6Address".split(" ")
)

/** The parameter can be left out, but the model does not know what it then is. */
export const reportDefault = ({ place, what }: NotLiteral, { report, subject }: Reading): void => {
  const message = `The default of ${subject} is known only when it runs (${what}), so models do not see it; say it in the description, or write a literal`
  report.warning("default-not-literal", message, { place, subject })
}
