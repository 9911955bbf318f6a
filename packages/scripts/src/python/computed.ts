/** The value of an expression of literals and constants, as Python computes it: `60 * 60`, `-MAX`, `"a" + "b"`. */
import type { Json } from "@wield/core"
import * as Either from "effect/Either"
import { itemsOf } from "../syntax/node.js"
import type { Node } from "../syntax/treeSitter.js"
import { literalOf } from "./literal.js"
import type { Reading } from "./reading.js"

/** Integers and floats are different in Python: `7 / 7` is 1.0, and of floats only what JavaScript computes alike is computed. */
type Value = bigint | number | string

export interface Computed {
  readonly value: Json.Json
  /** Of JSON Schema. */
  readonly type: "integer" | "number" | "string"
}

/** None where it is something else, or cannot be said in JSON. */
export const compute = (node: Node, reading: Reading): Computed | undefined => {
  const value = valueOf(node, reading, { left: mostParts }, 0)
  switch (typeof value) {
    case "bigint":
      return Number.isSafeInteger(Number(value)) ? { value: Number(value), type: "integer" } : undefined
    case "number":
      return Number.isFinite(value) ? { value, type: "number" } : undefined
    case "string":
      return { value, type: "string" }
    default:
      return undefined
  }
}

/** Names may stand for names; those that stand for themselves end somewhere. */
const deepest = 50

/** A name that stands for another twice, which stands for another twice, and so on, would never end. */
const mostParts = 1000

/** Where a result is larger, a model has no use for it as a default. */
const mostBits = 1024n
const longest = 10_000

interface Budget {
  left: number
}

const valueOf = (node: Node, reading: Reading, budget: Budget, depth: number): Value | undefined => {
  budget.left -= 1
  if (depth > deepest || budget.left < 0 || node.hasError) return undefined
  const inner = (child: Node | null | undefined): Value | undefined =>
    child === null || child === undefined ? undefined : valueOf(child, reading, budget, depth + 1)
  switch (node.type) {
    case "integer":
    case "float":
    case "string":
    case "concatenated_string": {
      const literal = Either.getOrUndefined(literalOf(node))
      if (typeof literal === "string") return literal
      if (typeof literal !== "number") return undefined
      return node.type === "integer" && Number.isInteger(literal) ? BigInt(literal) : literal
    }
    case "parenthesized_expression":
      return inner(itemsOf(node)[0])
    case "identifier": {
      const binding = reading.module.bindings.get(node.text)
      return binding?.kind === "value" && binding.isConstant ? inner(binding.value) : undefined
    }
    case "unary_operator":
      return signed(node.childForFieldName("operator")?.text, inner(node.childForFieldName("argument")))
    case "binary_operator": {
      const left = inner(node.childForFieldName("left"))
      const right = inner(node.childForFieldName("right"))
      const operator = node.childForFieldName("operator")?.text ?? ""
      if (typeof left === "bigint" && typeof right === "bigint") return ofIntegers.get(operator)?.(left, right)
      if (typeof left === "string" || typeof right === "string") return ofTexts(operator, left, right)
      if (left === undefined || right === undefined) return undefined
      return ofFloats.get(operator)?.(Number(left), Number(right))
    }
    default:
      return undefined
  }
}

const signed = (operator: string | undefined, value: Value | undefined): Value | undefined => {
  if (typeof value === "bigint") return operator === "-" ? -value : operator === "~" ? ~value : value
  if (typeof value !== "number" || operator === "~") return undefined
  return operator === "-" ? 0 - value : value
}

type Operate<Operand> = (left: Operand, right: Operand) => Value | undefined

/** By the operator. Nothing where it is an error, or too large to be computed. */
const ofIntegers: ReadonlyMap<string, Operate<bigint>> = new Map(
  Object.entries<Operate<bigint>>({
    "+": (left, right) => left + right,
    "-": (left, right) => left - right,
    "*": (left, right) => (isTooLarge(left) || isTooLarge(right) ? undefined : left * right),
    "//": (left, right) => (right === 0n ? undefined : floorOf(left, right)),
    "%": (left, right) => (right === 0n ? undefined : left - right * floorOf(left, right)),
    "/": (left, right) => (right === 0n ? undefined : Number(left) / Number(right)),
    "**": (left, right) =>
      right < 0n || right > mostBits || left > 1n << 64n || left < -(1n << 64n) ? undefined : left ** right,
    "<<": (left, right) => (right < 0n || right > mostBits || isTooLarge(left) ? undefined : left << right),
    ">>": (left, right) => (right < 0n ? undefined : left >> right),
    "|": (left, right) => left | right,
    "&": (left, right) => left & right,
    "^": (left, right) => left ^ right
  })
)

/** Beyond what a power can come to; constants that multiply one another would fill the memory. */
const largest = 1n << (65n * mostBits)
const isTooLarge = (value: bigint): boolean => value > largest || value < -largest

/** Python rounds down, BigInt towards zero. */
const floorOf = (left: bigint, right: bigint): bigint => {
  const quotient = left / right
  return left % right !== 0n && left < 0n !== right < 0n ? quotient - 1n : quotient
}

const ofFloats: ReadonlyMap<string, Operate<number>> = new Map(
  Object.entries<Operate<number>>({
    "+": (left, right) => left + right,
    "-": (left, right) => left - right,
    "*": (left, right) => left * right,
    "/": (left, right) => (right === 0 ? undefined : left / right)
  })
)

const ofTexts = (operator: string, left: Value | undefined, right: Value | undefined): string | undefined => {
  if (operator === "+" && typeof left === "string" && typeof right === "string") {
    return left.length + right.length > longest ? undefined : left + right
  }
  const [text, times] = typeof left === "string" ? [left, right] : [right, left]
  if (operator !== "*" || typeof text !== "string" || typeof times !== "bigint") return undefined
  if (times <= 0n) return ""
  return BigInt(text.length) * times > BigInt(longest) ? undefined : text.repeat(Number(times))
}
