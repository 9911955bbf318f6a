/** YAML 1.2, one document, with the places of JSON. */
import type { Json } from "@wield/core"
import { type JsonFault, type JsonText, maxDepth, offsetInQuoted, placesOf, tooDeep } from "@wield/core/JsonText"
import * as Either from "effect/Either"
import { isAlias, isMap, isNode, isScalar, isSeq, type Node, type Pair, parseDocument, visit, type YAMLMap } from "yaml"

/**
 * YAML text as a value with the place of each part, or every fault with its place. What JSON cannot say, a key that
 * comes twice, values deeper than 200 levels, more than 1,000 aliases, and aliases that repeat more than 100 values are
 * faults. `isMerging` reads `<<` as YAML 1.1 does: the fields of another map.
 *
 * @example
 * ```ts
 * import { Yaml } from "@wield/manifest"
 * import { Either } from "effect"
 *
 * const { atKey, value } = Either.getOrThrow(Yaml.parse("tools:\n  timeout: 10\n"))
 * console.log(value, atKey(["tools", "timeout"])) // { tools: { timeout: 10 } } { line: 2, column: 3 }
 * ```
 *
 * @category decoding
 */
export const parse = (
  text: string,
  options: { readonly isMerging?: boolean } = {}
): Either.Either<JsonText, ReadonlyArray<JsonFault>> => {
  const { isMerging = false } = options
  const placeOf = placesOf(text)
  const fault = (message: string, offset: number): JsonFault => ({ rule: "syntax", message, place: placeOf(offset) })
  const deep = depthExceededAt(text)
  if (deep !== undefined) return Either.left([tooDeep(placeOf(deep))])
  // The parser compares each key with all others: 20,000 of them would take minutes.
  const document = parseDocument(text, { prettyErrors: false, uniqueKeys: false, merge: isMerging })
  if (document.errors.length > 0) {
    return Either.left(document.errors.map(({ message, pos }) => fault(`The YAML is broken here: ${message}`, pos[0])))
  }
  const pairs = new Map<YAMLMap, ReadonlyMap<string, Pair>>()
  const duplicates: Array<JsonFault> = []
  let aliases = 0
  visit(document, {
    Alias: () => void aliases++,
    Map: (_, map) => {
      const known = new Map<string, Pair>()
      for (const pair of map.items) {
        if (!isScalar(pair.key)) continue
        const key = String(pair.key.value)
        if (isMerging && key === "<<") continue
        if (known.has(key)) {
          duplicates.push({
            rule: "duplicate-key",
            message: "This key is here for the second time in one map; leave one of them out",
            place: placeOf(pair.key.range?.[0] ?? 0)
          })
        } else known.set(key, pair)
      }
      pairs.set(map, known)
    }
  })
  if (duplicates.length > 0) return Either.left(duplicates)
  // The parser looks for each through the whole text.
  if (aliases > mostAliases) {
    return Either.left([
      fault(`It has ${aliases} aliases, and may have ${mostAliases}; write out what the others stand for`, 0)
    ])
  }
  const pairOf = (map: YAMLMap, key: string): Pair | undefined => pairs.get(map)?.get(key)
  const root: unknown = document.contents
  if (!isNode(root)) return Either.left([fault("The file is empty", 0)])
  const value = valueOf(() => document.toJS({ maxAliasCount }))
  if (value === undefined) {
    return Either.left([
      fault(`Its aliases repeat more than ${maxAliasCount} values; write out what they stand for`, 0)
    ])
  }
  return Either.right({
    // YAML's own types (sets, dates) are those of its schemas, of which the core one is read: that of JSON.
    value: value.given as Json.Json,
    at: (path, offset) => {
      const { isExact, node } = nearest(root, path, pairOf)
      const start = node.range?.[0] ?? 0
      return placeOf(offset === undefined || !isExact ? start : offsetIn(text, node, start, offset))
    },
    atKey: (path) => placeOf(nearest(root, path, pairOf).key)
  })
}

const mostAliases = 1000

/** The parser's own default: a few lines of aliases of aliases would else become gigabytes. */
const maxAliasCount = 100

/** The parser throws where aliases repeat too much. */
const valueOf = (read: () => unknown): { readonly given: unknown } | undefined => {
  try {
    return { given: read() }
  } catch {
    return undefined
  }
}

/** The offset of what nests too deep, by brackets, dashes and indentation. It may count a little too much. */
const depthExceededAt = (text: string): number | undefined => {
  let brackets = 0
  for (let index = 0; index < text.length; index++) {
    const character = text[index]
    if (character === "[" || character === "{") brackets++
    else if ((character === "]" || character === "}") && brackets > 0) brackets--
    if (brackets > maxDepth) return index
  }
  const tooIndented = new RegExp(`^(?: {${maxDepth * 8}}|(?: *[-?:] ){${maxDepth}})`, "m").exec(text)
  return tooIndented?.index
}

const nearest = (
  root: Node,
  path: ReadonlyArray<string | number>,
  pairOf: (map: YAMLMap, key: string) => Pair | undefined
) => {
  let node = root
  let key = root.range?.[0] ?? 0
  for (const segment of path) {
    const start = node.range?.[0] ?? 0
    const pair = isMap(node) ? pairOf(node, String(segment)) : undefined
    const next = pair?.value ?? (isSeq(node) ? node.items[Number(segment)] : undefined)
    // What an alias stands for stands elsewhere: its place is the alias.
    if (!isNode(next) || isAlias(node)) return { node, key: start, isExact: false }
    key = (pair !== undefined && isNode(pair.key) ? pair.key.range?.[0] : undefined) ?? next.range?.[0] ?? start
    node = next
  }
  return { node, key, isExact: true }
}

/** Of a text whose lines YAML folds the start only: its breaks are not those of the value. */
const offsetIn = (text: string, node: Node, start: number, offset: number): number => {
  if (!isScalar(node) || typeof node.value !== "string") return start
  const end = node.range?.[1] ?? start
  const isOneLine = !text.slice(start, end).trimEnd().includes("\n")
  switch (node.type) {
    case "PLAIN":
      return isOneLine ? start + offset : start
    case "QUOTE_DOUBLE":
      return isOneLine ? offsetInQuoted(text, start + 1, offset) : start
    case "QUOTE_SINGLE": {
      const doubled = node.value.slice(0, offset).split("'").length - 1
      return isOneLine ? start + 1 + offset + doubled : start
    }
    case "BLOCK_LITERAL":
      return offsetInBlock(text, start, node.value, offset)
    default:
      return start
  }
}

/** In a literal block each line of the value is one of the text, after the indentation. */
const offsetInBlock = (text: string, start: number, value: string, offset: number): number => {
  const before = value.slice(0, offset).split("\n")
  let line = text.indexOf("\n", start) + 1
  const first = value.split("\n").findIndex((content) => content.trim() !== "")
  let indented = line
  for (let index = 0; index < first; index++) indented = text.indexOf("\n", indented) + 1
  const leading = /^ */.exec(value.split("\n")[first] ?? "")?.[0].length ?? 0
  const indentation = (/^ */.exec(text.slice(indented))?.[0].length ?? 0) - leading
  for (let index = 1; index < before.length; index++) line = text.indexOf("\n", line) + 1
  return line + indentation + (before.at(-1)?.length ?? 0)
}
