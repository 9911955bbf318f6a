/**
 * JSON, with the comments and trailing commas of JSONC.
 */
import * as Jsonc from "jsonc-parser"
import { offsetInQuoted } from "./escapes.js"
import { placesOf } from "./places.js"
import { maxDepth, type SourceText, type SyntaxFault, tooDeep } from "./SourceText.js"

export const readJson = (text: string, file: string | undefined): SourceText => {
  const placeOf = placesOf(text, file)
  const start = placeOf(0)
  const broken = (faults: ReadonlyArray<SyntaxFault>): SourceText => ({
    file,
    value: undefined,
    faults,
    at: () => start,
    atKey: () => start
  })
  const deep = depthExceededAt(text)
  if (deep !== undefined) return broken([tooDeep(placeOf(deep))])
  const errors: Array<Jsonc.ParseError> = []
  const root = Jsonc.parseTree(text, errors, { allowTrailingComma: true })
  if (root === undefined || errors.length > 0) {
    const faults = errors.map(({ error, offset }): SyntaxFault => ({
      rule: "syntax",
      message: `The JSON is broken here: ${expectations[Jsonc.printParseErrorCode(error)] ?? "it cannot be read"}`,
      place: placeOf(offset)
    }))
    return broken(faults.length > 0 ? faults : [{ rule: "syntax", message: "The file is empty", place: start }])
  }
  const faults: Array<SyntaxFault> = []
  const value = valueOf(root, (key) =>
    faults.push({
      rule: "duplicate-key",
      message: `The key ${JSON.stringify(key.value)} is here for the second time in one object; leave one of them out`,
      place: placeOf(key.offset)
    })
  )
  if (faults.length > 0) return broken(faults)
  const properties = new Map<Jsonc.Node, ReadonlyMap<unknown, Jsonc.Node>>()
  // Made once for each object that a place is asked of: there may be thousands of keys, and a problem with each.
  const propertyOf = (node: Jsonc.Node, key: string | number): Jsonc.Node | undefined => {
    const known =
      properties.get(node) ?? new Map((node.children ?? []).map((child) => [child.children?.[0]?.value, child]))
    properties.set(node, known)
    return known.get(key)
  }
  return {
    file,
    value,
    faults,
    at: (path, offset) => {
      const { isExact, node } = nearest(root, path, propertyOf)
      return placeOf(
        offset === undefined || !isExact || node.type !== "string"
          ? node.offset
          : offsetInQuoted(text, node.offset + 1, offset)
      )
    },
    atKey: (path) => placeOf(nearest(root, path, propertyOf).key)
  }
}

/** The offset of the bracket that is too deep. jsonc-parser calls itself for each level. */
const depthExceededAt = (text: string): number | undefined => {
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

/** jsonc-parser's own reads a key `__proto__` as the prototype, and takes the last of two equal keys. */
const valueOf = (node: Jsonc.Node, onDuplicate: (key: Jsonc.Node) => void): unknown => {
  const children = node.children ?? []
  if (node.type === "array") return children.map((child) => valueOf(child, onDuplicate))
  if (node.type !== "object") return node.value
  const keys = new Set<string>()
  return Object.fromEntries(
    children.flatMap(({ children: [key, value] = [] }) => {
      if (key === undefined || value === undefined) return []
      if (keys.has(key.value)) onDuplicate(key)
      keys.add(key.value)
      return [[key.value, valueOf(value, onDuplicate)]]
    })
  )
}

interface Nearest {
  readonly node: Jsonc.Node
  /** The offset of the key before the node, or of the node where it has none. */
  readonly key: number
  readonly isExact: boolean
}

const nearest = (
  root: Jsonc.Node,
  path: ReadonlyArray<string | number>,
  propertyOf: (node: Jsonc.Node, key: string | number) => Jsonc.Node | undefined
): Nearest => {
  let node = root
  let key = root.offset
  for (const segment of path) {
    const children: ReadonlyArray<Jsonc.Node> = node.children ?? []
    const property = node.type === "object" ? propertyOf(node, segment) : undefined
    const next = property?.children?.[1] ?? (node.type === "array" ? children[Number(segment)] : undefined)
    if (next === undefined) return { node, key: node.offset, isExact: false }
    key = property?.offset ?? next.offset
    node = next
  }
  return { node, key, isExact: true }
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
  UnexpectedEndOfComment: "a comment is not closed",
  UnexpectedEndOfString: "a text is not closed with a double quote",
  UnexpectedEndOfNumber: "a number is not complete",
  InvalidUnicode: "expected four hexadecimal digits after \\u",
  InvalidEscapeCharacter: "no escape of JSON begins like this",
  InvalidCharacter: "a control character in a text has to be written as an escape"
}
