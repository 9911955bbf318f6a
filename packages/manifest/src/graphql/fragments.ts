/** The fragments that an operation uses, each once, in the order of the document. */
import { type DocumentNode, type FragmentDefinitionNode, Kind, type OperationDefinitionNode, visit } from "graphql"

export const fragmentsOf = (
  operation: OperationDefinitionNode,
  document: DocumentNode
): ReadonlyArray<FragmentDefinitionNode> => {
  const all = document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
  const used = new Set<string>()
  const waiting: Array<OperationDefinitionNode | FragmentDefinitionNode> = [operation]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    visit(node, {
      FragmentSpread: (spread) => {
        if (used.has(spread.name.value)) return
        used.add(spread.name.value)
        waiting.push(...all.filter((fragment) => fragment.name.value === spread.name.value))
      }
    })
  }
  return all.filter((fragment) => used.has(fragment.name.value))
}
