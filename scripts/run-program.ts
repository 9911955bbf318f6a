/** Runs a TypeScript file as a reader would who has just cloned the repository: no input, and none of their API keys. */
import { type CommandResult, runCommand } from "./run-command.js"

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

export const runProgram = (file: string, options: { readonly cwd: string }): Promise<CommandResult> =>
  runCommand(process.execPath, ["--import", "tsx", file], {
    cwd: options.cwd,
    env: bareEnvironment(),
    timeLimitSeconds: 60
  })
