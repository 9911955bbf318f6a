/** `wield trust`: lets the code of a folder run. */
import { resolve } from "node:path"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { distrust, trust as trustFolder } from "../config/trust.js"
import { codes } from "../ExitCode.js"
import { printReport } from "../output/print.js"
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
    const real = yield* remove ? distrust(path) : trustFolder(path)
    yield* json
      ? printReport(Reports.Trust, { wield: 1, command: "trust", folder: real, isTrusted: !remove })
      : Console.error(remove ? `${real} is no longer trusted` : `${real} is trusted: its tools may run`)
    return codes.done
  })
