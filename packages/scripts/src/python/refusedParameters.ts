import type { Node } from "../syntax/treeSitter.js"
import { type Reading, report } from "./reading.js"

/** A model names each argument: it can give neither further ones nor ones by position. */
export const refuse = (nodes: ReadonlyArray<Node>, subject: string, reading: Reading): boolean => {
  const separator = nodes.findIndex((node) => node.type === "positional_separator")
  const refused = nodes.flatMap((node, index): ReadonlyArray<{ node: Node; advice: string }> => {
    if (index < separator) {
      return [{ node, advice: `\`${node.text}\` stands before \`/\`; take the \`/\` out` }]
    }
    const inner = node.type === "typed_parameter" ? (node.namedChildren[0] ?? node) : node
    if (inner.type === "list_splat_pattern") {
      const name = inner.text.replace(/^\*\s*/, "")
      return [{ node, advice: `in place of \`${inner.text}\` declare a list, \`${name}: list[str]\`` }]
    }
    if (inner.type === "dictionary_splat_pattern") {
      const name = inner.text.replace(/^\*\*\s*/, "")
      return [
        { node, advice: `in place of \`${inner.text}\` name each parameter, or declare \`${name}: dict[str, Any]\`` }
      ]
    }
    return []
  })
  for (const { advice, node } of refused) {
    report(reading, {
      severity: "error",
      rule: "unsupported-parameter",
      message: `*args/**kwargs/positional-only parameters are not supported in tool functions: ${advice}`,
      at: node,
      subject
    })
  }
  const patterns = nodes.filter(
    (node) => node.type === "tuple_pattern" || node.childForFieldName("name")?.type === "tuple_pattern"
  )
  for (const node of patterns) {
    report(reading, {
      severity: "error",
      rule: "unsupported-parameter",
      message: `\`${node.text}\` is Python 2 and names no parameter; declare one parameter and take it apart in the function`,
      at: node,
      subject
    })
  }
  return refused.length + patterns.length === 0
}
