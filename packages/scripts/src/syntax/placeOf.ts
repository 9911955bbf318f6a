import type { Place } from "@wield/core/Problem"
import type { Node } from "./treeSitter.js"

/** Where a node begins. web-tree-sitter parses UTF-16, so its columns are UTF-16 units already. */
export const placeOf = (node: Node): Place => ({
  line: node.startPosition.row + 1,
  column: node.startPosition.column + 1
})
