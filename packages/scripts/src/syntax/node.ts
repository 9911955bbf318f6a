/** What readers of syntax trees ask of a node. */
import type { Place } from "@wield/core/Problem"
import type { Node } from "./treeSitter.js"

/** Where a node begins. web-tree-sitter parses UTF-16, so its columns are UTF-16 units already. */
export const placeOf = (node: Node): Place => ({
  line: node.startPosition.row + 1,
  column: node.startPosition.column + 1
})

export const field = (node: Node | undefined, name: string): Node | undefined =>
  node?.childForFieldName(name) ?? undefined

/** What is named in a node: comments and joined lines may stand anywhere. */
export const itemsOf = (node: Node | undefined): ReadonlyArray<Node> =>
  (node?.namedChildren ?? []).filter((child) => child.type !== "comment" && child.type !== "line_continuation")
