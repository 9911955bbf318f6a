/** The scripts of a folder that a selection leaves. Aliases are replaced by their members, and these by theirs. */
import * as NearestNames from "@wield/core/NearestNames"
import { aText, type Check, type Checks, fields, holds, record, texts } from "@wield/core/Options"
import type { Problem } from "@wield/core/Problem"
import type { Script } from "../Script.js"
import type { ScriptFolder } from "../ScriptFolder.js"
import type { Selection } from "../Selection.js"
import { type FolderReading, selectionProblems } from "./files.js"
import { languageOf, nameOf, stemOf, toolNameOf } from "./languages.js"
import { fileError } from "./problem.js"

export const names: Check = holds(
  'an array of names, or "all"',
  (given) => given === "all" || texts(given) === undefined
)

export const selectionChecks = {
  visibleTools: texts,
  enabledTools: names,
  mappingTools: record(texts),
  file: aText
} satisfies Checks<Selection>

/** Of a selection with another name for what it leaves out, all would be offered. */
export const aSelection: Check = fields(selectionChecks, ["enabledTools", "mappingTools", "file"])

/** A folder from its files: names are made distinct, and what the selection does not enable is left out. */
export const assemble = (
  folder: string,
  { problems, readings, unselected }: FolderReading<Script>,
  selection: Selection | undefined
): ScriptFolder => {
  const found = readings.flatMap((reading) => reading.found ?? [])
  const { collisions, files } = keepFirst(found, {
    of: ({ functions }) => functions,
    less: (script, functions) => ({ ...script, functions }),
    named: ({ file }, { name }) => `The tool ${JSON.stringify(name)} of ${nameOf(file)}`,
    subject: ({ entry }) => entry
  })
  const all: ScriptFolder = {
    folder,
    scripts: files.filter(({ functions }) => functions.length > 0),
    problems: [...problems, ...readings.flatMap((reading) => reading.problems), ...collisions]
  }
  return selection === undefined ? all : enable(all, selection, unselected)
}

/** `unselected` are the names of files that are there and were not read. */
const enable = (folder: ScriptFolder, selection: Selection, unselected: ReadonlyArray<string> = []): ScriptFolder => {
  const known = folder.scripts.flatMap(({ functions }) => functions.map(({ name }) => name))
  const { enabled, problems } = expand(selection, known, unselected)
  if (enabled === "all") return { ...folder, problems: [...folder.problems, ...problems] }
  const scripts = folder.scripts.flatMap((script) => {
    const functions = script.functions.filter(({ name }) => enabled.has(name))
    return functions.length > 0 ? [{ ...script, functions }] : []
  })
  return { ...folder, scripts, problems: [...folder.problems, ...problems] }
}

/** What of a folder that was read whole is visible, as if it had been read so. */
export const applyToFolder = (folder: ScriptFolder, selection: Selection): ScriptFolder => {
  const { visibleTools } = selection
  if (visibleTools === undefined) return enable(folder, selection)
  const isVisible = ({ file }: { readonly file: string }) => visibleTools.includes(nameOf(file))
  // A problem of the folder as a whole is of no script.
  const ofScripts = folder.problems.filter(({ file }) => languageOf(file) !== undefined)
  const others = folder.problems.filter((problem) => !ofScripts.includes(problem))
  const names = [...new Set([...folder.scripts, ...ofScripts].map(({ file }) => nameOf(file)))]
  const missing = visibleTools.flatMap((name) => selectionProblems(`${folder.folder}/${name}`, name, names, names))
  return enable(
    {
      ...folder,
      scripts: folder.scripts.filter(isVisible),
      problems: [...others, ...ofScripts.filter(isVisible), ...missing]
    },
    selection,
    names.filter((name) => !visibleTools.includes(name))
  )
}

/**
 * `known` are the names of all tools; `unselected` the names of files that are not visible. The problems are of names
 * that stand for nothing, and of aliases that stand for themselves.
 */
export const expand = (selection: Selection, known: Iterable<string>, unselected: ReadonlyArray<string> = []) => {
  const tools = { known: new Set(known), unselected }
  const { enabledTools, mappingTools } = selection
  // A wrong alias is a problem even if it is not enabled.
  const aliases = Object.keys(mappingTools).flatMap((alias) => takeNames(selection, tools, [alias]).problems)
  if (enabledTools === "all") return { enabled: "all" as const, problems: distinct(aliases) }
  const { names, problems } = takeNames(selection, tools, enabledTools)
  return {
    enabled: names.has("all") && !tools.known.has("all") ? ("all" as const) : names,
    problems: distinct([...problems, ...aliases])
  }
}

interface Tools {
  readonly known: ReadonlySet<string>
  readonly unselected: ReadonlyArray<string>
}

const takeNames = (selection: Selection, tools: Tools, listed: ReadonlyArray<string>) => {
  const aliases = new Map(Object.entries(selection.mappingTools))
  const names = new Set<string>()
  const problems: Array<Problem> = []
  const report = (subject: string, rule: string, message: string) =>
    problems.push(fileError(selection.file, rule, message, { subject }))
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

/** `of` says which tools a file has, `less` leaves it these, `named` calls a tool by its name in a message. */
export const keepFirst = <
  File extends { readonly file: string },
  Tool extends { readonly name: string; readonly place: Problem["place"] }
>(
  files: ReadonlyArray<File>,
  kind: {
    readonly of: (file: File) => ReadonlyArray<Tool>
    readonly less: (file: File, tools: ReadonlyArray<Tool>) => File
    readonly named: (file: File, tool: Tool) => string
    readonly subject: (tool: Tool) => string
  }
): { readonly files: ReadonlyArray<File>; readonly collisions: ReadonlyArray<Problem> } => {
  const first = new Map<string, File>()
  const collisions: Array<Problem> = []
  const kept = files.map((file) => {
    const tools = kind.of(file)
    const own = tools.filter((tool) => {
      const other = first.get(tool.name)
      if (other === undefined) first.set(tool.name, file)
      else {
        const message = `${kind.named(file, tool)} has the name of one of ${nameOf(other.file)}, which is kept; rename one of them`
        const at = { place: tool.place, subject: kind.subject(tool) }
        collisions.push(fileError(file.file, "tool-name-collision", message, at))
      }
      return other === undefined
    })
    return own.length === tools.length ? file : kind.less(file, own)
  })
  return { files: kept, collisions }
}
