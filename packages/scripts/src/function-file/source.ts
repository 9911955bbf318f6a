/** What the source of a function file says: its declarations, and whether `execute` can be called. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Scope from "effect/Scope"
import { type Binding, moduleOf } from "../python/module.js"
import { type NotLiteral, excerptOf } from "../python/notLiteral.js"
import { syntaxErrorOf } from "../python/syntaxErrors.js"
import type { Place, Problem } from "@wield/core/Problem"
import { placeOf } from "../syntax/placeOf.js"
import type { Node, Tree } from "../syntax/treeSitter.js"
import { type Branches, branchesOf } from "./branches.js"
import { constantsOf } from "./constants.js"
import { evaluate } from "./evaluate.js"
import type { Located } from "./Located.js"
import { itemsOf } from "../python/literal.js"

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

export const sourceOf = (
  file: string,
  text: string,
  parse: (text: string) => Effect.Effect<Tree, never, Scope.Scope>
): Effect.Effect<Either.Either<Source, Problem>> =>
  Effect.map(parse(text), ({ rootNode }): Either.Either<Source, Problem> => {
    const syntaxError = syntaxErrorOf(rootNode, file)
    if (syntaxError !== undefined) return Either.left(syntaxError)
    const module = moduleOf(rootNode)
    const constants = constantsOf(rootNode, module)
    const execute = module.bindings.get("execute")
    const declared = (name: Declaration): Declared => {
      const binding = module.bindings.get(name)
      if (binding === undefined) return { _tag: "Absent" }
      const place = placeOfBinding(binding, rootNode)
      const constant = constants.get(name)
      if (constant === undefined) return { _tag: "Unknown", reason: changing(name, binding, place), place }
      return Either.match(evaluate(constant, constants), {
        onLeft: (reason) => ({ _tag: "Unknown", reason, place }) as const,
        onRight: (located) => ({ _tag: "Known", located }) as const
      })
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
  }).pipe(Effect.scoped)

const placeOfBinding = (binding: Binding, root: Node): Place =>
  "node" in binding ? placeOf(binding.node) : placeOf(root)

const changing = (name: Declaration, binding: Binding, place: Place): NotLiteral => ({
  what:
    binding.kind === "value"
      ? `\`${name}\`, which is bound or changed in more than one place`
      : `what is imported or made`,
  place
})

const wanted = "def execute(function_name, arguments, config)"

/** Whether a module has an `execute` that can be called with a function's name, its arguments and a configuration. */
const executeProblems = (file: string, binding: Binding | undefined): ReadonlyArray<Problem> => {
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
      `execute is async, and is not awaited; make it ${wanted}, and call asyncio.run(...) inside`,
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

/** What a call or a name stands for is known only when it runs. */
const returnProblems = (file: string, binding: Binding | undefined): ReadonlyArray<Problem> => {
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
