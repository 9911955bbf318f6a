/** Runs the quick start as a process of its own, with the environment that the test gives and nothing of its own but the path. */
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { type CommandResult, runCommand } from "../../scripts/run-command.js"
import { bundleOf } from "../programs.js"

const root = fileURLToPath(new URL("../..", import.meta.url))

export const runQuickStart = async (
  options: ReadonlyArray<string>,
  environment: NodeJS.ProcessEnv
): Promise<CommandResult> => {
  const program = await Effect.runPromise(bundleOf(`${root}/examples/quick-start/main.ts`))
  return runCommand(process.execPath, [program, ...options], {
    cwd: root,
    env: { PATH: process.env["PATH"], ...environment }
  })
}
