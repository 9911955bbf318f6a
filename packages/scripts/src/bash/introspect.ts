/** Bash scripts as their comment tags describe them. */
import { basename } from "node:path"
import * as Effect from "effect/Effect"
import type { Problem } from "@wield/core/Problem"
import { execFile } from "node:child_process"
import { fileError } from "../folder/problem.js"
import type { ScriptFunction, EnvironmentVariable } from "../Script.js"
import { inputSchemaOf, type Introspected, type Source } from "../syntax/Source.js"
import { parserOf, type Node } from "../syntax/treeSitter.js"
import { unbuild } from "./built.js"
import { outline, type Outline, type Section } from "./outline.js"
import { isParameter, readSection, type ReadSection } from "./section.js"
import type { VariableTag } from "./Tag.js"
import type { BoundVariable } from "./Binding.js"
import { placeOf } from "../syntax/node.js"

/** Loads the grammar; the function it gives reads scripts, and runs nothing of them. */
export const introspectBash: Effect.Effect<(source: Source) => Effect.Effect<Introspected>> = Effect.map(
  parserOf("bash"),
  (parser) => (source) =>
    Effect.scoped(
      Effect.gen(function* () {
        const parse = yield* parser
        const { rootNode } = parse(unbuild(source.text))
        const syntaxError = yield* syntaxErrorOf(rootNode, source)
        if (syntaxError !== undefined) {
          return { functions: [], problems: [syntaxError], requiredTools: [], environment: [] }
        }
        return introspectOutline(source, outline(rootNode, source.file), runningOf(rootNode))
      })
    )
)

const introspectOutline = ({ file, kind }: Source, script: Outline, running: Running): Introspected => {
  const { commands, root } = script
  // The file's: what is wrong with a command is added when it is read.
  const { report } = root
  const above = readSection(root, "main", script)
  const meta = metaOf(script)
  // What is wrong above all commands is wrong for each of them.
  const isWrong = report.hasError
  const functions: Array<ScriptFunction> = []
  const variables: Array<VariableTag> = [...above.variables]
  const inherited = meta.isInherited ? root.tags.filter(isParameter).filter(({ tag }) => tag !== "arg") : []

  const add = (name: string, entry: string, command: string | undefined, section: Section, read: ReadSection): void => {
    const at = { place: section.place, subject: entry }
    if (read.description === "") {
      const message =
        section === root
          ? "The script has no description; say in a comment what the tool does: `# @describe …`"
          : `${entry} has no description; say after @cmd what the tool does`
      report.error("missing-description", message, at)
    } else if (functions.some((other) => other.name === name)) {
      report.error("duplicate-name", `There is a tool ${name} before; rename one of both`, at)
    } else if (!isWrong && !section.report.hasError) {
      const parameters = read.parameters.map(({ parameter }) => parameter)
      const all = section === root ? above.variables : [...above.variables, ...read.variables]
      functions.push({
        name,
        entry,
        description: read.description,
        parameters,
        inputSchema: inputSchemaOf(parameters),
        passing: "named",
        place: section.place,
        binding: {
          isWatched: !running.definesOnly && (script.functions.has(entry) || running.mayDefine),
          isPlain: running.isPlain,
          definesOnly: running.definesOnly,
          hasHooks: script.functions.has("_argc_before") || script.functions.has("_argc_after"),
          command,
          parameters: read.parameters.map(({ binding }) => binding),
          environment: all.map(boundVariable)
        }
      })
    }
  }

  const addCommand = (name: string, entry: string, command: string, section: Section): void => {
    const read = readSection(section, entry, script, inherited)
    report.add(...section.report.problems)
    variables.push(...read.variables)
    add(name, entry, command, section, read)
  }

  const only = kind === "tool" ? toolSection(script, meta.defaultCommand) : undefined
  const name = toolName(basename(file).replace(/\.[^.]*$/, ""))
  if (only === root) {
    const message = script.functions.has("main") ? undefined : nothingToRun(script, running)
    if (message === undefined) add(name, "main", undefined, root, above)
    else report.error("missing-function", message, { place: root.place, subject: "main" })
  } else if (only !== undefined) {
    const entry = only.functionName ?? "main"
    addCommand(name, entry, entry, only)
  } else {
    for (const section of commands) {
      const entry = section.functionName
      if (entry === undefined) {
        report.add(...section.report.problems)
        report.error("missing-function", "Expected a function below @cmd, before the next one", section)
      } else if (!entry.startsWith("_")) addCommand(toolName(entry), entry, entry.split("::").join(" "), section)
    }
    if (commands.length === 0) {
      const message = "There is no command; write `# @cmd what it does` above each function that is a tool"
      report.error("missing-function", message, { place: root.place })
    }
  }
  // What no command has, and so no model gives.
  const stray = only === root ? [] : root.tags.filter(isParameter).filter((one) => !inherited.includes(one))
  for (const tag of stray) {
    const advice = meta.isInherited ? "" : ", or write `# @meta inherit-flag-options` for all to have it"
    report.warning("ignored", `${tag.name} belongs to no command: put it below a @cmd${advice}`, { place: tag.place })
  }
  return {
    functions,
    problems: report.inOrder,
    requiredTools: meta.requiredTools,
    environment: environmentOf(variables)
  }
}

/** Why a script without a function `main` is no tool; nothing where it does something by itself. */
const nothingToRun = ({ commands }: Outline, running: Running): string | undefined => {
  const tools = commands.flatMap(({ functionName }) =>
    functionName === undefined || functionName.startsWith("_") ? [] : `\`${functionName}\``
  )
  if (tools.length > 0 && !hasOwnBody(running)) {
    return `The file is one tool, and none of its commands (${tools.join(", ")}) is it: write \`# @meta default-subcommand\` below the @cmd that is, or name the file tools.sh for each to be a tool`
  }
  return hasBody(running) ? undefined : "There is no function main and nothing else to run; write main() { … }"
}

/** The script's default command; the script itself; where that takes nothing, a command that is called main. */
const toolSection = ({ commands, root }: Outline, defaultCommand: string | undefined): Section => {
  const named = (name: string): Section | undefined => commands.find(({ functionName }) => functionName === name)
  if (defaultCommand !== undefined) return named(defaultCommand) ?? root
  return root.tags.some((tag) => isParameter(tag)) ? root : (named("main") ?? root)
}

const toolName = (name: string): string => name.replaceAll(/[^A-Za-z0-9_]+/g, "_")

/** Environment variables that a script declares. */
const boundVariable = ({ choices, default: initial, isRequired, name }: VariableTag): BoundVariable => ({
  name,
  isRequired,
  default: initial?.type === "value" ? initial.value : undefined,
  defaultFunction: initial?.type === "function" ? initial.name : undefined,
  choices: choices?.type === "values" ? choices.values : undefined,
  choicesFunction: choices?.type === "function" && choices.isValidated ? choices.name : undefined
})

// Scripts declare it as `LLM_OUTPUT=/dev/stdout`, to be run by hand, too: Wield sets these itself.
const isOwn = (name: string): boolean => /^LLM_(OUTPUT|ROOT_DIR|TOOL_NAME|TOOL_CACHE_DIR|PROMPT_UTILS_FILE)$/.test(name)

/** What the environment has to have, each variable once: required where one section requires it. */
const environmentOf = (tags: ReadonlyArray<VariableTag>): ReadonlyArray<EnvironmentVariable> => {
  const variables = new Map<string, EnvironmentVariable>()
  for (const tag of tags) {
    if (isOwn(tag.name)) continue
    const { choices, default: initial, defaultFunction, isRequired, name } = boundVariable(tag)
    const before = variables.get(name)
    variables.set(name, {
      name,
      description: before?.description ?? (tag.description === "" ? undefined : tag.description),
      isRequired:
        (before?.isRequired ?? false) || (isRequired && initial === undefined && defaultFunction === undefined),
      default: before?.default ?? initial,
      choices: before === undefined ? choices : before.choices,
      place: before?.place ?? tag.place
    })
  }
  return [...variables.values()]
}

/** What `@meta` says that concerns tools. */
const metaOf = ({ commands, root }: Outline) => {
  const { report } = root
  const requiredTools = new Set<string>()
  /** Commands take the script's options, too. */
  let isInherited = false
  /** What running the script without a command runs. */
  let defaultCommand: string | undefined
  for (const section of [root, ...commands]) {
    for (const tag of section.tags) {
      if (tag.tag !== "meta") continue
      const at = { place: tag.place, subject: section.functionName }
      switch (tag.name) {
        case "require-tools": {
          const tools = tag.value.split(/[\s,]+/).filter((tool) => tool !== "")
          const message = "Expected names of programs, as in `# @meta require-tools jq,curl`"
          if (tools.length === 0) report.error("malformed-tag", message, at)
          for (const tool of tools) requiredTools.add(tool)
          break
        }
        case "inherit-flag-options":
          isInherited = true
          break
        case "default-subcommand":
          defaultCommand = section.functionName
          if (section !== root) break
          report.warning("ignored", "default-subcommand is ignored: it belongs below a @cmd", at)
          break
        case "dotenv": {
          // The folder's .env reaches every script.
          if (/^(\.\/)?(\.env)?$/.test(tag.value)) break
          const advice = "put its variables into the .env of the folder, or source it"
          report.warning("ignored", `${tag.value} is not read; ${advice}`, at)
          break
        }
        default:
          report.warning("ignored", `${tag.name} is ignored: it concerns command lines, not tools`, at)
      }
    }
  }
  return { requiredTools: [...requiredTools], isInherited, defaultCommand }
}

/** The grammar does not know all of Bash: its errors count only if `bash -n`, where it exists, agrees. */
const syntaxErrorOf = (root: Node, { file, text }: Source): Effect.Effect<Problem | undefined> => {
  const found = root.hasError ? firstError(root) : undefined
  if (found === undefined) return Effect.succeed(undefined)
  const what = found.isMissing ? `expected ${JSON.stringify(found.type)}` : `unexpected ${excerptOf(found)}`
  const problem = (message: string, place: Problem["place"]): Problem =>
    fileError(file, "syntax-error", `${message}; the file is no Bash and cannot be run`, { place })
  return Effect.map(checkWithBash(text), (said) => {
    if (said === "correct") return undefined
    const place = placeOf(found)
    const [, line, message] = /line (\d+): (.*)/.exec(said) ?? []
    if (line === undefined || message === undefined) return problem(capital(what), place)
    // Bash tells the line, the grammar the column, where both mean the same.
    return problem(capital(message), Number(line) === place.line ? place : { line: Number(line), column: 1 })
  })
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const excerptOf = (node: Node): string => `\`${(/^[^\n]{0,40}/.exec(node.text)?.[0] ?? "").trim()}\``

const firstError = (node: Node): Node | undefined => {
  if (node.isError || node.isMissing) return node
  for (const child of node.children) {
    const found = child?.hasError === true || child?.isMissing === true ? firstError(child) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

/** `correct`, or what Bash says. Patterns that scripts allow themselves by `shopt` are allowed. */
const checkWithBash = (text: string): Effect.Effect<string> =>
  Effect.async<string>((resume) => {
    const child = execFile(
      "bash",
      ["--noprofile", "--norc", "-O", "extglob", "-n"],
      { env: { PATH: process.env["PATH"], LC_ALL: "C" }, timeout: 10_000 },
      (error, _, standardError) => resume(Effect.succeed(error === null ? "correct" : standardError))
    )
    // Bash stops reading where it has had enough.
    child.stdin?.on("error", () => undefined)
    child.stdin?.end(text)
    return Effect.sync(() => child.kill())
  })

interface Running {
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

const runningOf = (root: Node): Running => {
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
const hasOwnBody = ({ commands }: Running): boolean =>
  [...commands].some((name) => !preparing.has(name) && name !== "eval" && name !== "argc")

/** Whether the script does something by itself that could be the tool. */
const hasBody = (running: Running): boolean =>
  running.evaluatesArgc || [...running.commands].some((name) => !preparing.has(name))
