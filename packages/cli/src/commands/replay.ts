/** `wield replay`: recorded calls against the tools as they are now. */
import { resolve } from "node:path"
import * as Json from "@wield/core/Json"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { parseData } from "../config/readData.js"
import { readFile } from "../config/readFile.js"
import { readState } from "../config/readState.js"
import { codes } from "../ExitCode.js"
import { bold, plain, print, printProblems, printReport } from "../output/print.js"
import { messageOf, Refused } from "../output/Refused.js"
import * as Reports from "../output/reports.js"
import { Shell } from "../output/Shell.js"
import * as Replay from "../Replay.js"
import type { Command, Common } from "./common.js"

export interface Options extends Common {
  readonly records: string
  readonly state: Option.Option<string>
}

export const replay = (given: Options): Command =>
  Effect.gen(function* () {
    const { folder, readInput } = yield* Shell
    const path = resolve(folder, given.records)
    const text = given.records === "-" ? yield* readInput : yield* readFile(path)
    const calls = Replay.callsIn(yield* readRecords(text, path))
    if (calls.length === 0) return yield* Refused.usage(`${given.records} has no calls`)
    const { definitions, problems, toolset } = yield* readState(Option.getOrUndefined(given.state), given)
    yield* printProblems(problems)
    const replayed = yield* Effect.mapError(
      Effect.flatMap(toolset === undefined ? Replay.toolsetOf(definitions) : Effect.succeed(toolset), (tools) =>
        Replay.against(calls, tools)
      ),
      (error) => Refused.unusable(messageOf(error))
    )
    const count = (verdict: Replay.Replayed["verdict"]) => replayed.filter((one) => one.verdict === verdict).length
    const counts = { valid: count("valid"), repaired: count("repaired"), refused: count("refused") }
    const code = counts.refused > 0 ? codes.failed : codes.done
    if (given.json) {
      const report = replayed.map(({ call: { id, name }, reasons, verdict }) => ({ id, tool: name, verdict, reasons }))
      yield* printReport(Reports.Replay, { wield: 1, command: "replay", counts, calls: report })
      return code
    }
    for (const { call, reasons, verdict } of replayed) {
      if (verdict === "valid" && reasons.length === 0) continue
      const line = `${yield* bold(verdict.padEnd(8))} ${plain(call.name)} ${plain(call.id)}`
      yield* print([line, ...reasons.map((reason) => `  ${plain(reason)}`)].join("\n"))
    }
    yield* Console.error(`${counts.valid} valid, ${counts.repaired} repaired, ${counts.refused} refused`)
    return code
  }).pipe(Effect.scoped)

/** One JSON value, or one a line. */
const readRecords = (text: string, path: string): Effect.Effect<unknown, Refused> =>
  Effect.suspend((): Effect.Effect<unknown, Refused> => {
    try {
      return Effect.succeed(Json.parse(text))
    } catch {
      const lines = text.split("\n").filter((line) => line.trim() !== "")
      return Effect.forEach(lines, (line, index) => parseData(line, `${path}, line ${index + 1}`))
    }
  })
