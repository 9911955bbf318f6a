/** What the tags of a section come to: a function's description and parameters. */
import type { Outline, Section } from "./outline.js"
import { parameterName, parameterOf, type ReadParameter } from "./parameter.js"
import type { ParameterTag, VariableTag } from "./Tag.js"

export interface ReadSection {
  readonly description: string
  readonly parameters: ReadonlyArray<ReadParameter>
  readonly variables: ReadonlyArray<VariableTag>
}

/** `argc__fn` is the function that is called, the others are its words. */
const reserved: ReadonlySet<string> = new Set(["_fn", "_args", "_positionals"])

/** `inherited` are options of the script that a command has, too, unless it declares its own. */
export const readSection = (
  section: Section,
  subject: string,
  { functions }: Outline,
  inherited: ReadonlyArray<ParameterTag> = []
): ReadSection => {
  const { report } = section
  const tags = section.tags.filter(isParameter)
  const own = new Set(tags.map(parameterName))
  const seen = new Set<string>()
  const words = new Map<string, ParameterTag>()
  const parameters: Array<ReadParameter> = []
  for (const tag of [...inherited.filter((tag) => !own.has(parameterName(tag))), ...tags]) {
    const name = parameterName(tag)
    const at = { place: tag.place, subject: `${subject}.${name}` }
    if (seen.has(name)) {
      const message = `${name} is declared before; argc_${name} can hold only one of both`
      report.error("duplicate-parameter", message, at)
      continue
    }
    seen.add(name)
    if (reserved.has(name)) {
      report.error("reserved-parameter", `argc_${name} is a variable that argc itself sets; name it otherwise`, at)
      continue
    }
    // An inherited option may share a short name with one of the command's own.
    const names = tags.includes(tag) ? [tag.word, tag.short].filter((word) => word !== undefined) : []
    const taken = names.find((word) => words.has(word))
    if (taken !== undefined) {
      const other = words.get(taken)?.word ?? "another parameter"
      report.error("duplicate-parameter", `${taken} is the name of ${other} before; take another one`, at)
      continue
    }
    for (const word of names) words.set(word, tag)
    const read = parameterOf(tag)
    for (const { message, rule } of read.mistakes) report.error(rule, message, at)
    const { choicesFunction, defaultFunction } = read.binding
    for (const asked of [choicesFunction, defaultFunction]) {
      if (asked === undefined || functions.has(asked)) continue
      const message = `The script has no function ${asked}; unless it sources one, every call that needs it fails`
      report.warning("unknown-function", message, at)
    }
    parameters.push(read)
  }
  const texts = section.tags.flatMap((tag) =>
    (tag.tag === "describe" || tag.tag === "cmd") && tag.text !== "" ? [tag] : []
  )
  const [last, ...before] = texts.toReversed()
  for (const { place } of before) {
    report.warning("ignored", "There is another description below, which is the one that counts", { place, subject })
  }
  return {
    description: last?.text ?? "",
    parameters,
    variables: section.tags.flatMap((tag) => (tag.tag === "env" ? [tag] : []))
  }
}

export const isParameter = (tag: Section["tags"][number]): tag is ParameterTag =>
  tag.tag === "option" || tag.tag === "flag" || tag.tag === "arg"
