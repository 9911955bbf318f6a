/**
 * What `execute` returns that is certainly no pair of a text and whether it
 * worked: a call that comes there fails.
 */
import { itemsOf } from "../python/literal.js"
import type { Binding } from "../python/module.js"
import type { Problem } from "@wield/core/Problem"
import { excerptOf } from "../python/notLiteral.js"
import { placeOf } from "../syntax/placeOf.js"
import type { Node } from "../syntax/treeSitter.js"

/** What a call or a name stands for is known only when it runs. */
export const returnProblems = (file: string, binding: Binding | undefined): ReadonlyArray<Problem> => {
  // A decorator may change what is returned.
  if (binding?.kind !== "function" || binding.decorators.length > 0) return []
  const body = binding.node.childForFieldName("body")
  return (body === null ? [] : returnsIn(body)).flatMap((node): ReadonlyArray<Problem> => {
    const [value] = itemsOf(node)
    const found = value === undefined ? "nothing" : wrongIn(value)
    if (found === undefined) return []
    const message = `execute returns ${found} here, and has to return a pair: ("what the model reads", True), with False where it did not work`
    return [{ severity: "warning", rule: "execute-result", message, file, place: placeOf(node), subject: "execute" }]
  })
}

const returnsIn = (node: Node): ReadonlyArray<Node> =>
  node.namedChildren.flatMap((child) => {
    if (child.type === "return_statement") return [child]
    // What is returned there is not returned by execute.
    return ["function_definition", "class_definition", "lambda"].includes(child.type) ? [] : returnsIn(child)
  })

const wrongIn = (value: Node): string | undefined => {
  switch (value.type) {
    case "parenthesized_expression": {
      const [only] = itemsOf(value)
      return only === undefined ? undefined : wrongIn(only)
    }
    case "tuple":
    case "expression_list":
      return wrongPair(value)
    case "none":
      return "None"
    case "binary_operator": {
      const left = value.childForFieldName("left")
      return left !== null && isText(left) ? `the text \`${excerptOf(value)}\` alone` : undefined
    }
    default: {
      if (isText(value)) return `the text \`${excerptOf(value)}\` alone`
      return alone.has(value.type) ? `\`${excerptOf(value)}\`` : undefined
    }
  }
}

const wrongPair = (pair: Node): string | undefined => {
  const items = itemsOf(pair)
  if (items.some(({ type }) => type === "list_splat")) return undefined
  const [text, success] = items
  if (text === undefined || success === undefined || items.length !== 2) return `a tuple of ${items.length}`
  return ["true", "false"].includes(text.type) || isText(success) ? "the two the other way round" : undefined
}

const isText = ({ type }: Node): boolean => type === "string" || type === "concatenated_string"

const alone: ReadonlySet<string> = new Set([
  "dictionary",
  "dictionary_comprehension",
  "false",
  "float",
  "integer",
  "list",
  "list_comprehension",
  "true"
])
