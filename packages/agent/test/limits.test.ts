import { describe, expect, it } from "@effect/vitest"
import { Agent, Stop } from "@wield/agent"
import { Approval } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Effect, Schema } from "effect"

describe("an agent whose limits no run can keep", () => {
  const wrong: ReadonlyArray<
    readonly [string, Partial<Agent.Config<{}, never, never, string, string, never, never, never, never, never, never>>]
  > = [
    ["stop", { stop: Stop.steps(0) }],
    ["stop", { stop: Stop.any(Stop.steps(3), Stop.tokens(-1)) }],
    ["stop", { stop: Stop.cost(Number.NaN, {}) }],
    // A program without types can give anything.
    ["stop", { stop: Stop.time("soon" as "1 second") }],
    ["startEarly", { startEarly: "nevr" as "never" }],
    ["whenInterrupted", { whenInterrupted: "kept" as "keep" }],
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
  it.effect("is refused with an option that no agent has, as plain JavaScript may spell one", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make([])
      const config = { model, signin: { secrets: [] } } as { readonly model: typeof model }
      const error = yield* Effect.flip(Agent.make(config))
      expect(error.message).toBe(
        'signin of the agent must be named as an option is (did you mean "signing"?), but is named "signin"'
      )
    })
  )
})

it.effect("no rule of all tools, by function or under *, is asked about the final output", () =>
  Effect.gen(function* () {
    const ask = () => Approval.ask()
    for (const approval of [ask, { "*": ask }]) {
      const model = yield* ScriptedModel.make([ScriptedModel.call("final_answer", { value: "42" })])
      const agent = yield* Agent.make({ model, output: Schema.Struct({ value: Schema.String }), policy: { approval } })
      expect(yield* Agent.run(agent, "?")).toMatchObject({ _tag: "Finished", output: { value: "42" } })
    }
  })
)
