/** `wield doctor`: what works here, and what does not. */
import { execFile } from "node:child_process"
import { access, constants } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import * as Environment from "@wield/process/Environment"
import * as WireFormat from "@wield/providers/WireFormat"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { gather } from "../config/gather.js"
import { loadProject } from "../config/load.js"
import { codes } from "../ExitCode.js"
import { plain, print, printReport } from "../output/print.js"
import * as Reports from "../output/reports.js"
import { Shell } from "../output/Shell.js"
import type { Command, Common } from "./common.js"

type Check = (typeof Reports.Doctor.Type)["checks"][number]

export const doctor = (given: Common): Command =>
  Effect.gen(function* () {
    const { environment } = yield* Shell
    const checks: Array<Check> = [nodeCheck()]
    for (const interpreter of interpreters) checks.push(yield* interpreterCheck(interpreter, environment))
    const keys = WireFormat.all.map(({ endpoint }) => endpoint.key.variable)
    const known = [...new Set(keys)].filter((name) => (environment[name] ?? "") !== "")
    checks.push({
      name: "keys",
      status: known.length === 0 ? "warning" : "ok",
      detail:
        known.length === 0
          ? `None is set: run and chat need one of ${[...new Set(keys)].join(", ")}`
          : `${known.join(", ")} set`
    })
    const project = yield* Effect.either(loadProject(given))
    if (Either.isLeft(project)) checks.push({ name: "configuration", status: "error", detail: project.left.message })
    else {
      const { config, file, folder, isTrusted } = project.right
      checks.push({ name: "configuration", status: "ok", detail: file })
      checks.push({
        name: "trust",
        status: isTrusted ? "ok" : "warning",
        detail: isTrusted ? "The folder is trusted" : "The folder is not trusted: its tools are listed, and cannot run"
      })
      const gathered = yield* Effect.either(gather(project.right, isTrusted ? "run" : "describe"))
      if (Either.isLeft(gathered)) checks.push({ name: "sources", status: "error", detail: gathered.left.message })
      else {
        const { definitions, problems } = gathered.right
        for (const { message, severity, source } of problems)
          checks.push({ name: source, status: severity, detail: message })
        const status = definitions.length === 0 ? "warning" : "ok"
        checks.push({ name: "tools", status, detail: `${definitions.length} tools of ${config.tools.length} sources` })
      }
      if (config.store !== undefined) checks.push(yield* storeCheck(resolve(folder, config.store)))
    }
    const code = checks.some(({ status }) => status === "error") ? codes.failed : codes.done
    if (given.json) {
      yield* printReport(Reports.Doctor, { wield: 1, command: "doctor", checks })
      return code
    }
    for (const { detail, name, status } of checks) {
      yield* print(`${status.padEnd(7)} ${plain(name)}: ${plain(detail)}`)
    }
    return code
  }).pipe(Effect.scoped)

const nodeCheck = (): Check => {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
  const isNew = major > 20 || (major === 20 && minor >= 19)
  return {
    name: "node",
    status: isNew ? "ok" : "error",
    detail: `${process.versions.node}${isNew ? "" : ": 20.19 or newer is needed"}`
  }
}

interface Interpreter {
  readonly name: string
  /** The first that is there. Windows has no `python3`. */
  readonly programs: readonly [string, ...ReadonlyArray<string>]
  readonly least: string
}

const interpreters: ReadonlyArray<Interpreter> = [
  { name: "python", programs: ["python3", "python"], least: "3.8" },
  { name: "bash", programs: ["bash"], least: "4.4" }
]

/** Only what lies in an absolute folder of the path: a `python3` of the working folder is not the user's. */
const interpreterCheck = (
  { least, name, programs }: Interpreter,
  environment: { readonly [name: string]: string | undefined }
): Effect.Effect<Check> =>
  Effect.promise(async (): Promise<Check> => {
    for (const file of programs.flatMap((program) => Environment.filesOf(program, environment))) {
      if (!(await isExecutable(file))) continue
      const version = await versionOf(file)
      const isNew = version !== undefined && compareVersions(version, least) >= 0
      const need = isNew ? "" : `: ${least} or newer is needed`
      return { name, status: isNew ? "ok" : "warning", detail: `${version ?? "unknown version"} (${file})${need}` }
    }
    return { name, status: "warning", detail: `${programs[0]} is not on the path: scripts in it cannot run` }
  })

const isExecutable = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false
  )

const versionOf = (file: string): Promise<string | undefined> =>
  new Promise((resolveVersion) => {
    execFile(file, ["--version"], { timeout: 10_000 }, (_, output) =>
      resolveVersion(/\d+\.\d+(?:\.\d+)?/.exec(output)?.[0])
    )
  })

const compareVersions = (left: string, right: string): number => {
  const numbersOf = (text: string) => text.split(".").map(Number)
  const [major = 0, minor = 0] = numbersOf(left)
  const [otherMajor = 0, otherMinor = 0] = numbersOf(right)
  return major - otherMajor || minor - otherMinor
}

const storeCheck = (file: string): Effect.Effect<Check> =>
  Effect.promise(() =>
    access(dirname(file), constants.W_OK).then(
      (): Check => ({ name: "store", status: "ok", detail: file }),
      (): Check => ({ name: "store", status: "error", detail: `${dirname(file)} is missing, or cannot be written` })
    )
  )
