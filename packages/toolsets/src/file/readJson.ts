/**
 * JSON with the place of each value and key. Strict: no comments, no trailing
 * commas, as Python's `json`, which reads these files too.
 */
import type { Json } from "@wield/core"
import * as Either from "effect/Either"
import * as Jsonc from "jsonc-parser"
import type { Place } from "@wield/core/Problem"

export interface JsonText {
  readonly value: Json.Json
  /** The place of the value at a path; of its key with `key`. */
  readonly placeOf: (path: ReadonlyArray<string | number>, what?: "key") => Place
}

export interface JsonFault {
  readonly message: string
  readonly place: Place
}

/** Deeper values are no toolsets, and the parser calls itself for each level. */
const maxDepth = 100

export const readJson = (given: string): Either.Either<JsonText, ReadonlyArray<JsonFault>> => {
  const text = withoutMark(given)
  const placeAt = placesOf(text)
  const deep = tooDeepAt(text)
  if (deep !== undefined) {
    return Either.left([{ message: `Values nest deeper than ${maxDepth} levels here`, place: placeAt(deep) }])
  }
  const errors: Array<Jsonc.ParseError> = []
  const root = Jsonc.parseTree(text, errors, { disallowComments: true, allowTrailingComma: false })
  if (root === undefined || errors.length > 0) {
    // What the parser expects at the place of a fault before it is a guess.
    const first = errors.filter(({ offset }, index) => errors[index - 1]?.offset !== offset)
    const faults = first.map(({ error, offset }) => ({
      message: `The JSON is broken here: ${expectations[Jsonc.printParseErrorCode(error)] ?? "it cannot be read"}`,
      place: placeAt(offset)
    }))
    return Either.left(faults.length > 0 ? faults : [{ message: "The file is empty", place: { line: 1, column: 1 } }])
  }
  const repeated: Array<JsonFault> = []
  const value = valueOf(root, (key) =>
    repeated.push({
      message: `The key ${JSON.stringify(key.value)} stands here for the second time; leave one of them out`,
      place: placeAt(key.offset)
    })
  )
  if (repeated.length > 0) return Either.left(repeated)
  // The parser would look through all keys of the root for each.
  const properties = new Map(
    (root.type === "object" ? (root.children ?? []) : []).flatMap((property) =>
      property.children?.[0] === undefined ? [] : [[property.children[0].value, property.children[1]] as const]
    )
  )
  return Either.right({
    value,
    placeOf: ([first, ...rest], what) => {
      const value = first === undefined ? root : properties.get(first)
      const node = (value === undefined ? undefined : Jsonc.findNodeAtLocation(value, rest)) ?? root
      const key = what === "key" && node.parent?.type === "property" ? node.parent : node
      return placeAt(key.offset)
    }
  })
}

/** Editors on Windows write a byte order mark, which JSON has not. */
export const withoutMark = (text: string): string => (text.startsWith("\uFEFF") ? text.slice(1) : text)

/** The places of offsets: lines are counted once, since a file may have thousands of toolsets. */
const placesOf = (text: string): ((offset: number) => Place) => {
  const starts = [0, ...Array.from(text.matchAll(/\r\n|\r|\n/g), ({ 0: end, index }) => index + end.length)]
  return (offset) => {
    let [line, after] = [0, starts.length]
    while (after - line > 1) {
      const middle = (line + after) >> 1
      if ((starts[middle] ?? 0) <= offset) line = middle
      else after = middle
    }
    return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 }
  }
}

/** jsonc-parser's own reads a key `__proto__` as the prototype, and takes the last of two equal keys. */
const valueOf = (node: Jsonc.Node, onRepeated: (key: Jsonc.Node) => void): Json.Json => {
  const children = node.children ?? []
  if (node.type === "array") return children.map((child) => valueOf(child, onRepeated))
  // Scalars of JSON are what is left.
  if (node.type !== "object") return node.value as Json.Json
  const keys = new Set<string>()
  return Object.fromEntries(
    children.flatMap(({ children: [key, value] = [] }) => {
      if (key === undefined || value === undefined) return []
      if (keys.has(key.value)) onRepeated(key)
      keys.add(key.value)
      return [[key.value, valueOf(value, onRepeated)]]
    })
  )
}

const tooDeepAt = (text: string): number | undefined => {
  const scanner = Jsonc.createScanner(text, true)
  let depth = 0
  while (scanner.getPosition() < text.length) {
    scanner.scan()
    // The kinds of tokens are a const enum, which single files cannot be compiled with.
    const first = text[scanner.getTokenOffset()]
    if (first === "{" || first === "[") depth++
    if (first === "}" || first === "]") depth--
    if (depth > maxDepth) return scanner.getTokenOffset()
  }
  return undefined
}

const expectations: { readonly [code: string]: string } = {
  InvalidSymbol: "expected a value, in quotes if it is a text",
  InvalidNumberFormat: "expected a number as JSON writes it",
  PropertyNameExpected: "expected a key in double quotes",
  ValueExpected: "expected a value",
  ColonExpected: "expected a colon between a key and its value",
  CommaExpected: "expected a comma",
  CloseBraceExpected: "expected a closing brace",
  CloseBracketExpected: "expected a closing bracket",
  EndOfFileExpected: "expected the end of the file",
  InvalidCommentToken: "JSON has no comments; a key that begins with _ is ignored and can hold one",
  UnexpectedEndOfComment: "JSON has no comments, and this one is not closed",
  UnexpectedEndOfString: "a text is not closed with a double quote",
  UnexpectedEndOfNumber: "a number is not complete",
  InvalidUnicode: "expected four hexadecimal digits after \\u",
  InvalidEscapeCharacter: "no escape of JSON begins like this",
  InvalidCharacter: "a control character in a text has to be written as an escape"
}
