import { expect, it } from "@effect/vitest"
import { Issue, Outcome, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect } from "effect"

it("a key of a megabyte is not said back", () => {
  const path = ["a".repeat(1_000_000), 0, '"'.repeat(1_000_000)]
  expect(Issue.pathToText(path).length).toBeLessThan(500)
  expect(Issue.pathToText(["items", 0, "a-b", "c"])).toBe('items[0]["a-b"].c')
})

it.effect("a model that sends keys of a megabyte reads no more than a page", () =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.dynamic([
      { name: "t", inputSchema: { type: "object", properties: {}, required: ["a"] }, execute: Effect.succeed }
    ])
    const runner = yield* ToolRunner.make(toolset, { unknownArguments: "reject" })
    const outcome = yield* runner.run(ToolCall.make("c", "t", { ["k".repeat(1_000_000)]: 1 }))
    expect(outcome._tag).toBe("InvalidArguments")
    expect(Outcome.text(outcome)?.length).toBeLessThan(1000)
  })
)
