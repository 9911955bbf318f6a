/**
 * JSON with the place of each value and key, for problems that name line and
 * column. Import it by its path, `@wield/core/JsonText`.
 */
import * as Either from "effect/Either"
import * as Jsonc from "jsonc-parser"
import type { Json } from "./Json.js"
import type { Place } from "./Problem.js"

/**
 * A text that was read, and where in it each part stands.
 * @category models
 */
export interface JsonText {
  readonly value: Json
  /**
   * The place of the value at a path, or of the nearest value around it. With an
   * offset: of that character (UTF-16 units from 0) of the string there,
   * whatever escapes the text writes it with.
   */
  readonly at: (path: ReadonlyArray<string | number>, offset?: number) => Place
  /** The place of the key that a path ends with. */
  readonly atKey: (path: ReadonlyArray<string | number>) => Place
}

/**
 * Why a text is refused.
 * @category models
 */
export interface JsonFault {
  readonly rule: "syntax" | "duplicate-key" | "nesting"
  readonly message: string
  readonly place: Place
}

/**
 * How deep the values of a file may nest. Fewer levels than `Json.maxDepth`,
 * which is for what programs send each other: the parsers of JSONC and YAML and
 * the checks of a file call themselves several times a level, and no person
 * writes so many.
 * @category models
 */
export const maxDepth = 200

/**
 * The value of a text with its places, or all its faults. A key that an object
 * has twice is a fault, unless `onDuplicateKey` takes it with the path of the
 * key: then the last value counts. `isCommented` allows the comments and
 * trailing commas of JSONC.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import * as JsonText from "@wield/core/JsonText"
 * import { Effect } from "effect"
 *
 * const text = Effect.runSync(JsonText.parse('{\n  "name": "advice"\n}'))
 * assert.deepStrictEqual(text.at(["name"]), { line: 2, column: 11 })
 * assert.deepStrictEqual(text.atKey(["name"]), { line: 2, column: 3 })
 * ```
 * @category constructors
 */
export const parse = (
  given: string,
  options: {
    readonly isCommented?: boolean
    readonly onDuplicateKey?: (path: ReadonlyArray<string | number>, fault: JsonFault) => void
  } = {}
): Either.Either<JsonText, ReadonlyArray<JsonFault>> => {
  const text = withoutMark(given)
  const placeOf = placesOf(text)
  const deep = depthExceededAt(text)
  if (deep !== undefined) return Either.left([tooDeep(placeOf(deep))])
  const errors: Array<Jsonc.ParseError> = []
  const isCommented = options.isCommented ?? false
  const root = Jsonc.parseTree(text, errors, { allowTrailingComma: isCommented, disallowComments: !isCommented })
  if (root === undefined || errors.length > 0) {
    // What the parser expects at the place of a fault before it is a guess.
    const first = errors.filter(({ offset }, index) => errors[index - 1]?.offset !== offset)
    const faults = first.map(({ error, offset }): JsonFault => ({
      rule: "syntax",
      message: `The JSON is broken here: ${expectations[Jsonc.printParseErrorCode(error)] ?? "it cannot be read"}`,
      place: placeOf(offset)
    }))
    return Either.left(
      faults.length > 0 ? faults : [{ rule: "syntax", message: "The file is empty", place: placeOf(0) }]
    )
  }
  const faults: Array<JsonFault> = []
  const { onDuplicateKey = (_path, fault) => void faults.push(fault) } = options
  const value = valueOf(root, (key) =>
    onDuplicateKey(Jsonc.getNodePath(key), {
      rule: "duplicate-key",
      message: `The key ${JSON.stringify(key.value)} is here for the second time in one object; leave one of them out`,
      place: placeOf(key.offset)
    })
  )
  if (faults.length > 0) return Either.left(faults)
  const properties = new Map<Jsonc.Node, ReadonlyMap<unknown, Jsonc.Node>>()
  // Made once for each object that a place is asked of: there may be thousands of keys, and a problem with each.
  const propertyOf = (node: Jsonc.Node, key: string | number): Jsonc.Node | undefined => {
    const known =
      properties.get(node) ?? new Map((node.children ?? []).map((child) => [child.children?.[0]?.value, child]))
    properties.set(node, known)
    return known.get(key)
  }
  const nearest = (path: ReadonlyArray<string | number>) => {
    let node = root
    let key = root.offset
    for (const segment of path) {
      const property = node.type === "object" ? propertyOf(node, segment) : undefined
      const next = property?.children?.[1] ?? (node.type === "array" ? node.children?.[Number(segment)] : undefined)
      if (next === undefined) return { node, key: node.offset, isExact: false }
      key = property?.offset ?? next.offset
      node = next
    }
    return { node, key, isExact: true }
  }
  return Either.right({
    value,
    at: (path, offset) => {
      const { isExact, node } = nearest(path)
      const isInText = offset !== undefined && isExact && node.type === "string"
      return placeOf(isInText ? offsetInQuoted(text, node.offset + 1, offset) : node.offset)
    },
    atKey: (path) => placeOf(nearest(path).key)
  })
}

/**
 * A text without the byte order mark that editors on Windows write.
 * @category conversions
 */
export const withoutMark = (text: string): string => (text.startsWith("\uFEFF") ? text.slice(1) : text)

/**
 * The place of each offset of a text.
 * @category conversions
 */
export const placesOf = (text: string): ((offset: number) => Place) => {
  // Lines are counted once: there may be thousands of problems.
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

/**
 * The offset in a text of the unit `offset` of a quoted value whose first unit
 * is written at `from`: an escape of JSON or YAML is several characters for one
 * or two units.
 * @category conversions
 */
export const offsetInQuoted = (text: string, from: number, offset: number): number => {
  let position = from
  for (let unit = 0; unit < offset && position < text.length;) {
    if (text[position] !== "\\") {
      position++
      unit++
      continue
    }
    const escape = text[position + 1] ?? ""
    const digits = hexDigits[escape] ?? 0
    // `\U` of YAML writes a character of two units as one.
    unit += digits === 8 && Number.parseInt(text.slice(position + 2, position + 10), 16) > 0xff_ff ? 2 : 1
    position += 2 + digits
  }
  return position
}

const hexDigits: { readonly [escape: string]: number } = { u: 4, x: 2, U: 8 }

/**
 * The fault of a value that nests deeper than `maxDepth`.
 * @category constructors
 */
export const tooDeep = (place: Place): JsonFault => ({
  rule: "nesting",
  message: `Values nest deeper than ${maxDepth} levels here; files are read to that depth only`,
  place
})

/** The offset of the bracket that is too deep. */
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
const valueOf = (node: Jsonc.Node, onDuplicate: (key: Jsonc.Node) => void): Json => {
  const children = node.children ?? []
  if (node.type === "array") return children.map((child) => valueOf(child, onDuplicate))
  // Scalars of JSON are what is left.
  if (node.type !== "object") return node.value as Json
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
  InvalidCommentToken: "JSON has no comments; take this one out",
  UnexpectedEndOfComment: "a comment is not closed",
  UnexpectedEndOfString: "a text is not closed with a double quote",
  UnexpectedEndOfNumber: "a number is not complete",
  InvalidUnicode: "expected four hexadecimal digits after \\u",
  InvalidEscapeCharacter: "no escape of JSON begins like this",
  InvalidCharacter: "a control character in a text has to be written as an escape"
}
