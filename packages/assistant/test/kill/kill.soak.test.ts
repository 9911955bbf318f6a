import { SqlClient } from "@effect/sql/SqlClient"
import { describe, expect, it, layer } from "@effect/vitest"
import { SearchIndex } from "@wield/assistant/SearchIndex"
import { Effect, Random, Schema } from "effect"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { bundleOf } from "../../../../test/programs.js"
import * as Postgres from "../../../../test/postgres/Postgres.js"
import { disagreements } from "./agree.js"
import { killedName, layerIn } from "./layers.js"
import { lifeOf, user } from "./steps.js"

const Answered = Schema.parseJson(Schema.Struct({ kind: Schema.String, item: Schema.String, done: Schema.Int }))

type Answered = typeof Answered.Type

/** What a process has answered until it is killed, which is so many milliseconds after it has answered so many steps. */
const runUntilKilled = (program: string, place: string, name: string, steps: number, milliseconds: number) =>
  Effect.async<ReadonlyArray<string>>((resume) => {
    const child = spawn(process.execPath, [program, place, name], { stdio: ["ignore", "pipe", "pipe"] })
    const lines: Array<string> = []
    let complaint = ""
    child.stderr.on("data", (text) => (complaint += String(text)))
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line !== "ready") lines.push(line)
      if (lines.length === steps) setTimeout(() => child.kill("SIGKILL"), milliseconds)
    })
    child.on("close", (code, signal) =>
      resume(
        signal === "SIGKILL"
          ? Effect.succeed(lines)
          : Effect.dieMessage(`the process ended by itself with exit code ${code}: ${complaint}`)
      )
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** How far each item had come when its process was killed. */
const lastOf = (lines: ReadonlyArray<Answered>): ReadonlyArray<Answered> => [
  ...new Map(lines.map((line) => [line.item, line])).values()
]

/** Postgres learns that a process was killed a moment later, and may be ending what it was asked for. */
const left = Effect.flatMap(SqlClient, (sql) =>
  sql.onDialectOrElse({
    pg: () =>
      Effect.repeat(sql`SELECT pid FROM pg_stat_activity WHERE application_name = ${killedName}`, {
        until: (connections) => connections.length === 0
      }),
    orElse: () => Effect.void
  })
)

/** What is amiss after so many times two processes at once were killed, and how many items they had answered. */
const killed = (program: string, place: string, kills: number) =>
  Effect.gen(function* () {
    const known: Array<Answered> = []
    const amiss: Array<unknown> = []
    for (let kill = 0; kill < kills; kill++) {
      const lines = yield* Effect.forEach(
        ["first", "second"],
        (name) =>
          Effect.gen(function* () {
            const steps = yield* Random.nextIntBetween(1, 60)
            const milliseconds = yield* Random.nextRange(0, 20)
            return yield* runUntilKilled(program, place, `${name} process ${kill}`, steps, milliseconds)
          }),
        { concurrency: "unbounded" }
      )
      const answered = lastOf(yield* Effect.forEach(lines.flat(), (line) => Schema.decode(Answered)(line)))
      known.push(...answered)

      yield* Effect.gen(function* () {
        yield* left
        amiss.push(...(yield* disagreements))
        for (const { done, item, kind } of known) {
          const seen = yield* lifeOf(kind).seen(item)
          // The step that was going on may be done, or not: never half.
          if (!seen.includes(done) && !seen.includes(done + 1)) amiss.push({ item, done, seen })
        }
        const index = yield* SearchIndex
        // What has a step left after the one that was going on is there, and found.
        for (const { item } of answered.filter(({ done }) => done < 3)) {
          const { hits } = yield* index.search(user, { text: item, limit: 100 })
          if (!hits.some(({ title }) => title === item)) amiss.push({ item, hits })
        }
      }).pipe(Effect.provide(layerIn(place)))
    }
    return { amiss, answered: known.length }
  }).pipe(Effect.withRandom(Random.make("killed assistants")))

describe("memories and goals in a file", () => {
  it.scopedLive(
    "are whole, and have all that was answered, after two processes at once were killed again and again",
    () =>
      Effect.gen(function* () {
        const program = yield* bundleOf(new URL("child.ts", import.meta.url))
        const folder = yield* Effect.acquireRelease(
          Effect.sync(() => mkdtempSync(join(tmpdir(), "wield-killed-"))),
          (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
        )
        const { amiss, answered } = yield* killed(program, join(folder, "assistant.db"), 8)
        expect(amiss).toEqual([])
        // Otherwise the processes were killed before they did anything.
        expect(answered).toBeGreaterThan(10)
      })
  )
})

layer(Postgres.layer, { excludeTestServices: true })("memories and goals in Postgres", (it) => {
  it.scoped("are whole, and have all that was answered, after two processes at once were killed again and again", () =>
    Effect.gen(function* () {
      const program = yield* bundleOf(new URL("child.ts", import.meta.url))
      const { url } = yield* Postgres.Postgres
      const { amiss, answered } = yield* killed(program, url, 5)
      expect(amiss).toEqual([])
      expect(answered).toBeGreaterThan(5)
    })
  )
})
