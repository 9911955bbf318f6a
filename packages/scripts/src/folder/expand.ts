/**
 * The tools that a selection enables, by name: aliases are replaced by their
 * members, and these by theirs.
 */
import type { Problem } from "@wield/core/Problem"
import { languageOf, stemOf } from "./languages.js"
import { NearestNames } from "@wield/core"
import { fileError } from "./problem.js"
import type { Selection } from "./Selection.js"
import { toolNameOf } from "./toolName.js"

export interface Expanded {
  readonly enabled: "all" | ReadonlySet<string>
  /** Of names that stand for nothing, and of aliases that stand for themselves. */
  readonly problems: ReadonlyArray<Problem>
}

/**
 * `known` are the names of all tools that there are; `unselected` the names of
 * files whose tools are not there, for they are not visible.
 */
export const expand = (
  selection: Selection,
  known: Iterable<string>,
  unselected: ReadonlyArray<string> = []
): Expanded => {
  const tools = { known: new Set(known), unselected }
  const { enabledTools, mappingTools } = selection
  // What is wrong with an alias is told before somebody enables it.
  const aliases = Object.keys(mappingTools).flatMap((alias) => taken(selection, tools, [alias]).problems)
  if (enabledTools === "all") return { enabled: "all", problems: distinct(aliases) }
  const { names, problems } = taken(selection, tools, enabledTools)
  return {
    enabled: names.has("all") && !tools.known.has("all") ? "all" : names,
    problems: distinct([...problems, ...aliases])
  }
}

interface Tools {
  readonly known: ReadonlySet<string>
  readonly unselected: ReadonlyArray<string>
}

const taken = (selection: Selection, tools: Tools, listed: ReadonlyArray<string>) => {
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
    } else if (tools.known.has(name) || name === "all") names.add(name)
    else if (members !== undefined) {
      report(from, "circular-alias", `The alias ${[...within, name].join(" → ")} stands for itself; end it in tools`)
    } else {
      // It may come to be there: a toolset changes.
      names.add(name)
      report(from, "unknown-tool", unknown(name, tools, aliases))
    }
  }
  for (const name of listed) take(name, "enabled_tools", [])
  return { names, problems }
}

const unknown = (name: string, { known, unselected }: Tools, aliases: ReadonlyMap<string, unknown>): string => {
  const quoted = JSON.stringify(name)
  const hidden = unselected.find((file) => toolNameOf(stemOf(file)) === name)
  if (hidden !== undefined) {
    return `${quoted} is no tool here, for visible_tools does not name its file; add ${JSON.stringify(hidden)} to it`
  }
  if (name === "none") return `${quoted} is neither a tool nor an alias; null, or an empty list, enables none`
  const tool = languageOf(name) === undefined ? name : toolNameOf(stemOf(name))
  return known.has(tool)
    ? `${quoted} names a file, and here are names of tools: write ${JSON.stringify(tool)}`
    : `${quoted} is neither a tool nor an alias${NearestNames.suggestion(name, [...known, ...aliases.keys()])}`
}

const distinct = (problems: ReadonlyArray<Problem>): ReadonlyArray<Problem> => [
  ...new Map(problems.map((problem) => [`${problem.subject} ${problem.message}`, problem])).values()
]
