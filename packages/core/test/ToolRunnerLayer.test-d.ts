import { Tool, Toolkit } from "@effect/ai"
import { type Journal, type Policy, ToolRunner, Toolset, type ToolsetError } from "@wield/core"
import type { Effect, Layer } from "effect"
import { Schema } from "effect"
import { describe, expectTypeOf, it } from "vitest"

const Bank = Toolkit.make(Tool.make("pay", { success: Schema.String }))
type BankTools = Toolkit.Tools<typeof Bank>

class NoPolicy extends Schema.TaggedError<NoPolicy>()("NoPolicy", {}) {}

describe("ToolRunner.layer", () => {
  it("takes its policy from an effect that has needs and errors of its own", () => {
    const layerOf = (policy: Effect.Effect<Policy.Policy<BankTools>, NoPolicy, Journal.Journal>) =>
      ToolRunner.layer(Toolset.fromToolkit(Bank), policy)
    expectTypeOf<ReturnType<typeof layerOf>>().toEqualTypeOf<
      Layer.Layer<ToolRunner.ToolRunner, ToolsetError | NoPolicy, Tool.HandlersFor<BankTools> | Journal.Journal>
    >()
  })
})

describe("ToolRunner.Watcher", () => {
  it("watches any tools where it takes any outcome, and others only where it knows theirs", () => {
    expectTypeOf<ToolRunner.Watcher>().toExtend<ToolRunner.Watcher<BankTools>>()
    expectTypeOf<ToolRunner.Watcher<BankTools>>().not.toExtend<ToolRunner.Watcher>()
  })
})
