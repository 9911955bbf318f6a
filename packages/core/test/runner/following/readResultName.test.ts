import { expect, it } from "@effect/vitest"
import { Approval, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect } from "effect"
import { tagsOf } from "../../tools/outcomes.js"

it.effect("a tool from outside that is named read_result is asked about like any other", () =>
  Effect.gen(function* () {
    let runs = 0
    const toolset = yield* Toolset.dynamic([{ name: "read_result", execute: () => Effect.sync(() => ++runs) }])
    const runner = yield* ToolRunner.make(toolset, { approval: Approval.cautious })
    expect(tagsOf([yield* runner.run(ToolCall.make("c", "read_result", {}))])).toEqual(["Deferred"])
    expect(runs).toBe(0)
  })
)
