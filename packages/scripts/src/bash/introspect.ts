/**
 * Bash scripts as their comment tags describe them.
 */
import { basename } from "node:path"
import * as Effect from "effect/Effect"
import { isError, type Problem } from "@wield/core/Problem"
import type { ScriptFunction } from "../Script.js"
import type { Introspected, Source } from "../syntax/Source.js"
import { parserOf } from "../syntax/treeSitter.js"
import { hasBody, hasOwnBody, runningOf, type Running } from "./entry.js"
import { unbuild } from "./built.js"
import { boundVariable, environmentOf } from "./environment.js"
import { metaOf } from "./meta.js"
import { outline, type Outline, type Section } from "./outline.js"
import { isParameter, readSection, type ReadSection } from "./section.js"
import { syntaxErrorOf } from "./syntaxErrors.js"
import type { VariableTag } from "./Tag.js"

/** Loads the grammar; the function it gives reads scripts, and runs nothing of them. */
export const introspectBash: Effect.Effect<(source: Source) => Effect.Effect<Introspected>> = Effect.map(
  parserOf("bash"),
  (parse) => (source) =>
    Effect.scoped(
      Effect.gen(function* () {
        const { rootNode } = yield* parse(unbuild(source.text))
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
