/** `wield diff`: what has changed between two states of a toolset. */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { readState } from "../config/readState.js"
import * as Diff from "../Diff.js"
import { codes } from "../ExitCode.js"
import { bold, plain, print, printProblems, printReport } from "../output/print.js"
import { Refused } from "../output/Refused.js"
import * as Reports from "../output/reports.js"
import { codeOfSources, type Command, type Common } from "./common.js"

export interface Options extends Common {
  readonly before: string
  readonly after: Option.Option<string>
  readonly version: Option.Option<string>
}

export const diff = (given: Options): Command =>
  Effect.gen(function* () {
    const before = yield* readState(given.before, given)
    const after = yield* readState(Option.getOrUndefined(given.after), given)
    const problems = [...before.problems, ...after.problems]
    yield* printProblems(problems)
    // A source that is not there would look like tools that were removed.
    if (codeOfSources({ problems }) !== codes.done) return codes.unusable
    const changes = Diff.compare(before.definitions, after.definitions)
    const level = Diff.levelOf(changes)
    const version = Option.getOrUndefined(given.version)
    const next = version === undefined ? undefined : Diff.nextVersion(version, level)
    if (version !== undefined && next === undefined) {
      return yield* Refused.usage(`Expected a version such as 1.4.2, not ${version}`)
    }
    const code = level === "major" ? codes.failed : codes.done
    if (given.json) {
      const report = { wield: 1, command: "diff", level: level ?? "none", changes } as const
      yield* printReport(Reports.Diff, next === undefined ? report : { ...report, next })
      return code
    }
    for (const { kind, message, path, part, tool, ...change } of changes) {
      const place = [tool, ...(part === "tool" ? [] : [part]), ...path].map(plain).join(".")
      yield* print(`${yield* bold(change.level.padEnd(5))} ${kind.padEnd(12)} ${place}: ${plain(message)}`)
    }
    const count = `${changes.length} change${changes.length === 1 ? "" : "s"}`
    yield* Console.error(
      level === undefined ? "No changes" : `${count}: ${level}${next === undefined ? "" : `, ${next}`}`
    )
    return code
  }).pipe(Effect.scoped)
