/** The docstring that stands at the beginning of a body. */
import * as Either from "effect/Either"
import { itemsOf } from "../syntax/node.js"
import type { Node } from "../syntax/treeSitter.js"
import { literalOf } from "./literal.js"

export interface Documentation {
  readonly text: string
  readonly node: Node
}

/** Of a function or class. To Python, an f-string is not one. */
export const documentationOf = (definition: Node): Documentation | undefined => {
  const body = definition.childForFieldName("body")
  const [first] = body === null ? [] : itemsOf(body)
  return first === undefined ? undefined : textOf(first)
}

/** The text of a statement that is nothing but a text. */
export const textOf = (statement: Node): Documentation | undefined => {
  const node = statement.type === "expression_statement" ? itemsOf(statement)[0] : undefined
  if (node === undefined || /^[a-z]*f[a-z]*["']/i.test(node.text)) return undefined
  const value = literalOf(node)
  return Either.isRight(value) && typeof value.right === "string" ? { text: value.right, node } : undefined
}
