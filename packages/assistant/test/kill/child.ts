/**
 * A process that changes memories and goals in a database until it is killed,
 * and writes a line after each step that was answered:
 * `child.ts <file or URL of Postgres> <name>`.
 */
import { writeSync } from "node:fs"
import { Effect } from "effect"
import { killedName, layerIn } from "./layers.js"
import { lives } from "./steps.js"

const [, , place = "", name = ""] = process.argv

/** Into the pipe at once: what was answered is known, whatever becomes of the process. */
const tell = (line: string) => Effect.sync(() => writeSync(1, `${line}\n`))

const live = (kind: string) =>
  Effect.gen(function* () {
    for (let count = 0; ; count++) {
      const item = `${name} ${kind} ${count}`
      const steps = lives[kind]?.steps(item) ?? []
      for (const [done, step] of steps.entries()) {
        yield* step
        yield* tell(JSON.stringify({ kind, item, done: done + 1 }))
        // Some are left as they are, at each step.
        if (count % (steps.length + 1) === done) break
      }
    }
  })

const program = Effect.zipRight(
  tell("ready"),
  Effect.forEach(Object.keys(lives), live, { concurrency: "unbounded", discard: true })
)

await Effect.runPromise(Effect.provide(program, layerIn(place, killedName)))
