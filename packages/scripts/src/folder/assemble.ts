/**
 * A folder from its files: names are made distinct, and what a selection does
 * not enable is left out.
 */
import type { Problem } from "@wield/core/Problem"
import type { Script, ScriptFunction } from "../Script.js"
import { expand } from "./expand.js"
import { nameOf } from "./languages.js"
import type { Listing } from "./list.js"
import type { FileReading, ScriptFolder } from "./ScriptFolder.js"
import type { Selection } from "./Selection.js"

/** `readings` stand in the order of their files' names. */
export const assemble = (
  folder: string,
  readings: ReadonlyArray<FileReading>,
  selection: Selection | undefined,
  { problems, unselected }: Pick<Listing, "problems" | "unselected">
): ScriptFolder => {
  const { collisions, scripts } = distinct(readings.flatMap(({ script }) => script ?? []))
  const all: ScriptFolder = {
    folder,
    scripts,
    problems: [...problems, ...readings.flatMap((reading) => reading.problems), ...collisions]
  }
  return selection === undefined ? all : enable(all, selection, unselected)
}

/** Neither of two tools of one name is dropped in silence: the first file's stays, the other's is an error. */
const distinct = (scripts: ReadonlyArray<Script>) => {
  const first = new Map<string, Script>()
  const collisions: Array<Problem> = []
  const kept = scripts.map((script) => {
    const functions = script.functions.filter((scriptFunction) => {
      const other = first.get(scriptFunction.name)
      if (other === undefined) first.set(scriptFunction.name, script)
      else collisions.push(collision(script, scriptFunction, other))
      return other === undefined
    })
    return functions.length === script.functions.length ? script : { ...script, functions }
  })
  return { collisions, scripts: kept.filter(({ functions }) => functions.length > 0) }
}

const collision = (script: Script, { entry, name, place }: ScriptFunction, other: Script): Problem => ({
  severity: "error",
  rule: "tool-name-collision",
  message: `The tool ${JSON.stringify(name)} of ${nameOf(script.file)} has the name of one of ${nameOf(other.file)}, which is kept; rename one of them`,
  file: script.file,
  place,
  subject: entry
})

/** `unselected` are the names of files that are there and were not read. */
export const enable = (
  folder: ScriptFolder,
  selection: Selection,
  unselected: ReadonlyArray<string> = []
): ScriptFolder => {
  const known = folder.scripts.flatMap(({ functions }) => functions.map(({ name }) => name))
  const { enabled, problems } = expand(selection, known, unselected)
  if (enabled === "all") return { ...folder, problems: [...folder.problems, ...problems] }
  const scripts = folder.scripts.map((script) => ({
    ...script,
    functions: script.functions.filter(({ name }) => enabled.has(name))
  }))
  return {
    ...folder,
    scripts: scripts.filter(({ functions }) => functions.length > 0),
    problems: [...folder.problems, ...problems]
  }
}
