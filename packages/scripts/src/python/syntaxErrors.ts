/** Where a file is no Python. */
import type { Problem } from "@wield/core/Problem"
import { fileError } from "../folder/problem.js"
import { itemsOf, placeOf } from "../syntax/node.js"
import type { Node } from "../syntax/treeSitter.js"
import { excerptOf } from "./notLiteral.js"

/** The first one: what the parser makes of the text after it is a guess. */
export const syntaxErrorOf = (root: Node, file: string): Problem | undefined => {
  const found = firstError(root)
  if (found === undefined) return undefined
  const { node, rule = "syntax-error", what } = found
  const message = found.rule === undefined ? `${what}; the file is no Python and cannot be imported` : what
  return fileError(file, rule, message, { place: placeOf(node) })
}

interface Found {
  readonly node: Node
  /** Where it is Python all the same. */
  readonly rule?: string
  readonly what: string
}

const firstError = (node: Node): Found | undefined => {
  if (node.isMissing) return { node, what: `Expected ${quoted(node.type)} here` }
  if (node.isError && isDefaultOfSeveral(node)) {
    return {
      node,
      rule: "unsupported-syntax",
      what: `The default of \`${excerptOf(node).replace(/\s*=.*/, "")}\`, a type parameter that stands for several types, cannot be read yet; leave the default out`
    }
  }
  if (node.isError) return { node: unexpectedIn(node), what: unexpected(node) }
  if (node.type === "print_statement" || node.type === "exec_statement") {
    const name = node.type === "print_statement" ? "print" : "exec"
    return { node, what: `\`${excerptOf(node)}\` is Python 2; write ${name}(...)` }
  }
  if (node.type === "block" && itemsOf(node).length === 0) {
    return { node, what: "Expected an indented block here" }
  }
  for (const child of node.children) {
    const found = child === null ? undefined : firstError(child)
    if (found !== undefined) return found
  }
  const shifted = node.type === "block" || node.type === "module" ? shiftedIn(node) : undefined
  return shifted === undefined
    ? undefined
    : { node: shifted, what: "This line is indented otherwise than the others of its block" }
}

/** The parser takes a line for one of the block that it fits best; Python does not. */
const shiftedIn = (block: Node): Node | undefined => {
  const items = itemsOf(block)
  const column = block.type === "module" ? 0 : items[0]?.startPosition.column
  return items.find(
    (item, index) =>
      item.startPosition.column !== column &&
      // `x = 1; y = 2`
      (index === 0 || items[index - 1]?.endPosition.row !== item.startPosition.row)
  )
}

/** `def f[*Ts = *tuple[int, str]]`, `def f[**P = [int]]`; of others, see `typeDefaults.ts`. */
const isDefaultOfSeveral = (node: Node): boolean =>
  node.parent?.type === "type_parameter" &&
  node.children.some((child) => child?.type === "=") &&
  node.descendantsOfType(["list_splat", "splat_type"]).length > 0

/** An opened bracket or quote that nothing closes says more than all that the parser skipped for it. */
const unexpectedIn = (node: Node): Node => unclosedIn(node) ?? node

const unexpected = (node: Node): string => {
  const unclosed = unclosedIn(node)
  if (unclosed !== undefined) return `\`${excerptOf(unclosed)}\` is never closed`
  const text = excerptOf(node)
  if (text === "") return "Something is missing here"
  return node.childCount > 1 ? `\`${text}\` is not complete` : `Unexpected \`${text}\``
}

const unclosedIn = (node: Node): Node | undefined => {
  const open: Array<Node> = []
  for (const child of node.children) {
    if (child === null) continue
    if (["(", "[", "{", "string_start"].includes(child.type)) open.push(child)
    if ([")", "]", "}", "string_end"].includes(child.type)) open.pop()
  }
  return open.at(-1)
}

const quoted = (type: string): string =>
  /^\W+$/.test(type) ? `\`${type}\`` : `${/^[aeiou]/.test(type) ? "an" : "a"} ${type.replaceAll("_", " ")}`
