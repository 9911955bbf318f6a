/**
 * What is wrong with toolset files as they are read together.
 */
import type { Problem } from "../Problem.js"
import type { SavedToolset, ToolsetFile } from "../ToolsetFile.js"
import type { Read } from "./files.js"
import { problemOf } from "./read.js"
import { builtIn, reservedReason, type Sets } from "./resolve.js"

export const problemsOf = ({ core, user }: Read, modules: Sets["modules"]): ReadonlyArray<Problem> => [
  ...[user, core].flatMap((file) => (file === undefined ? [] : [...file.problems, ...hidden(file, modules)])),
  ...builtIn.flatMap((name) => (modules.has(name) ? [hiddenModule(name)] : []))
]

/** Of a module only the name is known here. */
const hiddenModule = (name: string): Problem =>
  problemOf(
    name,
    "hidden-module",
    `The module ${JSON.stringify(name)} is no set of its own, for the name is built in; rename its file`,
    undefined,
    name,
    "warning"
  )

/** Toolsets that nobody can activate, for their name means something else. */
const hidden = (file: ToolsetFile, modules: Sets["modules"]): ReadonlyArray<Problem> =>
  [...file.toolsets.values()].flatMap((toolset) => {
    const reason = reservedReason(toolset.name, modules)
    return reason === "built-in" || reason === "module" ? [hiddenBy(file.file, toolset, reason)] : []
  })

const hiddenBy = (file: string, { name, place }: SavedToolset, reason: "built-in" | "module"): Problem =>
  problemOf(
    file,
    "hidden-toolset",
    `The toolset ${JSON.stringify(name)} is never used: ${
      reason === "module" ? "a module has the same name, and is taken instead" : "the name is reserved"
    }; give it another name`,
    place,
    name,
    "warning"
  )
