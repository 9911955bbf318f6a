import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { sized } from "../../../../test/sizes.js"
import { makeExecutor } from "./scripts.js"

// Each has tests of its own; what they have in common is that all languages answer alike.
for (const isolation of sized(["shared"] as const, ["worker", "process", "shared"] as const)) {
  it.scopedLive(`in isolation ${isolation}, all languages answer alike, call after call`, () =>
    Effect.gen(function* () {
      const { run } = yield* makeExecutor({ isolation })
      for (let index = 0; index < (isolation === "process" ? 1 : sized(2, 3)); index++) {
        expect(yield* run("python", "def run(a):\n  return {'a': a}\n", { a: "ü" })).toEqual({ a: "ü" })
        expect(yield* run("javascript", "export function run(a) { return { a } }\n", { a: "ü" })).toEqual({ a: "ü" })
        expect(
          yield* run("typescript", "export function run(a: string): { a: string } { return { a } }\n", { a: "ü" })
        ).toEqual({ a: "ü" })
        expect(yield* run("bash", 'main() { echo \'{"a": "ü"}\'; }\n')).toEqual({ a: "ü" })
      }
    })
  )
}
