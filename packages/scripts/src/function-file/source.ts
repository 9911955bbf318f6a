/** What the source of a function file says: its declarations, and whether `execute` can be called. */
import { fileError, fileWarning } from "../folder/problem.js"
import * as Either from "effect/Either"
import { type Binding, moduleOf } from "../python/module.js"
import { type NotLiteral, excerptOf } from "../python/notLiteral.js"
import { syntaxErrorOf } from "../python/syntaxErrors.js"
import type { Place, Problem } from "@wield/core/Problem"
import { field, itemsOf, placeOf } from "../syntax/node.js"
import type { Node, Parse } from "../syntax/treeSitter.js"
import { type Branches, branchesOf } from "./branches.js"
import { constantsOf } from "./constants.js"
import { evaluate } from "./evaluate.js"
import type { Located } from "./Located.js"

/** What a file declares of itself. */
export type Declaration = "ENABLED" | "AVAILABLE_FUNCTIONS" | "TOOLS"

/** A declaration: not there, known, or known only when the file runs. */
export type Declared =
  | { readonly _tag: "Absent" }
  | { readonly _tag: "Known"; readonly located: Located }
  | { readonly _tag: "Unknown"; readonly reason: NotLiteral; readonly place: Place }

export interface Source {
  readonly declarations: { readonly [name in Declaration]: Declared }
  /** Of `execute`: errors, with which no function can be called. */
  readonly problems: ReadonlyArray<Problem>
  /** Of `execute`: calls that will fail. */
  readonly warnings: ReadonlyArray<Problem>
  readonly branches: Branches | undefined
}

export const sourceOf = (file: string, text: string, parse: Parse): Either.Either<Source, Problem> => {
  const { rootNode } = parse(text)
  const syntaxError = syntaxErrorOf(rootNode, file)
  if (syntaxError !== undefined) return Either.left(syntaxError)
  const module = moduleOf(rootNode)
  const constants = constantsOf(rootNode, module)
  const execute = module.bindings.get("execute")
  const declared = (name: Declaration): Declared => {
    const binding = module.bindings.get(name)
    if (binding === undefined) return { _tag: "Absent" }
    const place = placeOf("node" in binding ? binding.node : rootNode)
    const constant = constants.get(name)
    if (constant !== undefined) {
      return Either.match(evaluate(constant, constants), {
        onLeft: (reason) => ({ _tag: "Unknown", reason, place }) as const,
        onRight: (located) => ({ _tag: "Known", located }) as const
      })
    }
    const isChanging = binding.kind === "value"
    const what = isChanging
      ? `\`${name}\`, which is bound or changed in more than one place`
      : "what is imported or made"
    return { _tag: "Unknown", reason: { what, place }, place }
  }
  return Either.right({
    declarations: {
      ENABLED: declared("ENABLED"),
      AVAILABLE_FUNCTIONS: declared("AVAILABLE_FUNCTIONS"),
      TOOLS: declared("TOOLS")
    },
    problems: executeProblems(file, execute),
    warnings: returnProblems(file, execute),
    branches: branchesOf(rootNode, execute)
  })
}

const wanted = "def execute(function_name, arguments, config)"

/** Whether a module has an `execute` that can be called with a function's name, its arguments and a configuration. */
const executeProblems = (file: string, binding: Binding | undefined): ReadonlyArray<Problem> => {
  const problem = (rule: string, message: string, place?: Place): ReadonlyArray<Problem> => [
    fileError(file, rule, message, { place, subject: "execute" })
  ]
  if (binding === undefined) {
    const message = `The file has no function execute, so none of its tools can run; add ${wanted}`
    return problem("missing-execute", message)
  }
  // What was imported or made by a call may be anything.
  if (binding.kind === "import" || binding.kind === "value" || binding.kind === "alias") return []
  const place = placeOf(binding.node)
  if (binding.kind === "class") {
    return problem("not-a-function", `execute is a class, and has to be a function: ${wanted}`, place)
  }
  if (binding.node.children.some((child) => child.type === "async")) {
    const message = `execute is async, and is not awaited; make it ${wanted}, and call asyncio.run(...) inside`
    return problem("async-execute", message, place)
  }
  // A decorator may change what is called.
  if (binding.decorators.length > 0) return []
  const { isVariadic, most, required } = arityOf(binding.node)
  if (required <= 5 && (most >= 3 || isVariadic)) return []
  const count = required > 5 ? required : most
  const message = `execute is called with a function's name, its arguments and a configuration, but takes ${count} parameters; make it ${wanted}`
  return problem("execute-parameters", message, place)
}

const arityOf = (node: Node) => {
  let most = 0
  let required = 0
  let isVariadic = false
  for (const parameter of itemsOf(field(node, "parameters"))) {
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

/** What a call or a name stands for is known only when it runs. */
const returnProblems = (file: string, binding: Binding | undefined): ReadonlyArray<Problem> => {
  // A decorator may change what is returned.
  if (binding?.kind !== "function" || binding.decorators.length > 0) return []
  return returnsIn(field(binding.node, "body")).flatMap((node): ReadonlyArray<Problem> => {
    const [value] = itemsOf(node)
    const found = value === undefined ? "nothing" : wrongIn(value)
    if (found === undefined) return []
    const message = `execute returns ${found} here, and has to return a pair: ("what the model reads", True), with False where it did not work`
    return [fileWarning(file, "execute-result", message, { place: placeOf(node), subject: "execute" })]
  })
}

const returnsIn = (node: Node | undefined): ReadonlyArray<Node> =>
  itemsOf(node).flatMap((child) => {
    if (child.type === "return_statement") return [child]
    // What is returned there is not returned by execute.
    return ["function_definition", "class_definition", "lambda"].includes(child.type) ? [] : returnsIn(child)
  })

const wrongIn = (value: Node): string | undefined => {
  if (isText(value)) return `the text \`${excerptOf(value)}\` alone`
  switch (value.type) {
    case "parenthesized_expression": {
      const [only] = itemsOf(value)
      return only && wrongIn(only)
    }
    case "tuple":
    case "expression_list":
      return wrongPair(value)
    case "none":
      return "None"
    case "binary_operator":
      return isText(field(value, "left")) ? `the text \`${excerptOf(value)}\` alone` : undefined
    default:
      return alone.has(value.type) ? `\`${excerptOf(value)}\`` : undefined
  }
}

const wrongPair = (pair: Node): string | undefined => {
  const items = itemsOf(pair)
  if (items.some(({ type }) => type === "list_splat")) return undefined
  const [text, success] = items
  if (text === undefined || success === undefined || items.length !== 2) return `a tuple of ${items.length}`
  return ["true", "false"].includes(text.type) || isText(success) ? "the two the other way round" : undefined
}

const isText = (node: Node | undefined): boolean => node?.type === "string" || node?.type === "concatenated_string"

const alone: ReadonlySet<string> = new Set(
  "dictionary dictionary_comprehension false float integer list list_comprehension true".split(" ")
)
