/** Tools from scripts and function files. Where a folder is not trusted, nothing runs. */
import * as Toolset from "@wield/core/Toolset"
import { isError, type Problem } from "@wield/core/Problem"
import * as FunctionFile from "@wield/scripts/FunctionFile"
import * as FunctionFolder from "@wield/scripts/FunctionFolder"
import * as ScriptExecutor from "@wield/scripts/ScriptExecutor"
import * as ScriptFolder from "@wield/scripts/ScriptFolder"
import * as Effect from "effect/Effect"
import type { Loaded, Of } from "./fileSources.js"
import type { Loading } from "./gather.js"

export const fromScripts = (source: Of<"scripts">, loading: Loading): Loaded =>
  Effect.gen(function* () {
    const read = yield* ScriptFolder.load(loading.at(source.scripts))
    // A script's first line can name any program, which only a trusted folder may start.
    const executor = loading.project.isTrusted
      ? yield* ScriptExecutor.make()
      : { ...stopped, check: () => Effect.succeed([]) }
    const { problems, tools } = yield* ScriptFolder.toTools(read, executor)
    reportAll([...read.problems, ...problems], loading)
    return yield* Toolset.dynamic(tools)
  })

export const fromFunctions = (source: Of<"functions">, loading: Loading): Loaded =>
  Effect.gen(function* () {
    const executor = loading.project.isTrusted ? yield* ScriptExecutor.make() : undefined
    const read = yield* FunctionFolder.load([loading.at(source.functions)], { executor })
    reportAll(read.problems, loading)
    return yield* FunctionFile.toToolset(read.files, { executor: executor ?? stopped })
  })

const stopped = {
  run: () => Effect.dieMessage("Nothing runs here"),
  runFunctionFile: () => Effect.dieMessage("Nothing runs here"),
  forget: () => Effect.void
}

const reportAll = (problems: ReadonlyArray<Problem>, { report }: Loading) => {
  for (const problem of problems) {
    const where =
      problem.place === undefined ? problem.file : `${problem.file}:${problem.place.line}:${problem.place.column}`
    report(isError(problem) ? "error" : "warning", `${where}: ${problem.message}`)
  }
}
