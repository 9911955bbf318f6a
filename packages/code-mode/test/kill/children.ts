/** The processes that run the program, as their tests see them. */
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { ChildConfig, Ended, Run } from "./program.js"

export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "wield-kills-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** How the runs of the process ended; `undefined` where it was killed before. */
export const runChild = (file: string, config: ChildConfig): Effect.Effect<ReadonlyArray<Ended | undefined>> =>
  Effect.flatMap(startChild(file, config), ({ ended }) => ended).pipe(Effect.scoped)

/** A process whose line `go` it waits for, where its configuration says so, once `ready` is over. */
export const startChild = (file: string, config: ChildConfig) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, [file, JSON.stringify(config)], { stdio: ["pipe", "pipe", "pipe"] })),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    ),
    (child) => {
      let [said, complaint] = ["", ""]
      child.stdout.on("data", (text) => (said += String(text)))
      child.stderr.on("data", (text) => (complaint += String(text)))
      const closed = new Promise<ReadonlyArray<Ended | undefined>>((resolve, reject) => {
        child.on("close", (code, signal) => {
          const lines = said.split("\n").filter((line) => line.startsWith("{"))
          const all = lines.map((line) => JSON.parse(line) as Ended)
          const ended = config.runs.map((_, index) => all.find(({ place }) => place === index))
          if (signal === "SIGKILL" || (code === 0 && all.length === ended.length)) resolve(ended)
          else reject(new Error(`the child ended with ${String(code)}: ${said}${complaint}`))
        })
      })
      closed.catch(() => {})
      return {
        ready: Effect.promise(() => new Promise<void>((resolve) => void child.stdout.once("data", () => resolve()))),
        go: Effect.sync(() => void child.stdin.end("go")),
        ended: Effect.promise(() => closed)
      }
    }
  )

/** What took effect, in order. */
export const effectsIn = (path: string): ReadonlyArray<number> =>
  existsSync(path) ? readFileSync(path, "utf8").trim().split("\n").map(Number) : []

export const fileJournal = (folder: string, name: string): Run["journal"] => ({
  _tag: "File",
  path: join(folder, `${name}.db`)
})

/** What differs from the result of a program that was not killed, with its place. */
export const differences = (found: unknown, wanted: unknown): ReadonlyArray<unknown> =>
  typeof wanted === "object" && wanted !== null && typeof found === "object" && found !== null
    ? Object.entries(wanted).flatMap(([key, value]) => differences(Reflect.get(found, key), value))
    : found === wanted
      ? []
      : [found]
