/** The command as a process of its own. */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"

const root = fileURLToPath(new URL("../../..", import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly output: string
  readonly error: string
}

/** `input` is what it reads; nothing, and the end, unless given. */
export const wield = (given: ReadonlyArray<string>, input = ""): Effect.Effect<Ended> =>
  Effect.async((resume) => {
    const child = spawn(process.execPath, ["--import", "tsx", "packages/cli/bin/wield.js", ...given], { cwd: root })
    let output = ""
    let error = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (error += text))
    // It may end without having read all.
    child.stdin.on("error", () => undefined).end(input)
    child.on("close", (code) => resume(Effect.succeed({ code, output, error })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })
