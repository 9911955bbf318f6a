import { expect, it } from "vitest"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { runCommand } from "../../../../scripts/run-command.js"
import { bundleOf } from "../../../../test/programs.js"

const cwd = fileURLToPath(new URL("../../../..", import.meta.url))

it.each(["SIGTERM", "SIGKILL"])("a web client goes on streaming when its runner gets %s", async (signal) => {
  const file = await Effect.runPromise(bundleOf("examples/cluster/machines.ts"))
  const options = signal === "SIGKILL" ? ["--kill"] : []
  const { ending, output } = await runCommand(process.execPath, [file, ...options], { cwd, timeLimitSeconds: 280 })
  expect(output).toContain(`${signal} to the runner`)
  expect(output).toContain("You have your 30 euros back.")
  expect(ending).toBe("exit code 0")
})
