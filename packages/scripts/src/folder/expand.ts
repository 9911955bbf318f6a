/**
 * The tools that a selection enables, by name: aliases are replaced by their
 * members, and these by theirs.
 */
import type { Problem } from "../Problem.js"
import { suggestion } from "./nearest.js"
import { fileError } from "./problem.js"
import type { Selection } from "./Selection.js"

export interface Expanded {
  readonly enabled: "all" | ReadonlySet<string>
  /** Of names that stand for nothing, and of aliases that stand for themselves. */
  readonly problems: ReadonlyArray<Problem>
}

/** `known` are the names of all tools that there are. */
export const expand = (selection: Selection, known: Iterable<string>): Expanded => {
  const tools = new Set(known)
  const { enabledTools, mappingTools } = selection
  // What is wrong with an alias is told before somebody enables it.
  const aliases = Object.keys(mappingTools).flatMap((alias) => taken(selection, tools, [alias]).problems)
  if (enabledTools === "all") return { enabled: "all", problems: distinct(aliases) }
  const { names, problems } = taken(selection, tools, enabledTools)
  return {
    enabled: names.has("all") && !tools.has("all") ? "all" : names,
    problems: distinct([...problems, ...aliases])
  }
}

const taken = (selection: Selection, tools: ReadonlySet<string>, listed: ReadonlyArray<string>) => {
  const aliases = new Map(Object.entries(selection.mappingTools))
  const names = new Set<string>()
  const problems: Array<Problem> = []
  const report = (subject: string, rule: string, message: string) =>
    problems.push({ ...fileError(selection.file, rule, message), subject })
  const take = (name: string, from: string, within: ReadonlyArray<string>): void => {
    const members = aliases.get(name)
    // An alias may have the name of a tool, and this tool for a member.
    if (members !== undefined && !within.includes(name)) {
      for (const member of members) take(member, `mapping_tools.${name}`, [...within, name])
    } else if (tools.has(name) || name === "all") names.add(name)
    else if (members !== undefined) {
      report(from, "circular-alias", `The alias ${[...within, name].join(" → ")} stands for itself; end it in tools`)
    } else {
      // It may come to be there: a toolset changes.
      names.add(name)
      const nearest = suggestion(name, [...tools, ...aliases.keys()])
      report(from, "unknown-tool", `${JSON.stringify(name)} is neither a tool nor an alias${nearest}`)
    }
  }
  for (const name of listed) take(name, "enabled_tools", [])
  return { names, problems }
}

const distinct = (problems: ReadonlyArray<Problem>): ReadonlyArray<Problem> => [
  ...new Map(problems.map((problem) => [`${problem.subject} ${problem.message}`, problem])).values()
]
