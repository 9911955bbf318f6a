/** `wield lint`: what is wrong with the tools, for people and for models. */
import { resolve } from "node:path"
import * as Issue from "@wield/core/Issue"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { readState } from "../config/readState.js"
import { codes } from "../ExitCode.js"
import { faint, plain, print, printReport } from "../output/print.js"
import * as Reports from "../output/reports.js"
import { Shell } from "../output/Shell.js"
import * as ToolLint from "../ToolLint.js"
import type { Command, Common } from "./common.js"
import { formatOf } from "./formatOf.js"

export interface Options extends Common {
  readonly state: Option.Option<string>
  readonly wire: ReadonlyArray<string>
  readonly maxWarnings: Option.Option<number>
}

export const lint = (given: Options): Command =>
  Effect.gen(function* () {
    const formats = yield* Effect.forEach(given.wire, formatOf)
    const path = Option.getOrUndefined(given.state)
    const { definitions, problems, sources } = yield* readState(path, given)
    const { findings, tokens } = yield* ToolLint.check(definitions, {
      formats: formats.length === 0 ? undefined : formats
    })
    const { folder } = yield* Shell
    const place = path === undefined ? "" : resolve(folder, path)
    const all = [
      ...problems.map(({ message, severity, source }) => ({ severity, source: source || place, message })),
      ...findings.map(({ message, path, rule, severity, tool }) => ({
        severity,
        rule,
        tool,
        ...(sources.has(tool) ? { source: sources.get(tool) ?? "" } : {}),
        ...(path.length === 0 ? {} : { path: Issue.pathToText(path) }),
        message
      }))
    ]
    const errors = all.filter(({ severity }) => severity === "error").length
    const warnings = all.length - errors
    const most = Option.getOrElse(given.maxWarnings, () => Infinity)
    const code = errors > 0 || warnings > most ? codes.failed : codes.done
    if (given.json) {
      yield* printReport(Reports.Lint, {
        wield: 1,
        command: "lint",
        problems: all,
        tokens: { total: tokens.total, tools: Object.fromEntries(tokens.tools) }
      })
      return code
    }
    for (const problem of all) {
      const where = [
        ...("tool" in problem ? [problem.tool] : [problem.source]),
        ...("path" in problem ? [problem.path] : [])
      ]
      const rule = "rule" in problem ? yield* faint(` ${problem.rule}`) : ""
      yield* print(`${problem.severity}: ${plain(where.join(": "))}: ${plain(problem.message)}${rule}`)
    }
    yield* Console.error(
      `${definitions.length} tools, about ${tokens.total} tokens: ${errors} errors, ${warnings} warnings`
    )
    return code
  }).pipe(Effect.scoped)
