/** Runs the quick start as a process of its own, with the environment that the test gives and nothing of its own but the path. */
import { fileURLToPath } from "node:url"
import { type CommandResult, runCommand } from "../../scripts/run-command.js"

const root = fileURLToPath(new URL("../..", import.meta.url))

export const runQuickStart = (options: ReadonlyArray<string>, environment: NodeJS.ProcessEnv): Promise<CommandResult> =>
  runCommand(process.execPath, ["--import", "tsx", "examples/quick-start/main.ts", ...options], {
    cwd: root,
    env: { PATH: process.env["PATH"], ...environment },
    timeLimitSeconds: 60
  })
