import { Tool, Toolkit } from "@effect/ai"
import { expect, it } from "@effect/vitest"
import { Journal, Outcome, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect, Schema } from "effect"

const Pay = Tool.make("pay", { success: Schema.String })
const Look = Tool.make("look", { success: Schema.String }).annotate(Tool.Readonly, true)
const Shop = Toolkit.make(Pay, Look)
const shop = Effect.provide(
  Toolset.fromToolkit(Shop),
  Shop.toLayer({ look: () => Effect.succeed("seen"), pay: () => Effect.succeed("paid") })
)
const calls = [ToolCall.make("call_1", "pay", {}), ToolCall.make("call_2", "look", {})]

it.effect("a recovered run without a journal does not run what may have run before", () =>
  Effect.gen(function* () {
    const runner = yield* ToolRunner.make(yield* shop)
    const outcomes = yield* runner.forRun({ isRecovered: true }).runAll(calls)
    expect(outcomes.map((outcome) => outcome._tag)).toEqual(["Uncertain", "Success"])
    expect(outcomes[0]).toMatchObject({ reason: "unrecorded" })
    expect(outcomes.map(Outcome.text)[0]).toContain("there is no record of whether it was begun")
  })
)

it.effect("a recovered run asks its journal, which knows what was not begun", () =>
  Effect.gen(function* () {
    const runner = yield* ToolRunner.make(yield* shop, { journal: yield* Journal.memory })
    const outcomes = yield* runner.forRun({ isRecovered: true }).runAll(calls)
    expect(outcomes.map((outcome) => outcome._tag)).toEqual(["Success", "Success"])
  })
)
