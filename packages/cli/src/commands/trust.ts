/** `wield trust`: lets the code of a folder run. */
import { dirname, resolve } from "node:path"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { loadProject, nearest } from "../config/load.js"
import { distrust, isTrusted, trust as trustFolder, findTrust } from "../config/trust.js"
import { codes } from "../ExitCode.js"
import { plain, printReport } from "../output/print.js"
import { messageOf, quote, Refused } from "../output/Refused.js"
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
    const by = remove ? Option.getOrUndefined(yield* findTrust(real)) : undefined
    if (by !== undefined) {
      return yield* Refused.failed(
        `${real} is still trusted, since it lies in ${by}. To trust that no more: wield trust --remove ${quote(by)}`
      )
    }
    if (json) {
      const more = accepted.length === 0 ? {} : { accepted }
      yield* printReport(Reports.Trust, { wield: 1, command: "trust", folder: real, isTrusted: !remove, ...more })
      return codes.done
    }
    for (const change of accepted) yield* Console.error(`Accepted: ${plain(change)}`)
    yield* Console.error(remove ? `${real} is no longer trusted` : `${real} is trusted: its tools may run`)
    return codes.done
  })

/** What the MCP servers of the nearest configuration offer otherwise than before. */
const acceptIn = (folder: string) =>
  Effect.gen(function* () {
    const config = yield* nearest(folder)
    if (Option.isNone(config) || !(yield* isTrusted(dirname(config.value)))) return []
    const project = yield* loadProject({ config, trust: false })
    const { acceptChanges } = yield* Effect.promise(() => import("../config/mcpSource.js"))
    return yield* Effect.mapError(acceptChanges(project), (error) => Refused.unusable(messageOf(error)))
  })
