/** Bash scripts as their comment tags describe them. */
import { basename } from "node:path"
import * as Effect from "effect/Effect"
import { isError, type Problem } from "@wield/core/Problem"
import type { ScriptFunction, EnvironmentVariable } from "../Script.js"
import type { Introspected, Source } from "../syntax/Source.js"
import { parserOf, type Node } from "../syntax/treeSitter.js"
import { hasBody, hasOwnBody, runningOf, type Running } from "./entry.js"
import { unbuild } from "./built.js"
import { outline, type Outline, type Section } from "./outline.js"
import { isParameter, readSection, type ReadSection } from "./section.js"
import type { VariableTag } from "./Tag.js"
import type { BoundVariable } from "./Binding.js"
import { execFile } from "node:child_process"
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

const introspectOutline = (source: Source, script: Outline, running: Running): Introspected => {
  const { file } = source
  const meta = metaOf(script, file)
  const root = readSection(script.root, "main", file, script)
  const problems: Array<Problem> = [...root.problems, ...meta.problems]
  // What is wrong above all commands is wrong for each of them.
  const isWrong = problems.some(isError)
  const functions: Array<ScriptFunction> = []
  const variables: Array<VariableTag> = [...root.variables]
  const inherited = meta.isInherited ? script.root.tags.filter(isParameter).filter(({ tag }) => tag !== "arg") : []
  const complain = (rule: string, message: string, { place }: Section, subject: string | undefined): void => {
    problems.push({ severity: "error", rule, message, file, place, subject })
  }

  const add = (name: string, entry: string, command: string | undefined, section: Section, read: ReadSection): void => {
    if (read.description === "") {
      complain(
        "missing-description",
        section === script.root
          ? "The script has no description; say in a comment what the tool does: `# @describe …`"
          : `${entry} has no description; say after @cmd what the tool does`,
        section,
        entry
      )
    } else if (functions.some((other) => other.name === name)) {
      complain("duplicate-name", `There is a tool ${name} before; rename one of both`, section, entry)
    } else if (!isWrong && !read.problems.some(isError)) {
      functions.push(
        functionOf(name, entry, command, section, read, [...root.variables, ...read.variables], running, script)
      )
    }
  }

  /** What no command has, and so no model gives. */
  const warnOfStray = (): void => {
    for (const tag of script.root.tags.filter(isParameter).filter((one) => !inherited.includes(one))) {
      problems.push({
        severity: "warning",
        rule: "ignored",
        message: `${tag.name} belongs to no command: put it below a @cmd${meta.isInherited ? "" : ", or write `# @meta inherit-flag-options` for all to have it"}`,
        file,
        place: tag.place,
        subject: undefined
      })
    }
  }

  const only = source.kind === "tool" ? toolSection(script, meta.defaultCommand) : undefined
  if (only !== undefined) {
    const isRoot = only === script.root
    const entry = only.functionName ?? "main"
    const read = isRoot ? { ...root, variables: [] } : readSection(only, entry, file, script, inherited)
    if (!isRoot) {
      problems.push(...read.problems)
      warnOfStray()
    }
    variables.push(...read.variables)
    const name = toolName(basename(file).replace(/\.[^.]*$/, ""))
    const tools = script.commands.flatMap(({ functionName }) =>
      functionName === undefined || functionName.startsWith("_") ? [] : `\`${functionName}\``
    )
    if (isRoot && !script.functions.has("main") && tools.length > 0 && !hasOwnBody(running)) {
      complain(
        "missing-function",
        `The file is one tool, and none of its commands (${tools.join(", ")}) is it: write \`# @meta default-subcommand\` below the @cmd that is, or name the file tools.sh for each to be a tool`,
        only,
        "main"
      )
    } else if (isRoot && !script.functions.has("main") && !hasBody(running)) {
      complain(
        "missing-function",
        "There is no function main and nothing else to run; write main() { … }",
        only,
        "main"
      )
    } else {
      add(name, entry, isRoot ? undefined : entry, only, read)
    }
    return {
      functions,
      problems: inOrder(problems),
      requiredTools: meta.requiredTools,
      environment: environmentOf(variables)
    }
  }

  for (const section of script.commands) {
    const entry = section.functionName
    if (entry === undefined) {
      problems.push(...section.problems)
      complain("missing-function", "Expected a function below @cmd, before the next one", section, undefined)
      continue
    }
    if (entry.startsWith("_")) continue
    const read = readSection(section, entry, file, script, inherited)
    problems.push(...read.problems)
    variables.push(...read.variables)
    add(toolName(entry), entry, entry.split("::").join(" "), section, read)
  }
  warnOfStray()
  if (script.commands.length === 0) {
    complain(
      "missing-function",
      "There is no command; write `# @cmd what it does` above each function that is a tool",
      script.root,
      undefined
    )
  }
  return {
    functions,
    problems: inOrder(problems),
    requiredTools: meta.requiredTools,
    environment: environmentOf(variables)
  }
}

/** The script's default command; the script itself; where that takes nothing, a command that is called main. */
const toolSection = ({ commands, root }: Outline, defaultCommand: string | undefined): Section => {
  const named = (name: string): Section | undefined => commands.find(({ functionName }) => functionName === name)
  if (defaultCommand !== undefined) return named(defaultCommand) ?? root
  return root.tags.some((tag) => isParameter(tag)) ? root : (named("main") ?? root)
}

const toolName = (name: string): string => name.replaceAll(/[^A-Za-z0-9_]+/g, "_")

const functionOf = (
  name: string,
  entry: string,
  command: string | undefined,
  { place }: Section,
  { description, parameters: read }: ReadSection,
  variables: ReadonlyArray<VariableTag>,
  running: Running,
  script: Outline
): ScriptFunction => {
  const parameters = read.map(({ parameter }) => parameter)
  const required = parameters.filter(({ isRequired }) => isRequired).map((parameter) => parameter.name)
  return {
    name,
    entry,
    description,
    parameters,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter.schema])),
      ...(required.length === 0 ? {} : { required })
    },
    passing: "named",
    place,
    binding: {
      isWatched: !running.definesOnly && (script.functions.has(entry) || running.mayDefine),
      isPlain: running.isPlain,
      definesOnly: running.definesOnly,
      hasHooks: script.functions.has("_argc_before") || script.functions.has("_argc_after"),
      command,
      parameters: read.map(({ binding }) => binding),
      environment: variables.map(boundVariable)
    }
  }
}

const inOrder = (problems: ReadonlyArray<Problem>): ReadonlyArray<Problem> =>
  [...new Set(problems)].toSorted(
    (one, other) =>
      (one.place?.line ?? 0) - (other.place?.line ?? 0) || (one.place?.column ?? 0) - (other.place?.column ?? 0)
  )

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
const isOwn = (name: string): boolean => /^LLM_(OUTPUT|ROOT_DIR|TOOL_NAME|TOOL_CACHE_DIR)$/.test(name)

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

interface Meta {
  readonly requiredTools: ReadonlyArray<string>
  /** Commands take the script's options, too. */
  readonly isInherited: boolean
  /** What running the script without a command runs. */
  readonly defaultCommand: string | undefined
  readonly problems: ReadonlyArray<Problem>
}

/** What `@meta` says that concerns tools. */
const metaOf = ({ commands, root }: Outline, file: string): Meta => {
  const problems: Array<Problem> = []
  const requiredTools = new Set<string>()
  let isInherited = false
  let defaultCommand: string | undefined
  for (const section of [root, ...commands]) {
    for (const tag of section.tags) {
      if (tag.tag !== "meta") continue
      const problem = (severity: Problem["severity"], rule: string, message: string): void => {
        problems.push({ severity, rule, message, file, place: tag.place, subject: section.functionName })
      }
      switch (tag.name) {
        case "require-tools": {
          const tools = tag.value.split(/[\s,]+/).filter((tool) => tool !== "")
          if (tools.length === 0)
            problem("error", "malformed-tag", "Expected names of programs, as in `# @meta require-tools jq,curl`")
          for (const tool of tools) requiredTools.add(tool)
          break
        }
        case "inherit-flag-options":
          isInherited = true
          break
        case "default-subcommand":
          defaultCommand = section.functionName
          if (section === root) problem("warning", "ignored", "default-subcommand is ignored: it belongs below a @cmd")
          break
        case "dotenv":
          // The folder's .env reaches every script.
          if (!/^(\.\/)?(\.env)?$/.test(tag.value)) {
            problem(
              "warning",
              "ignored",
              `${tag.value} is not read; put its variables into the .env of the folder, or source it`
            )
          }
          break
        default:
          problem("warning", "ignored", `${tag.name} is ignored: it concerns command lines, not tools`)
      }
    }
  }
  return { requiredTools: [...requiredTools], isInherited, defaultCommand, problems }
}

/** The grammar does not know all of Bash: its errors count only if `bash -n`, where it exists, agrees. */
const syntaxErrorOf = (root: Node, { file, text }: Source): Effect.Effect<Problem | undefined> => {
  const found = root.hasError ? firstError(root) : undefined
  if (found === undefined) return Effect.succeed(undefined)
  const what = found.isMissing ? `expected ${JSON.stringify(found.type)}` : `unexpected ${excerptOf(found)}`
  const problem = (message: string, place: Problem["place"]): Problem => ({
    severity: "error",
    rule: "syntax-error",
    message: `${message}; the file is no Bash and cannot be run`,
    file,
    place,
    subject: undefined
  })
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
