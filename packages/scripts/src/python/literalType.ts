/**
 * The values of `Literal[...]`.
 */
import type { Json } from "@wield/core"
import * as Either from "effect/Either"
import type { Node } from "../syntax/treeSitter.js"
import { itemsOf, literalOf } from "./literal.js"
import { memberValue } from "./enumeration.js"
import { outsideNameOf } from "./qualifiedName.js"
import type { Reading } from "./reading.js"
import { partsOf } from "./typeParts.js"

/** In order; or the part that is no value. */
export const literalValues = (
  parts: ReadonlyArray<Node>,
  reading: Reading
): Either.Either<ReadonlyArray<Json.Json>, Node> =>
  Either.map(Either.all(parts.map((part) => valuesOf(part, reading))), (values) => values.flat())

const valuesOf = (node: Node, reading: Reading): Either.Either<ReadonlyArray<Json.Json>, Node> => {
  if (node.type === "type" || node.type === "parenthesized_expression") {
    const [inner] = itemsOf(node)
    return inner === undefined ? Either.left(node) : valuesOf(inner, reading)
  }
  const literal = literalOf(node)
  if (Either.isRight(literal)) {
    return typeof literal.right === "object" && literal.right !== null
      ? Either.left(node)
      : Either.right([literal.right])
  }
  const member = memberValue(node, reading)
  if (member !== undefined) return Either.right([member])
  // Literals may hold literals, by name too: `Literal[Mode, "other"]`.
  const [base, args] = partsOf(node)
  if (args.length > 0 && outsideNameOf(base, reading.module) === "Literal") return literalValues(args, reading)
  const binding = node.type === "identifier" ? reading.module.bindings.get(node.text) : undefined
  const value = binding?.kind === "value" || binding?.kind === "alias" ? binding.value : undefined
  if (value === undefined || value.type === "identifier") return Either.left(node)
  const [valueBase, valueArgs] = partsOf(value)
  return outsideNameOf(valueBase, reading.module) === "Literal" && valueArgs.length > 0
    ? literalValues(valueArgs, reading)
    : Either.left(node)
}
