/** `wield trust`: lets the code of a folder run. */
import { resolve } from "node:path"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { loadProject } from "../config/load.js"
import { distrust, isTrusted, trust as trustFolder } from "../config/trust.js"
import { codes } from "../ExitCode.js"
import { plain, printReport } from "../output/print.js"
import { messageOf, Refused } from "../output/Refused.js"
import * as Reports from "../output/reports.js"
import { Shell } from "../output/Shell.js"
import type { Command } from "./common.js"

export interface Options {
  readonly folder: Option.Option<string>
  readonly remove: boolean
  readonly json: boolean
}

export const trust = ({ folder, json, remove }: Options): Command =>
  Effect.gen(function* () {
    const shell = yield* Shell
    const path = resolve(
      shell.folder,
      Option.getOrElse(folder, () => ".")
    )
    // The first time nothing is started: there is nothing to compare with.
    const accepted = !remove && (yield* isTrusted(path)) ? yield* acceptIn(path) : []
    const real = yield* remove ? distrust(path) : trustFolder(path)
    if (json) {
      const more = accepted.length === 0 ? {} : { accepted }
      yield* printReport(Reports.Trust, { wield: 1, command: "trust", folder: real, isTrusted: !remove, ...more })
      return codes.done
    }
    for (const change of accepted) yield* Console.error(`Accepted: ${plain(change)}`)
    yield* Console.error(remove ? `${real} is no longer trusted` : `${real} is trusted: its tools may run`)
    return codes.done
  })

/** What the MCP servers of the folder's own configuration offer otherwise than before. */
const acceptIn = (folder: string) =>
  Effect.gen(function* () {
    const shell = { ...(yield* Shell), folder }
    const given = { config: Option.none(), trust: true }
    const project = yield* Effect.option(Effect.provideService(loadProject(given), Shell, shell))
    if (Option.isNone(project) || project.value.folder !== folder) return []
    const { acceptChanges } = yield* Effect.promise(() => import("../config/mcpSource.js"))
    return yield* Effect.mapError(acceptChanges(project.value), (error) => Refused.unusable(messageOf(error)))
  })
