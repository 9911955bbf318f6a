/**
 * What is wrong with toolset files as they are read together.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Subscribable from "effect/Subscribable"
import type { Problem } from "@wield/core/Problem"
import type { SavedToolset, ToolsetFile } from "../ToolsetFile.js"
import type { Read, ReadError } from "./files.js"
import type { Inside } from "./inside.js"
import { problemOf } from "../file/read.js"
import { builtIn, reservedReason, type Sets } from "./resolve.js"

/** Its changes are those of the files; modules are asked each time. */
export const problemsOfFiles = <E>({ files, sets }: Inside<E>): Subscribable.Subscribable<ReadonlyArray<Problem>> => {
  const of = (read: Read) => Effect.map(sets, ({ modules }) => problemsOf(read, modules))
  return Subscribable.make({
    get: Effect.flatMap(files.current.get, of),
    changes: Stream.changesWith(
      Stream.mapEffect(files.current.changes, of),
      (before, now) => JSON.stringify(before) === JSON.stringify(now)
    )
  })
}

const problemsOf = ({ core, failures, user }: Read, modules: Sets["modules"]): ReadonlyArray<Problem> => [
  ...ofFile(user, failures.user, modules),
  ...ofFile(core, failures.core, modules),
  ...builtIn.flatMap((name) => (modules.has(name) ? [hiddenModuleProblemOf(name)] : []))
]

/** Of a file that cannot be read now, what else was wrong before says nothing: its lines are others. */
const ofFile = (
  file: ToolsetFile | undefined,
  failure: ReadError | undefined,
  modules: Sets["modules"]
): ReadonlyArray<Problem> => {
  if (failure !== undefined) return failureOf(failure)
  return file === undefined ? [] : [...file.problems, ...hiddenToolsetsOf(file, modules)]
}

const failureOf = (failure: ReadError): ReadonlyArray<Problem> => {
  const problems =
    failure._tag === "InvalidToolsetFile"
      ? failure.problems
      : [problemOf(failure.file, "unreadable-file", failure.detail, undefined, undefined)]
  return problems.map((problem) => ({ ...problem, message: `${problem.message}; what was read before stays in use` }))
}

/** Of a module only the name is known here. */
const hiddenModuleProblemOf = (name: string): Problem =>
  problemOf(
    name,
    "hidden-module",
    `The module ${JSON.stringify(name)} is no set of its own, for the name is built in; rename its file`,
    undefined,
    name,
    "warning"
  )

/** Toolsets that nobody can activate, for their name means something else. */
const hiddenToolsetsOf = (file: ToolsetFile, modules: Sets["modules"]): ReadonlyArray<Problem> =>
  [...file.toolsets.values()].flatMap((toolset) => {
    const reason = reservedReason(toolset.name, modules)
    return reason === "built-in" || reason === "module" ? [hiddenProblemOf(file.file, toolset, reason)] : []
  })

const hiddenProblemOf = (file: string, { name, place }: SavedToolset, reason: "built-in" | "module"): Problem =>
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
