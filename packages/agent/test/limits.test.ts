import { describe, expect, it } from "@effect/vitest"
import { Agent, Stop } from "@wield/agent"
import { ScriptedModel } from "@wield/testing"
import { Effect } from "effect"

describe("an agent whose limits no run can keep", () => {
  const wrong: ReadonlyArray<
    readonly [string, Partial<Agent.Config<{}, never, never, string, string, never, never, never, never, never, never>>]
  > = [
    ["stop", { stop: Stop.steps(0) }],
    ["stop", { stop: Stop.any(Stop.steps(3), Stop.tokens(-1)) }],
    ["stop", { stop: Stop.cost(Number.NaN, {}) }],
    // A program without types can give anything.
    ["stop", { stop: Stop.time("soon" as "1 second") }],
    ["retries", { retries: -2 }],
    ["mistakes.perTool", { mistakes: { perTool: -1 } }],
    ["mistakes.total", { mistakes: { total: 1.5 } }]
  ]
  for (const [path, limits] of wrong) {
    it.effect(`is refused when it is made: ${path}, ${limits.stop?.name ?? JSON.stringify(limits)}`, () =>
      Effect.gen(function* () {
        const model = yield* ScriptedModel.make([])
        const error = yield* Effect.flip(Agent.make({ model, ...limits }))
        expect(error._tag === "InvalidAgent" && error.path.join(".")).toBe(path)
      })
    )
  }
})
