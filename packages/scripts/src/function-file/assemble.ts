/**
 * Function files of several folders as one collection: a module of a later
 * folder takes the place of the one of its name, and no two tools have one name.
 */
import { nameOf } from "../folder/languages.js"
import type { Problem } from "@wield/core/Problem"
import type { FunctionFile, FunctionFolder, FunctionTool } from "./model.js"
import type { FolderReading } from "./readFolders.js"

export const assemble = (read: ReadonlyArray<FolderReading>): FunctionFolder => {
  const problems: Array<Problem> = read.flatMap((folder) => [
    ...folder.problems,
    ...folder.readings.flatMap((reading) => reading.problems)
  ])
  const modules = new Map<string, FunctionFile>()
  for (const { readings } of read) {
    for (const { found } of readings) {
      // A file that is off, or broken, is as if it were not there: what it would replace stays.
      if (found === undefined || !found.isEnabled) continue
      const replaced = modules.get(found.module)
      if (replaced !== undefined) problems.push(replacing(found, replaced))
      modules.set(found.module, found)
    }
  }
  const first = new Map<string, FunctionFile>()
  const files = [...modules.values()].map((file) => {
    const tools = file.tools.filter((tool) => {
      const other = first.get(tool.name)
      if (other === undefined) first.set(tool.name, file)
      else problems.push(collision(file, tool, other))
      return other === undefined
    })
    return tools.length === file.tools.length ? file : { ...file, tools }
  })
  return { folders: read.map(({ folder }) => folder), files, problems }
}

const replacing = ({ file, module }: FunctionFile, replaced: FunctionFile): Problem => ({
  severity: "warning",
  rule: "replaced-module",
  message: `The module ${module} takes the place of that of ${replaced.file} as a whole; rename the file to have both`,
  file,
  place: undefined,
  subject: undefined
})

const collision = ({ file }: FunctionFile, { name, place }: FunctionTool, other: FunctionFile): Problem => ({
  severity: "error",
  rule: "tool-name-collision",
  message: `The function ${JSON.stringify(name)} has the name of one of ${nameOf(other.file)}, which is kept; rename one of them`,
  file,
  place,
  subject: name
})
