import { expect, it } from "@effect/vitest"
import { CallContext, Outcome, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect } from "effect"
import { expectOutcome } from "../../tools/outcomes.js"
import { shop } from "../../tools/Shop.js"

const shopRunner = Effect.flatMap(shop, (toolset) => ToolRunner.make(toolset))

it.scoped("a name that no tool has ends as UnknownTool with at most five names, the nearest first", () =>
  Effect.gen(function* () {
    const names = ["alpha", "beta", "gamma", "delta", "epsilon", "get_order", "get_orders_all"]
    const toolset = yield* Toolset.dynamic(names.map((name) => ({ name, execute: () => Effect.void })))
    const runner = yield* ToolRunner.make(toolset)
    const outcome = expectOutcome(yield* runner.run(ToolCall.make("c", "get_ordrs", {})), "UnknownTool")
    expect(outcome.nearest).toHaveLength(5)
    expect(outcome.nearest[0]).toBe("get_order")
    expect(outcome.nearest[1]).toBe("get_orders_all")
    expect(outcome.name).toBe("get_ordrs")
    expect(outcome.id).toBe("c")
  })
)

it.scoped("the nearest names are found whatever the case of the letters", () =>
  Effect.gen(function* () {
    const runner = yield* shopRunner
    const outcome = expectOutcome(yield* runner.run(ToolCall.make("c", "REFUND", { amount: 1 })), "UnknownTool")
    expect(outcome.nearest[0]).toBe("refund")
  }).pipe(CallContext.provide({ customerId: "c_1" }))
)

it.scoped("names are compared exactly: other case, spaces and prefixes are other names", () =>
  Effect.gen(function* () {
    const runner = yield* shopRunner
    for (const name of ["Refund", " refund", "refund ", "shop.refund", "functions.refund", ""]) {
      expectOutcome(yield* runner.run(ToolCall.make("c", name, { amount: 1 })), "UnknownTool")
    }
  }).pipe(CallContext.provide({ customerId: "c_1" }))
)

it.scoped("the model reads the unknown name quoted and cut, and the nearest names", () =>
  Effect.gen(function* () {
    const runner = yield* shopRunner
    const text = Outcome.text(yield* runner.run(ToolCall.make("c", "x".repeat(5000), {})))
    expect(text).toContain(`There is no tool named "${"x".repeat(80)}…". Available, the nearest names first: `)
    expect(text).toContain("refund")
    expect(text?.length).toBeLessThan(300)
  }).pipe(CallContext.provide({ customerId: "c_1" }))
)

it.scoped("a toolset without tools says that no tools are available", () =>
  Effect.gen(function* () {
    const runner = yield* ToolRunner.make(yield* Toolset.dynamic([]))
    const outcome = expectOutcome(yield* runner.run(ToolCall.make("c", "job", {})), "UnknownTool")
    expect(outcome.nearest).toEqual([])
    const result = Outcome.render(outcome)
    expect(result?.content).toMatchObject([{ text: 'There is no tool named "job". No tools are available.' }])
  })
)

it.scoped("a tool that is not offered in this turn ends as Unavailable, and is not among the nearest names", () =>
  Effect.gen(function* () {
    const runner = (yield* shopRunner).forRun({ context: { customerId: "c_1" }, offered: ["refund"] })
    const outcome = expectOutcome(yield* runner.run(ToolCall.make("c", "cancel", { number: 7 })), "Unavailable")
    expect(outcome.nearest).toEqual(["refund"])
    expect((yield* runner.definitions).map(({ name }) => name)).toEqual(["refund"])
    expectOutcome(yield* runner.run(ToolCall.make("d", "refund", { amount: 1 })), "Success")
  })
)

it.scoped("a name that is offered by the turn but that no tool has is unknown all the same", () =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.dynamic([{ name: "job", execute: () => Effect.void }])
    const runner = (yield* ToolRunner.make(toolset)).forRun({ offered: ["job", "ghost"] })
    expectOutcome(yield* runner.run(ToolCall.make("c", "ghost", {})), "UnknownTool")
  })
)
