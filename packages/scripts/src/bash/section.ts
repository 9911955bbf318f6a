/**
 * What the tags of a section come to: a function's description and parameters.
 */
import type { Problem } from "../Problem.js"
import type { Outline, Section } from "./outline.js"
import { parameterName, parameterOf, type ReadParameter } from "./parameter.js"
import type { ParameterTag, VariableTag } from "./Tag.js"

export interface ReadSection {
  readonly description: string
  readonly parameters: ReadonlyArray<ReadParameter>
  readonly variables: ReadonlyArray<VariableTag>
  readonly problems: ReadonlyArray<Problem>
}

/** `argc__fn` is the function that is called, the others are its words. */
const reserved: ReadonlySet<string> = new Set(["_fn", "_args", "_positionals"])

/** `inherited` are options of the script that a command has, too, unless it declares its own. */
export const readSection = (
  section: Section,
  subject: string,
  file: string,
  { functions }: Outline,
  inherited: ReadonlyArray<ParameterTag> = []
): ReadSection => {
  const problems = [...section.problems]
  const tags = section.tags.filter(isParameter)
  const own = new Set(tags.map(parameterName))
  const seen = new Set<string>()
  const parameters: Array<ReadParameter> = []
  for (const tag of [...inherited.filter((tag) => !own.has(parameterName(tag))), ...tags]) {
    const name = parameterName(tag)
    const problem = (severity: Problem["severity"], rule: string, message: string): void => {
      problems.push({ severity, rule, message, file, place: tag.place, subject: `${subject}.${name}` })
    }
    if (seen.has(name)) {
      problem("error", "duplicate-parameter", `${name} is declared before; argc_${name} can hold only one of both`)
      continue
    }
    seen.add(name)
    if (reserved.has(name)) {
      problem("error", "reserved-parameter", `argc_${name} is a variable that argc itself sets; name it otherwise`)
      continue
    }
    const read = parameterOf(tag)
    for (const { message, rule } of read.mistakes) problem("error", rule, message)
    const { choicesFunction, defaultFunction } = read.binding
    for (const asked of [choicesFunction, defaultFunction]) {
      if (asked !== undefined && !functions.has(asked)) {
        problem(
          "warning",
          "unknown-function",
          `The script has no function ${asked}; unless it sources one, every call that needs it fails`
        )
      }
    }
    if (read.binding.variable !== undefined && read.binding.kind === "list" && tag.tag === "arg") {
      problem("warning", "ignored", `$${read.binding.variable.name} is in argc_${name} only, not among "$@"`)
    }
    parameters.push(read)
  }
  const texts = section.tags.flatMap((tag) => (tag.tag === "describe" || tag.tag === "cmd" ? [tag.text] : []))
  return {
    description: texts.find((text) => text !== "") ?? "",
    parameters,
    variables: section.tags.flatMap((tag) => (tag.tag === "env" ? [tag] : [])),
    problems
  }
}

export const isParameter = (tag: Section["tags"][number]): tag is ParameterTag =>
  tag.tag === "option" || tag.tag === "flag" || tag.tag === "arg"
