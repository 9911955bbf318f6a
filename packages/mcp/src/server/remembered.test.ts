import { expect, it } from "@effect/vitest"
import type { Journal } from "@wield/core"
import { Effect } from "effect"
import { makeRemembered } from "./remembered.js"

const endings: ReadonlyArray<readonly [string, (text: string) => Journal.Ending]> = [
  ["results", (encoded) => ({ _tag: "Success", encoded })],
  ["questions", (asks) => ({ _tag: "Asked", input: { round: 1, asks, accepts: {} }, digest: "", isApproved: false })]
]

it.effect.each(endings)(
  "knows of each call that it was made, and keeps of all %s 64 million characters",
  ([, ending]) =>
    Effect.gen(function* () {
      const { forget, journal } = makeRemembered()
      const call = (run: string, length: number) =>
        Effect.gen(function* () {
          const key = { run, call: "c", digest: "d" }
          // A run may have more calls than the one that is asked for.
          yield* journal.begin({ ...key, call: "within" }, "read")
          yield* journal.finish({ ...key, call: "within" }, { _tag: "Success", encoded: "a".repeat(length / 2) })
          yield* journal.begin(key, "read")
          yield* journal.finish(key, ending("a".repeat(length / 2)))
          yield* forget(run, run === "without key" ? "no more" : "by key")
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
