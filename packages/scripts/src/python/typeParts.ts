/** The parts of `Name[...]`, which the grammar says in two ways. */
import { itemsOf } from "../syntax/node.js"
import type { Node } from "../syntax/treeSitter.js"

/** Its name and its arguments, where it is `Name[...]`. */
export const partsOf = (node: Node): readonly [base: Node | undefined, args: ReadonlyArray<Node>] => {
  if (node.type === "type") {
    const inner = itemsOf(node)[0]
    return inner === undefined ? [undefined, []] : partsOf(inner)
  }
  if (node.type === "subscript") {
    const base = node.childForFieldName("value") ?? undefined
    return [base, node.childrenForFieldName("subscript")]
  }
  if (node.type !== "generic_type") return [node, []]
  const [base, parameters] = itemsOf(node)
  return [base, parameters === undefined ? [] : itemsOf(parameters)]
}
