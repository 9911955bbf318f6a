import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { eventually, processesWith } from "../executor/scripts.js"

const program = fileURLToPath(new URL("program.ts", import.meta.url))
const tsx = createRequire(import.meta.url).resolve("tsx")

/** The guardian of a process, and what it was started with. */
const isLinux = process.platform === "linux" && existsSync("/bin/bash")

describe.skipIf(!isLinux)("scripts of a process that was killed (needs Linux and bash)", () => {
  it.scopedLive(
    "are ended with all that they have started, whatever session it is in",
    () =>
      Effect.gen(function* () {
        const mark = `guardian-${process.pid}-${Math.random()}`
        const child = spawn(process.execPath, ["--import", tsx, program, mark], {
          stdio: ["ignore", "ignore", "inherit"]
        })
        yield* Effect.addFinalizer(() => Effect.sync(() => child.kill("SIGKILL")))
        const left = () => processesWith(`GUARDIAN_TEST=${mark}`)
        // The loop, the shell, both that sleep in the background and the one before it.
        yield* eventually(
          () =>
            left().filter(({ command }) => command.includes("sleep")).length >= 3 &&
            left().some(({ command }) => command.includes("node"))
        )
        child.kill("SIGKILL")
        yield* eventually(() => left().length === 0)
        expect(left()).toEqual([])
      }),
    180_000
  )
})
