import type { Node } from "../syntax/treeSitter.js"
import { classArgument, type ClassBinding, keywordOf, localBasesOf } from "./classKind.js"
import { itemsOf } from "./literal.js"
import type { Reading } from "./reading.js"

/** `closed=True` of a TypedDict, `extra="forbid"` of a model in any of its three places. */
export const isDeclaredClosed = (
  binding: ClassBinding,
  reading: Reading,
  seen: ReadonlySet<Node> = new Set()
): boolean => {
  if (classArgument(binding, "closed")?.type === "true" || isForbid(classArgument(binding, "extra"))) return true
  const body = binding.node.childForFieldName("body")
  const isClosed = (body === null ? [] : itemsOf(body)).some((statement) => {
    if (statement.type === "class_definition" && statement.childForFieldName("name")?.text === "Config") {
      const inner = statement.childForFieldName("body")
      return (inner === null ? [] : itemsOf(inner)).some((one) => isForbid(assignedTo(one, "extra")))
    }
    const config = assignedTo(statement, "model_config")
    const list = config?.type === "call" ? config.childForFieldName("arguments") : null
    const pair =
      config?.type === "dictionary"
        ? itemsOf(config).find((one) => /^["']extra["']$/.test(one.childForFieldName("key")?.text ?? ""))
        : undefined
    return isForbid(list === null ? (pair?.childForFieldName("value") ?? undefined) : keywordOf(list, "extra"))
  })
  const above = new Set([...seen, binding.node])
  return (
    isClosed ||
    localBasesOf(binding, reading).some(
      (base) => !above.has(base.binding.node) && isDeclaredClosed(base.binding, reading, above)
    )
  )
}

const assignedTo = (statement: Node, name: string): Node | undefined => {
  const assignment = statement.type === "expression_statement" ? itemsOf(statement)[0] : undefined
  return assignment?.type === "assignment" && assignment.childForFieldName("left")?.text === name
    ? (assignment.childForFieldName("right") ?? undefined)
    : undefined
}

const isForbid = (node: Node | undefined): boolean =>
  node !== undefined && (/^["']forbid["']$/.test(node.text) || /(^|\.)forbid$/.test(node.text))
