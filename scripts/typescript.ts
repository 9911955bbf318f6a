/**
 * What TypeScript 7 and the Effect language service say about a project.
 *
 * `@effect/tsgo` is that compiler with the diagnostics of the language service built in. It brings no library of types,
 * and is meant to replace the compiler's executable. Here it lies beside a copy of the library instead, so that what is
 * installed stays as it was published.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { runCommand } from "./run-command.js"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const require = createRequire(import.meta.url)

export interface Diagnostic {
  /** Relative to the root of the repository; absent where the project as a whole is wrong. */
  readonly file: string | undefined
  readonly line: number
  readonly column: number
  /** `TS2322`; those of the Effect language service begin with `TS377`. */
  readonly code: string
  readonly message: string
}

export const isOfEffect = ({ code }: Diagnostic): boolean => code.startsWith("TS377")

/** The folder of a package for this platform, which the package itself depends on. */
const platformFolder = (owner: string, prefix: string): string =>
  dirname(createRequire(require.resolve(owner)).resolve(`${prefix}-${process.platform}-${process.arch}/package.json`))

/** Made once for each pair of versions. */
const findCompiler = (): string => {
  const name = process.platform === "win32" ? "tsc.exe" : "tsc"
  const { version } = require("@typescript/native/package.json") as { readonly version: string }
  const effect = require("@effect/tsgo/package.json") as { readonly version: string }
  const folder = join(root, "node_modules", ".cache", `typescript-${version}-effect-${effect.version}`)
  if (existsSync(folder)) return join(folder, name)

  const library = join(platformFolder("@typescript/native/package.json", "@typescript/typescript"), "lib")
  const effectFolder = platformFolder("@effect/tsgo/package.json", "@effect/tsgo")
  const executable = join(effectFolder, "artifacts", "typescript", version, name)
  if (!existsSync(executable)) {
    throw new Error(`@effect/tsgo ${effect.version} has no build of TypeScript ${version}: choose versions that fit.`)
  }
  const unfinished = mkdtempSync(join(root, "node_modules", ".typescript-"))
  cpSync(library, unfinished, { recursive: true })
  cpSync(executable, join(unfinished, name))
  try {
    mkdirSync(dirname(folder), { recursive: true })
    renameSync(unfinished, folder)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    // Another process was faster.
    if (!existsSync(folder)) throw error
  }
  return join(folder, name)
}

const place = /^(?:(.+?)\((\d+),(\d+)\): )?(error|warning|suggestion|message) (TS\d+): (.*)$/

/** The rules of Effect that only suggest, by the schema of their options, each turned off. */
const suggestionsOff = (): { readonly [rule: string]: "off" } => {
  const schema = JSON.parse(
    readFileSync(join(dirname(require.resolve("@effect/tsgo/package.json")), "schema.json"), "utf8")
  ) as {
    readonly definitions: {
      readonly effectLanguageServicePluginDiagnosticSeverityDefinition: {
        readonly properties: { readonly [rule: string]: { readonly default: string } }
      }
    }
  }
  const rules = Object.entries(schema.definitions.effectLanguageServicePluginDiagnosticSeverityDefinition.properties)
  return Object.fromEntries(
    rules.flatMap(([rule, { default: severity }]) => (severity === "suggestion" ? [[rule, "off"]] : []))
  )
}

/** The plugin of a configuration whose errors and warnings alone are read: suggestions take a third of the time. */
export const effectErrors = (): object => ({
  name: "@effect/language-service",
  diagnosticSeverity: suggestionsOff(),
  // `@wield/effect4` stands between two.
  allowedDuplicatedPackages: ["effect", "@effect/sql-pg"]
})

/** Errors and warnings of the project that this configuration describes, each with all lines of its message. */
export const findDiagnostics = async (configuration: string): Promise<ReadonlyArray<Diagnostic>> => {
  // Each further checker would check again what it shares with the others, and the tests need the other processors.
  const { ending, output } = await runCommand(
    findCompiler(),
    ["--project", configuration, "--pretty", "false", "--checkers", "1"],
    { cwd: root }
  )
  const diagnostics: Array<Diagnostic> = []
  let isSkipped = true
  for (const line of output.split("\n")) {
    const [, file, row = "1", column = "1", severity, code, message] = place.exec(line) ?? []
    if (code !== undefined && message !== undefined) {
      isSkipped = severity !== "error" && severity !== "warning"
      if (!isSkipped) diagnostics.push({ file, line: Number(row), column: Number(column), code, message })
      continue
    }
    const last = diagnostics.at(-1)
    if (!isSkipped && last !== undefined && line.startsWith("  ")) {
      diagnostics[diagnostics.length - 1] = { ...last, message: `${last.message}\n${line}` }
    }
  }
  const endings = new Set(["exit code 0", "exit code 1", "exit code 2"])
  if (!endings.has(ending) || (ending !== "exit code 0" && !place.test(output.split("\n")[0] ?? ""))) {
    throw new Error(`The compiler ended with ${ending}:\n${output}`)
  }
  return diagnostics
}
