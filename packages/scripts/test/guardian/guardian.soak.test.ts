import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bundleOf } from "../../../../test/programs.js"
import { eventually, processesWith } from "../executor/scripts.js"

const isLinux = process.platform === "linux" && existsSync("/bin/bash")

/** A folder for temporary files of one program, and that program. */
const start = (file: string, ...args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "wield-guardian-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    const child = spawn(process.execPath, [yield* bundleOf(new URL(file, import.meta.url)), ...args], {
      env: { ...process.env, TMPDIR: folder },
      stdio: ["ignore", "pipe", "inherit"]
    })
    yield* Effect.addFinalizer(() => Effect.sync(() => child.kill("SIGKILL")))
    const folders = () => readdirSync(folder).filter((name) => name.startsWith("wield-scripts-"))
    return { child, folders }
  })

describe.skipIf(!isLinux)("scripts of a process that was killed (needs Linux and bash)", () => {
  it.scopedLive("are ended with all that they have started, whatever session it is in", () =>
    Effect.gen(function* () {
      const mark = `guardian-${process.pid}-${Math.random()}`
      const { child, folders } = yield* start("program.ts", mark)
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
      yield* eventually(() => folders().length === 0)
    })
  )

  it.scopedLive("leave no folder where it was killed before it ran one", () =>
    Effect.gen(function* () {
      const { child, folders } = yield* start("idle.ts")
      yield* Effect.promise(() => once(child.stdout, "data"))
      expect(folders()).toEqual([])
      child.kill("SIGKILL")
      yield* Effect.promise(() => once(child, "exit"))
      expect(folders()).toEqual([])
    })
  )
})
