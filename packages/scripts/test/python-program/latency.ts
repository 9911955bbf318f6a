/**
 * Prints what a call costs over its function's own time, from Wield's worker to
 * the answer: `npx tsx packages/scripts/test/python-program/latency.ts`.
 * "Apart" is with 3 ms between calls, so that the next child is ready; "in a
 * row" waits for it.
 */
import * as Effect from "effect/Effect"
import type { Mode } from "../../src/worker/Program.js"
import { startPython } from "./python.js"

const text = `def run(a: str, b: float):\n    return {"a": a, "b": b}\n`
const parameters = { a: "x", b: 1 }

/** The second half: the first one warms up. */
const figures = (times: ReadonlyArray<number>): string => {
  const sorted = times.slice(times.length / 2).toSorted((one, other) => one - other)
  const at = (part: number) => (sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(3)
  return `min ${at(0)} ms, median ${at(0.5)} ms`
}

const timed = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<number, E, R> =>
  Effect.suspend(() => {
    const begun = performance.now()
    return Effect.map(effect, () => performance.now() - begun)
  })

const measure = (mode: Mode, calls: number) =>
  Effect.gen(function* () {
    const { call } = yield* startPython(mode, text)
    const row: Array<number> = []
    const apart: Array<number> = []
    for (let index = 0; index < calls; index++) row.push(yield* timed(call(parameters)))
    for (let index = 0; index < calls; index++) {
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 3)))
      apart.push(yield* timed(call(parameters)))
    }
    console.log(`${mode}: apart ${figures(apart)}; in a row ${figures(row)}`)
  }).pipe(Effect.scoped)

const program = Effect.gen(function* () {
  yield* measure("fork", 1000)
  yield* measure("keep", 1000)
  const once: Array<number> = []
  for (let index = 0; index < 40; index++) {
    const started = Effect.flatMap(startPython("once", text), ({ call }) => timed(call(parameters)))
    once.push(yield* timed(Effect.scoped(started)))
  }
  console.log(`once, with starting and ending: ${figures(once)}`)
})

await Effect.runPromise(program)
