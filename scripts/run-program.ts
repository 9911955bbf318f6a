/** Runs a program as a reader would who has just cloned the repository: no input, and none of their API keys. */
import { existsSync, readFileSync, rmSync } from "node:fs"
import { SourceMap, type SourceMapPayload } from "node:module"
import { dirname, resolve } from "node:path"
import { makeTemporaryFolder } from "./make-temporary-folder.js"
import { type CommandResult, runCommand } from "./run-command.js"

/** Guides and examples leave their files in the system's temporary folder. Here they have one that goes with this process. */
let temporaryFolder: string | undefined

/** Called at the end of this process, and by tests, whose processes are ended without one. */
export const removeTemporaryFolder = (): void => {
  if (temporaryFolder !== undefined) rmSync(temporaryFolder, { recursive: true, force: true })
  temporaryFolder = undefined
}

process.on("exit", removeTemporaryFolder)

/** Any other variable, an API key above all, stays outside. */
const allowedVariables = new Set([
  "PATH",
  "HOME",
  "USER",
  "LANG",
  "LC_ALL",
  "TZ",
  "TMPDIR",
  "TEMP",
  "TMP",
  "CI",
  "SYSTEMROOT",
  "COMSPEC",
  "PATHEXT",
  "USERPROFILE",
  "APPDATA",
  "LOCALAPPDATA"
])

const bareEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => allowedVariables.has(name.toUpperCase())))

/** Names the places of the sources where the text names those of a bundle. */
const nameSources = (text: string): string =>
  text.replaceAll(
    /(?:file:\/\/)?(\/[^\s()]+\.mjs):(\d+):(\d+)/g,
    (place, file: string, line: string, column: string) => {
      const map = `${file}.map`
      if (!existsSync(map)) return place
      const found = new SourceMap(JSON.parse(readFileSync(map, "utf8")) as SourceMapPayload).findEntry(
        Number(line) - 1,
        Number(column) - 1
      )
      return "originalSource" in found
        ? `${resolve(dirname(file), found.originalSource)}:${found.originalLine + 1}:${found.originalColumn + 1}`
        : place
    }
  )

export const runProgram = async (
  file: string,
  options: {
    readonly arguments: ReadonlyArray<string>
    readonly cwd: string
    readonly timeLimitSeconds?: number | undefined
  }
): Promise<CommandResult> => {
  temporaryFolder ??= makeTemporaryFolder("wield-programs-")
  const result = await runCommand(process.execPath, [file, ...options.arguments], {
    cwd: options.cwd,
    env: { ...bareEnvironment(), TMPDIR: temporaryFolder },
    timeLimitSeconds: options.timeLimitSeconds
  })
  // Programs that read source maps themselves take a seventh longer, and the maps are of use only where one fails.
  return result.succeeded ? result : { ...result, output: nameSources(result.output) }
}
