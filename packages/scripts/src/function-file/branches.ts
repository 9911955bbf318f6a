/** Which functions `execute` has branches for, as far as its source says it. */
import type { Binding } from "../python/module.js"
import type { Place } from "@wield/core/Problem"
import { field, itemsOf, placeOf } from "../syntax/node.js"
import type { Node } from "../syntax/treeSitter.js"
import type { FunctionTool } from "../FunctionFile.js"
import type { Report } from "../folder/problem.js"

export interface Branches {
  /** Of `execute`. */
  readonly place: Place
  /** The texts that it compares its first parameter with. */
  readonly compared: ReadonlySet<string>
  /** All texts of the file outside of its declarations: a table of functions may stand anywhere. */
  readonly texts: ReadonlySet<string>
}

/** `undefined` where `execute` decides in another way, or may answer to functions that it does not name. */
export const branchesOf = (root: Node, binding: Binding | undefined): Branches | undefined => {
  if (binding?.kind !== "function") return undefined
  const [first] = itemsOf(field(binding.node, "parameters"))
  const parameter = first?.type === "typed_parameter" ? first.namedChildren[0]?.text : first?.text
  const compared = new Set(
    binding.node
      .descendantsOfType("comparison_operator")
      .filter((node) => node.namedChildren.some((child) => child.text === parameter))
      .flatMap(textsIn)
  )
  if (compared.size === 0 || parameter === undefined || mayAnswerOthers(binding.node, parameter)) return undefined
  const texts = new Set(root.namedChildren.filter((node) => !isDeclaration(node)).flatMap(textsIn))
  return { place: placeOf(binding.node), compared, texts }
}

export const reportBranches = (
  branches: Branches | undefined,
  tools: ReadonlyArray<FunctionTool>,
  report: Report
): void => {
  if (branches === undefined) return
  const has = [...branches.compared].map((text) => JSON.stringify(text)).join(", ")
  for (const { name } of tools) {
    if (branches.texts.has(name)) continue
    const message = `execute has no branch for the function ${JSON.stringify(name)}, only for ${has}; compare function_name with each name of TOOLS`
    report.warning("no-branch", message, branches, name)
  }
}

const isDeclaration = (node: Node): boolean => /^(?:TOOLS|AVAILABLE_FUNCTIONS)\b/.test(node.text)

const textsIn = (node: Node): ReadonlyArray<string> => node.descendantsOfType("string_content").map(({ text }) => text)

/** Whether a `return` outside of the branches of named functions may be a success. */
const mayAnswerOthers = (execute: Node, parameter: string): boolean =>
  itemsOf(field(execute, "body")).some((statement) =>
    remainingIn(statement, parameter).some((node) => !isFailure(itemsOf(node)[0]))
  )

const remainingIn = (node: Node, parameter: string): ReadonlyArray<Node> => {
  if (node.type === "return_statement") return [node]
  // What is returned there is not returned by execute.
  if (["function_definition", "class_definition", "lambda"].includes(node.type)) return []
  const isBranch = ["if_statement", "elif_clause"].includes(node.type)
  const isNamed = isBranch && isOfNamed(field(node, "condition"), parameter)
  const named = isNamed ? field(node, "consequence") : undefined
  return node.namedChildren.filter(({ id }) => id !== named?.id).flatMap((child) => remainingIn(child, parameter))
}

/** Whether a condition holds only where the parameter is one of some texts. */
const isOfNamed = (condition: Node | undefined, parameter: string): boolean => {
  switch (condition?.type) {
    case "parenthesized_expression":
      return itemsOf(condition).some((inner) => isOfNamed(inner, parameter))
    case "boolean_operator": {
      const sides = ["left", "right"].map((side) => isOfNamed(field(condition, side), parameter))
      return field(condition, "operator")?.text === "and" ? sides.includes(true) : !sides.includes(false)
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
