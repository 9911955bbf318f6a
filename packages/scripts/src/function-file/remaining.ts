/**
 * What `execute` answers to a function that it compares its first parameter
 * with nowhere: such as `return double(arguments), True` at its end.
 */
import { itemsOf } from "../python/literal.js"
import type { Node } from "../syntax/treeSitter.js"

/**
 * Whether some `return` that is not within the branch of a named function may be
 * a success. What is not certainly a failure may be one.
 */
export const mayAnswerOthers = (execute: Node, parameter: string): boolean => {
  const body = execute.childForFieldName("body")
  return body !== null && remainingIn(body, parameter).some((node) => !isFailure(itemsOf(node)[0]))
}

const remainingIn = (node: Node, parameter: string): ReadonlyArray<Node> => {
  if (node.type === "return_statement") return [node]
  // What is returned there is not returned by execute.
  if (["function_definition", "class_definition", "lambda"].includes(node.type)) return []
  const condition = node.childForFieldName("condition")
  const isBranch = ["if_statement", "elif_clause"].includes(node.type) && condition !== null
  const named = isBranch && isOfNamed(condition, parameter) ? node.childForFieldName("consequence") : null
  return node.namedChildren.filter(({ id }) => id !== named?.id).flatMap((child) => remainingIn(child, parameter))
}

/** Whether a condition holds only where the parameter is one of some texts. */
const isOfNamed = (condition: Node, parameter: string): boolean => {
  switch (condition.type) {
    case "parenthesized_expression":
      return itemsOf(condition).some((inner) => isOfNamed(inner, parameter))
    case "boolean_operator": {
      const sides = [condition.childForFieldName("left"), condition.childForFieldName("right")].map(
        (side) => side !== null && isOfNamed(side, parameter)
      )
      return condition.childForFieldName("operator")?.text === "and" ? sides.includes(true) : !sides.includes(false)
    }
    case "comparison_operator": {
      const operators = condition.childrenForFieldName("operators").map((operator) => operator?.text)
      return (
        operators.length === 1 &&
        ["==", "in"].includes(operators[0] ?? "") &&
        condition.namedChildren.some(({ text }) => text === parameter)
      )
    }
    default:
      return false
  }
}

/** No answer, no pair, `False` beside it, or a text that says that there is no such function. */
const isFailure = (value: Node | undefined): boolean => {
  switch (value?.type) {
    case undefined:
    case "none":
    case "string":
    case "concatenated_string":
      return true
    case "parenthesized_expression":
      return isFailure(itemsOf(value)[0])
    case "tuple":
    case "expression_list": {
      const [text, success] = itemsOf(value)
      return success?.type === "false" || (text?.type.endsWith("string") === true && isRefusal.test(text.text))
    }
    default:
      return false
  }
}

const isRefusal = /\b(?:unknown|unsupported|unrecogni[sz]ed|no such|not (?:found|supported|implemented))\b/i
