import { describe, expect, it } from "@effect/vitest"
import { SearchIndex } from "@wield/assistant/SearchIndex"
import { Effect, Random, Schema } from "effect"
import { spawn } from "node:child_process"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { bundled } from "../../../../test/kill/bundle.js"
import { disagreements } from "./agree.js"
import { layerIn } from "./layers.js"
import { lifeOf, user } from "./steps.js"

const Answered = Schema.parseJson(Schema.Struct({ kind: Schema.String, item: Schema.String, done: Schema.Int }))

type Answered = typeof Answered.Type

/** What a process has answered until it is killed, so many milliseconds after it was ready. */
const runUntilKilled = (program: string, path: string, name: string, milliseconds: number) =>
  Effect.async<ReadonlyArray<string>>((resume) => {
    const child = spawn(process.execPath, [program, path, name], { stdio: ["ignore", "pipe", "pipe"] })
    const lines: Array<string> = []
    let complaint = ""
    child.stderr.on("data", (text) => (complaint += String(text)))
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line === "ready") setTimeout(() => child.kill("SIGKILL"), milliseconds)
      else lines.push(line)
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

describe("memories and goals in a file", () => {
  it.scopedLive(
    "are whole, and have all that was answered, after their process was killed at each of 10 moments",
    () =>
      Effect.gen(function* () {
        const program = yield* bundled(new URL("child.ts", import.meta.url))
        const path = join(dirname(program), "assistant.db")
        const known: Array<Answered> = []
        for (let kill = 0; kill < 10; kill++) {
          const lines = yield* runUntilKilled(program, path, `process ${kill}`, yield* Random.nextRange(20, 700))
          const answered = lastOf(yield* Effect.forEach(lines, (line) => Schema.decode(Answered)(line)))
          known.push(...answered)

          const amiss = yield* Effect.gen(function* () {
            const amiss: Array<unknown> = [...(yield* disagreements)]
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
            return amiss
          }).pipe(Effect.provide(layerIn(path)))

          expect(amiss).toEqual([])
        }
        // Otherwise the processes were killed before they did anything.
        expect(known.length).toBeGreaterThan(50)
      }).pipe(Effect.withRandom(Random.make("killed assistants"))),
    120_000
  )
})
