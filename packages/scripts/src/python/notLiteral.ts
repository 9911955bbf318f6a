/** Why a value cannot be known without running the file. */
import type { Place } from "@wield/core/Problem"
import { placeOf } from "../syntax/node.js"
import type { Node } from "../syntax/treeSitter.js"

export interface NotLiteral {
  /** What stands there instead, to be read in a sentence: "the call `now()`", "bytes, which JSON has not". */
  readonly what: string
  readonly place: Place
}

export const notLiteral = (node: Node, what: string): NotLiteral => ({ what, place: placeOf(node) })

/** What a node is, with the beginning of its text. */
export const describeNode = (node: Node): string => `${kinds.get(node.type) ?? "the expression"} \`${excerptOf(node)}\``

const kinds: ReadonlyMap<string, string> = new Map([
  ["attribute", "the attribute"],
  ["call", "the call"],
  ["dictionary_comprehension", "the comprehension"],
  ["generator_expression", "the generator"],
  ["identifier", "the name"],
  ["lambda", "the function"],
  ["list_comprehension", "the comprehension"],
  ["set_comprehension", "the comprehension"],
  ["subscript", "the item"]
])

/** The text of a node in one line, cut where it is long. */
export const excerptOf = (node: Node): string => {
  const text = node.text.replace(/\s+/g, " ")
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}
