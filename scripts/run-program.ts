/** Runs a program as a reader would who has just cloned the repository: no input, and none of their API keys. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
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

const makeTemporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "wield-programs-"))
  // Postgres refuses to run as root, and is started as a user of its own there.
  chmodSync(folder, 0o755)
  return folder
}

export const runProgram = (file: string, options: { readonly cwd: string }): Promise<CommandResult> => {
  temporaryFolder ??= makeTemporaryFolder()
  return runCommand(process.execPath, ["--enable-source-maps", file], {
    cwd: options.cwd,
    env: { ...bareEnvironment(), TMPDIR: temporaryFolder },
    timeLimitSeconds: 300
  })
}
