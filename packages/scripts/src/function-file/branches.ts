/**
 * Which functions `execute` has branches for, as far as its source says it.
 */
import { itemsOf } from "../python/literal.js"
import type { Binding } from "../python/module.js"
import type { Place } from "@wield/core/Problem"
import { placeOf } from "../syntax/placeOf.js"
import type { Node } from "../syntax/treeSitter.js"
import type { FunctionTool } from "../FunctionFile.js"
import { mayAnswerOthers } from "./remaining.js"
import type { Report } from "./report.js"

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
  const [first] = itemsOf(binding.node.childForFieldName("parameters") ?? binding.node)
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
    report.warning(
      "no-branch",
      `execute has no branch for the function ${JSON.stringify(name)}, only for ${has}; compare function_name with each name of TOOLS`,
      branches,
      name
    )
  }
}

const isDeclaration = (node: Node): boolean => /^(?:TOOLS|AVAILABLE_FUNCTIONS)\b/.test(node.text)

const textsIn = (node: Node): ReadonlyArray<string> => node.descendantsOfType("string_content").map(({ text }) => text)
