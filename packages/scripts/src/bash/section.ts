/** What the tags of a section come to: a function's description and parameters. */
import type { Problem } from "@wield/core/Problem"
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
  const words = new Map<string, ParameterTag>()
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
    // An inherited option may share a short name with one of the command's own.
    const names = tags.includes(tag) ? [tag.word, tag.short].filter((word) => word !== undefined) : []
    const taken = names.find((word) => words.has(word))
    if (taken !== undefined) {
      const other = words.get(taken)
      problem(
        "error",
        "duplicate-parameter",
        `${taken} is the name of ${other?.word ?? "another parameter"} before; take another one`
      )
      continue
    }
    for (const word of names) words.set(word, tag)
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
    parameters.push(read)
  }
  const texts = section.tags.flatMap((tag) =>
    (tag.tag === "describe" || tag.tag === "cmd") && tag.text !== "" ? [tag] : []
  )
  const [last, ...before] = texts.toReversed()
  for (const { place } of before) {
    const message = "There is another description below, which is the one that counts"
    problems.push({ severity: "warning", rule: "ignored", message, file, place, subject })
  }
  return {
    description: last?.text ?? "",
    parameters,
    variables: section.tags.flatMap((tag) => (tag.tag === "env" ? [tag] : [])),
    problems
  }
}

export const isParameter = (tag: Section["tags"][number]): tag is ParameterTag =>
  tag.tag === "option" || tag.tag === "flag" || tag.tag === "arg"
