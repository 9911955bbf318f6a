import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { eventually, processesWith } from "../executor/scripts.js"

const program = fileURLToPath(new URL("program.ts", import.meta.url))
const tsx = createRequire(import.meta.url).resolve("tsx")

const isLinux = process.platform === "linux" && existsSync("/bin/bash")

describe.skipIf(!isLinux)("scripts of a process that was killed (needs Linux and bash)", () => {
  it.scopedLive(
    "are ended with all that they have started, whatever session it is in",
    () =>
      Effect.gen(function* () {
        const mark = `guardian-${process.pid}-${Math.random()}`
        const folder = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "wield-guardian-"))),
          (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
        )
        const child = spawn(process.execPath, ["--import", tsx, program, mark], {
          env: { ...process.env, TMPDIR: folder },
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
        // Its temporary folder goes last.
        yield* eventually(() => !readdirSync(folder).some((name) => name.startsWith("wield-scripts-")))
      }),
    180_000
  )
})
