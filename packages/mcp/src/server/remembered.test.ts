import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeRemembered } from "./remembered.js"

it.effect("knows of each call that it was made, and keeps of all results no more than 64 million characters", () =>
  Effect.gen(function* () {
    const { forget, journal } = makeRemembered()
    const call = (run: string, length: number) =>
      Effect.gen(function* () {
        const key = { run, call: "c", digest: "d" }
        // A run may have more calls than the one that is asked for.
        for (const each of [{ ...key, call: "within" }, key]) {
          yield* journal.begin(each, "read")
          yield* journal.finish(each, { _tag: "Success", encoded: "a".repeat(length / 2) })
        }
        yield* forget(run, run !== "without key")
        return Effect.map(journal.look(key), ({ _tag }) => _tag)
      })
    const first = yield* call("first", 30_000_000)
    const second = yield* call("second", 2)
    expect(yield* yield* call("without key", 30_000_000)).toBe("Fresh")
    const third = yield* call("third", 30_000_000)
    expect(yield* Effect.all([first, second, third])).toEqual(["Finished", "Finished", "Finished"])
    const fourth = yield* call("fourth", 30_000_000)
    expect(yield* Effect.all([first, second, third, fourth])).toEqual([
      "Interrupted",
      "Finished",
      "Finished",
      "Finished"
    ])
  })
)
