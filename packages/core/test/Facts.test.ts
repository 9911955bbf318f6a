import { expect, it } from "@effect/vitest"
import { Approval, Facts, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect } from "effect"
import { tagsOf } from "./tools/outcomes.js"

/** As an adapter hands on the hints of a server that gave none, where `exactOptionalPropertyTypes` is off. */
const hints = {
  isReadOnly: undefined,
  isDestructive: undefined,
  examples: undefined
} as unknown as Partial<Facts.Facts>

it("a fact that is given as undefined is unstated", () => {
  expect(Facts.make(hints)).toEqual(Facts.unstated)
})

it.effect("a dynamic tool whose facts are undefined is asked about by Approval.cautious", () =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.dynamic([{ name: "erase", facts: hints, execute: () => Effect.succeed("erased") }])
    const runner = yield* ToolRunner.make(toolset, { approval: Approval.cautious })
    expect(tagsOf([yield* runner.run(ToolCall.make("c", "erase", {}))])).toEqual(["Deferred"])
  })
)
