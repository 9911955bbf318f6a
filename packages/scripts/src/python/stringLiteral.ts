/** The text of a Python string literal: its prefix, its quotes, its escapes. */
import * as Either from "effect/Either"
import type { Node } from "../syntax/treeSitter.js"
import { describeNode, type NotLiteral, notLiteral } from "./notLiteral.js"

/** Of one literal; implicit concatenation is `literalOf`'s. */
export const stringOf = (node: Node): Either.Either<string, NotLiteral> => {
  const start = node.firstChild?.text
  if (node.type !== "string" || start === undefined) return Either.left(notLiteral(node, describeNode(node)))
  const quotes = start.replace(/^[a-z]*/i, "")
  const prefix = start.slice(0, -quotes.length).toLowerCase()
  if (prefix.includes("b")) return Either.left(notLiteral(node, `the bytes ${node.text}, which JSON has not`))
  if (prefix.includes("t")) return Either.left(notLiteral(node, `the template ${node.text}, which is no text`))
  const interpolation = node.namedChildren.find((child) => child.type === "interpolation")
  if (interpolation !== undefined) {
    return Either.left(notLiteral(interpolation, `the value \`${interpolation.text}\` in an f-string`))
  }
  // Cut by length, for the parser takes a joined line before the last quotes for a part of them.
  // Python reads every line end as "\n", in raw strings too.
  const written = node.text.slice(start.length, -quotes.length).replace(/\r\n?/g, "\n")
  const source = prefix.includes("f") ? written.replaceAll("{{", "{").replaceAll("}}", "}") : written
  if (prefix.includes("r")) return Either.right(source)
  const unknown = unknownEscape.exec(source)
  return unknown === null
    ? Either.right(source.replace(escape, unescaped))
    : Either.left(notLiteral(node, `the escape ${unknown[1]} in a string, which cannot be read; write the character`))
}

const escape = /\\(?:\n|[\\'"abfnrtv]|[0-7]{1,3}|x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8})/g

/** Named characters, whose names are not known here, and escapes that Python itself refuses. */
const unknownEscape =
  /(?:^|[^\\])(?:\\\\)*(\\N(?:\{[^}]*\}?)?|\\x(?![\da-fA-F]{2})|\\u(?![\da-fA-F]{4})|\\U(?!00(?:0[\da-fA-F]|10)[\da-fA-F]{4}))/

/** Another character after a backslash is no escape: both stay. */
const unescaped = (sequence: string): string => {
  const letter = sequence.charAt(1)
  const named = characters.get(letter)
  if (named !== undefined) return named
  const isHexadecimal = letter === "x" || letter === "u" || letter === "U"
  return String.fromCodePoint(
    isHexadecimal ? Number.parseInt(sequence.slice(2), 16) : Number.parseInt(sequence.slice(1), 8)
  )
}

const characters: ReadonlyMap<string, string> = new Map([
  ["\n", ""],
  ["\\", "\\"],
  ["'", "'"],
  ['"', '"'],
  ["a", "\x07"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["v", "\v"]
])
