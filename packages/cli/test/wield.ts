/** The command as a process of its own. */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { NodeContext } from "@effect/platform-node"
import { Cli } from "@wield/cli"
import { Console, Effect } from "effect"
import { bundleOf } from "../../../test/programs.js"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const program = new URL("../bin/wield.js", import.meta.url)

export interface Ended {
  readonly code: number | null
  readonly output: string
  readonly error: string
}

/** `input` is what it reads; nothing, and the end, unless given. */
export const wield = (given: ReadonlyArray<string>, input = ""): Effect.Effect<Ended> =>
  Effect.flatMap(bundleOf(program), (bundle) =>
    Effect.async((resume) => {
      const child = spawn(process.execPath, [bundle, ...given], { cwd: root })
      let output = ""
      let error = ""
      child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text))
      child.stderr.setEncoding("utf8").on("data", (text: string) => (error += text))
      // It may end without having read all.
      child.stdin.on("error", () => undefined).end(input)
      child.on("close", (code) => resume(Effect.succeed({ code, output, error })))
      return Effect.sync(() => child.kill("SIGKILL"))
    })
  )

/** The same in this process, which takes a hundredth of the time; it reads nothing. */
export const wieldHere = (given: ReadonlyArray<string>) =>
  Console.consoleWith((console) => {
    const told = { output: "", error: "" }
    const into = (name: keyof typeof told) => (text: unknown) =>
      Effect.sync(() => {
        told[name] += `${String(text)}\n`
      })
    return Cli.run(["node", "wield", ...given]).pipe(
      Effect.map((code): Ended => ({ code, ...told })),
      Console.withConsole({ ...console, log: into("output"), error: into("error") }),
      Effect.provide(NodeContext.layer)
    )
  })
