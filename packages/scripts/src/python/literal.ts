/** The JSON value of a Python literal, known without running anything. */
import type { Json } from "@wield/core"
import * as Either from "effect/Either"
import { field, itemsOf } from "../syntax/node.js"
import type { Node } from "../syntax/treeSitter.js"
import { describeNode, type NotLiteral, notLiteral } from "./notLiteral.js"
import { stringOf } from "./stringLiteral.js"

/** Tuples and sets are arrays. What JSON cannot hold (bytes, complex and very large numbers) is not literal. */
export const literalOf = (node: Node): Either.Either<Json.Json, NotLiteral> => {
  if (node.hasError) return Either.left(notLiteral(node, `${describeNode(node)}, which has a syntax error`))
  switch (node.type) {
    case "none":
      return Either.right(null)
    case "true":
      return Either.right(true)
    case "false":
      return Either.right(false)
    case "integer":
      return integerOf(node)
    case "float":
      return floatOf(node)
    case "string":
      return stringOf(node)
    case "concatenated_string":
      return Either.map(Either.all(itemsOf(node).map(stringOf)), (parts) => parts.join(""))
    case "parenthesized_expression": {
      const [inner] = itemsOf(node)
      return inner === undefined ? unknown(node) : literalOf(inner)
    }
    case "unary_operator":
      return signedOf(node)
    case "list":
    case "tuple":
    // Where no parentheses are needed: `TOOLS = {…}, {…}`.
    case "expression_list":
      return Either.all(itemsOf(node).map(literalOf))
    case "set":
      return Either.map(Either.all(itemsOf(node).map(literalOf)), (values) => [...new Set(values)])
    case "dictionary":
      return Either.map(
        Either.all(itemsOf(node).map((pair) => pairOf(pair, literalOf, (key) => key))),
        Object.fromEntries<Json.Json>
      )
    default:
      return unknown(node)
  }
}

const unknown = (node: Node): Either.Either<never, NotLiteral> => Either.left(notLiteral(node, describeNode(node)))

/** A key with its value, which `read` reads both; `keyOf` is the literal that a key was read as. */
export const pairOf = <Value>(
  node: Node,
  read: (node: Node) => Either.Either<Value, NotLiteral>,
  keyOf: (key: Value) => unknown
): Either.Either<readonly [string, Value], NotLiteral> =>
  Either.gen(function* () {
    const key = field(node, "key")
    const value = field(node, "value")
    if (node.type !== "pair" || key === undefined || value === undefined) return yield* unknown(node)
    const name = keyOf(yield* read(key))
    if (typeof name !== "string") {
      return yield* Either.left(notLiteral(key, `the key ${key.text}, which is no string: JSON has no other keys`))
    }
    return [name, yield* read(value)] as const
  })

const integerOf = (node: Node): Either.Either<number, NotLiteral> => {
  if (/[jJ]$/.test(node.text)) return floatOf(node)
  const digits = node.text.replaceAll("_", "")
  const value = /^0+[1-9]/.test(digits) ? Number.NaN : Number(digits)
  return Number.isSafeInteger(value)
    ? Either.right(value)
    : Either.left(notLiteral(node, `the number ${node.text}, which JSON readers do not keep exactly`))
}

const floatOf = (node: Node): Either.Either<number, NotLiteral> => {
  const value = Number(node.text.replaceAll("_", ""))
  return Number.isFinite(value)
    ? Either.right(value)
    : Either.left(notLiteral(node, `the number ${node.text}, which JSON has not`))
}

const signedOf = (node: Node): Either.Either<Json.Json, NotLiteral> => {
  const sign = field(node, "operator")?.text
  const argument = field(node, "argument")
  if (argument === undefined || (sign !== "-" && sign !== "+")) return unknown(node)
  return Either.flatMap(literalOf(argument), (value) => {
    if (typeof value !== "number") return unknown(node)
    // Not `-value`: `-0` is 0 in Python.
    return Either.right(sign === "+" ? value : 0 - value)
  })
}
