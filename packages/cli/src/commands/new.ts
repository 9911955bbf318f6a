/** `wield new`: a project, a toolkit or a tool that works at once. */
import { basename, join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { codes } from "../ExitCode.js"
import { print, printReport } from "../output/print.js"
import { Refused } from "../output/Refused.js"
import * as Reports from "../output/reports.js"
import { Shell } from "../output/Shell.js"
import { writeFile } from "../output/writeFile.js"
import type { Command } from "./common.js"
import { project, tool, toolkit } from "./templates.js"

export interface Options {
  readonly json: boolean
  readonly what: "project" | "toolkit" | "tool"
  readonly name: string
  readonly language: "typescript" | "python" | "bash"
  readonly folder: Option.Option<string>
}

export const create = ({ folder, json, language, name, what }: Options): Command =>
  Effect.gen(function* () {
    const shell = yield* Shell
    const given = Option.getOrUndefined(folder)
    if (what === "toolkit" && language !== "typescript") {
      return yield* Refused.usage("A toolkit is TypeScript: make a tool of another language with `wield new tool`")
    }
    const own = basename(resolve(shell.folder, name))
    if (!(what === "project" ? /^[a-z][a-z0-9-]*$/ : /^[a-z][a-z0-9_]*$/).test(own)) {
      const rule = what === "project" ? "letters, digits and dashes" : "small letters, digits and underscores"
      return yield* Refused.usage(`The name ${JSON.stringify(own)} does not do: expected ${rule}, a letter first`)
    }
    const target =
      what === "project"
        ? resolve(shell.folder, name)
        : resolve(shell.folder, given ?? (what === "tool" ? "tools" : "src"))
    const files = what === "project" ? project(own, language) : what === "toolkit" ? toolkit(own) : tool(own, language)
    const paths = Object.keys(files).map((path) => join(target, path))
    for (const [path, text] of Object.entries(files)) yield* writeFile(join(target, path), text, false)
    yield* json ? printReport(Reports.New, { wield: 1, command: "new", files: paths }) : print(paths.join("\n"))
    return codes.done
  })
