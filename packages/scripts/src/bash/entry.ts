/** What a script does when it is run, beside defining functions. */
import type { Node } from "../syntax/treeSitter.js"

export interface Running {
  /** It has the line that evaluates argc: `eval "$(argc --argc-eval "$0" "$@")"`. */
  readonly evaluatesArgc: boolean
  /** Names of commands that it runs itself, as written. */
  readonly commands: ReadonlySet<string>
  /** It runs something that could define functions: a file that it sources, or what it evaluates. */
  readonly mayDefine: boolean
  /** It does nothing else that could change variables of arguments, or define functions. */
  readonly isPlain: boolean
  /** It does nothing else at all than to set options: it can be read before it is called. */
  readonly definesOnly: boolean
}

const harmless = new Set("argc cd dirname pwd set shopt trap umask".split(" "))

export const runningOf = (root: Node): Running => {
  const commands = new Set<string>()
  let evaluatesArgc = false
  let isPlain = true
  let mayDefine = false
  const visit = (node: Node, isEvaluated: boolean): void => {
    if (node.type === "function_definition") return
    const name = node.type === "command" ? (node.childForFieldName("name")?.text ?? "") : undefined
    if (name !== undefined) {
      commands.add(name)
      if (!isArgcLine(node) && !harmless.has(name)) isPlain = false
      if (!isArgcLine(node) && !isKnown(name)) mayDefine = true
    }
    if (node.type === "declaration_command" || node.type === "unset_command") isPlain = false
    if (node.namedChildCount === 0 && node.text.startsWith("argc_")) isPlain = false
    if (name === "argc" && isEvaluated) evaluatesArgc = true
    for (const child of node.namedChildren) {
      if (child !== null) visit(child, isEvaluated || name === "eval")
    }
  }
  visit(root, false)
  return { commands, evaluatesArgc, mayDefine, isPlain, definesOnly: definesOnly(root) }
}

// By any other name, a command is a program or one of the script's functions.
const isKnown = (name: string): boolean => /^[\w./-]+$/.test(name) && !/^(\.|source|eval|builtin|command)$/.test(name)

const isArgcLine = (node: Node): boolean => node.type === "command" && /^eval "\$\(argc [^()]*\)"$/.test(node.text)

/** What the program that serves calls needs while a script's functions are there already. */
const needed = new Set(
  (
    "[ argc builtin case declare eval exec exit export for if kill local mapfile mkfifo mktemp printf read return rm set " +
    "shift test then trap unset wait while"
  ).split(" ")
)

const definesOnly = (root: Node): boolean => {
  const statements = root.namedChildren.flatMap((node) => (node === null || node.type === "comment" ? [] : [node]))
  return statements.every((node, at) => {
    if (node.type === "function_definition") return !needed.has(node.childForFieldName("name")?.text ?? "")
    if (isArgcLine(node)) return at === statements.length - 1
    return node.type === "command" && /^set(\s+(-[eEu]*o?|errexit|errtrace|nounset|pipefail))+$/.test(node.text)
  })
}

const preparing = new Set("set shopt export declare readonly source . trap umask unset cd".split(" "))

/** Whether it does something beside evaluating argc, which calls a function. */
export const hasOwnBody = ({ commands }: Running): boolean =>
  [...commands].some((name) => !preparing.has(name) && name !== "eval" && name !== "argc")

/** Whether the script does something by itself that could be the tool. */
export const hasBody = (running: Running): boolean =>
  running.evaluatesArgc || [...running.commands].some((name) => !preparing.has(name))
