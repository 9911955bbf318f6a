/**
 * Whether a module has an `execute` that can be called with a function's name,
 * its arguments and a configuration.
 */
import type { Binding } from "../python/module.js"
import type { Place, Problem } from "@wield/core/Problem"
import { placeOf } from "../syntax/placeOf.js"
import type { Node } from "../syntax/treeSitter.js"
import { itemsOf } from "../python/literal.js"

const wanted = "def execute(function_name, arguments, config)"

export const executeProblems = (file: string, binding: Binding | undefined): ReadonlyArray<Problem> => {
  const problem = (rule: string, message: string, place: Place | undefined): ReadonlyArray<Problem> => [
    { severity: "error", rule, message, file, place, subject: "execute" }
  ]
  if (binding === undefined) {
    return problem(
      "missing-execute",
      `The file has no function execute, so none of its tools can run; add ${wanted}`,
      undefined
    )
  }
  // What was imported or made by a call may be anything.
  if (binding.kind === "import" || binding.kind === "value" || binding.kind === "alias") return []
  const place = placeOf(binding.node)
  if (binding.kind === "class") {
    return problem("not-a-function", `execute is a class, and has to be a function: ${wanted}`, place)
  }
  if (binding.node.children.some((child) => child.type === "async")) {
    return problem(
      "async-execute",
      `execute is async, and nobody would await it; make it ${wanted}, and call asyncio.run(...) inside`,
      place
    )
  }
  // A decorator may change what is called.
  if (binding.decorators.length > 0) return []
  const { isVariadic, most, required } = arityOf(binding.node)
  if (required > 5 || (most < 3 && !isVariadic)) {
    const count = required > 5 ? `${required}` : `${most}`
    return problem(
      "execute-parameters",
      `execute is called with a function's name, its arguments and a configuration, but takes ${count} parameters; make it ${wanted}`,
      place
    )
  }
  return []
}

const arityOf = (node: Node) => {
  let most = 0
  let required = 0
  let isVariadic = false
  for (const parameter of itemsOf(node.childForFieldName("parameters") ?? node)) {
    // What follows a star is given by name only.
    if (parameter.type === "keyword_separator") break
    if (isStarred(parameter)) {
      isVariadic = true
      break
    }
    if (parameter.type === "positional_separator" || parameter.type === "dictionary_splat_pattern") continue
    most++
    if (parameter.type === "identifier" || parameter.type === "typed_parameter") required++
  }
  return { most, required, isVariadic }
}

const isStarred = (parameter: Node): boolean =>
  parameter.type === "list_splat_pattern" ||
  (parameter.type === "typed_parameter" && parameter.namedChildren[0]?.type === "list_splat_pattern")
