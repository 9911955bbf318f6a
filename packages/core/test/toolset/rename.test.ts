import { describe, expect, it } from "@effect/vitest"
import { Approval, CallContext, ToolCall, type ToolNameCollision, ToolRunner, Toolset } from "@wield/core"
import { Effect } from "effect"
import { expectOutcome } from "../tools/outcomes.js"
import { recordLogs } from "../recording/Logs.js"
import { shop } from "../tools/Shop.js"

const namesOf = <Tools, R, E>(toolset: Toolset.Toolset<Tools, R, E>) =>
  Effect.map(
    Effect.flatMap(ToolRunner.make(toolset), ({ definitions }) => definitions),
    (definitions) => definitions.map(({ name }) => name)
  )

describe("prefix", () => {
  it.scoped("puts a text before every name, and the old names are unknown", () =>
    Effect.gen(function* () {
      const prefixed = Toolset.prefix(yield* shop, "shop_")
      expect(yield* namesOf(prefixed)).toEqual(["shop_get_orders", "shop_refund", "shop_cancel", "shop_show_chart"])
      const runner = yield* ToolRunner.make(prefixed)
      expectOutcome(yield* runner.run(ToolCall.make("c", "shop_refund", { amount: 1 })), "Success")
      expectOutcome(yield* runner.run(ToolCall.make("c", "refund", { amount: 1 })), "UnknownTool")
    }).pipe(CallContext.provide({ customerId: "c_1" }))
  )
  it.scoped("can be put before a prefix", () =>
    Effect.gen(function* () {
      const twice = (yield* shop).pipe(Toolset.prefix("b_"), Toolset.prefix("a_"), Toolset.select("a_b_cancel"))
      expect(yield* namesOf(twice)).toEqual(["a_b_cancel"])
    })
  )
  it.scoped("is the name under which the policy knows the tool", () =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make((yield* shop).pipe(Toolset.prefix("shop_")), {
        approval: { shop_refund: () => Approval.deny("closed") }
      })
      expectOutcome(yield* runner.run(ToolCall.make("c", "shop_refund", { amount: 1 })), "Denied")
    }).pipe(CallContext.provide({ customerId: "c_1" }))
  )
  it.scoped("goes for what is withheld, too", () =>
    Effect.gen(function* () {
      const toolset = (yield* shop).pipe(
        Toolset.filter(({ name }) => name !== "refund"),
        Toolset.prefix("shop_")
      )
      const runner = yield* ToolRunner.make(toolset)
      expectOutcome(yield* runner.run(ToolCall.make("c", "shop_refund", { amount: 1 })), "Unavailable")
    }).pipe(CallContext.provide({ customerId: "c_1" }))
  )
})

describe("rename", () => {
  it.scoped("gives some tools other names and keeps their order", () =>
    Effect.gen(function* () {
      const renamed = Toolset.rename(yield* shop, { refund: "pay_back" })
      expect(yield* namesOf(renamed)).toEqual(["get_orders", "pay_back", "cancel", "show_chart"])
      const runner = yield* ToolRunner.make(renamed)
      expectOutcome(yield* runner.run(ToolCall.make("c", "pay_back", { amount: 1 })), "Success")
      expectOutcome(yield* runner.run(ToolCall.make("c", "refund", { amount: 1 })), "UnknownTool")
    }).pipe(CallContext.provide({ customerId: "c_1" }))
  )
  it.scoped("can swap two names", () =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make((yield* shop).pipe(Toolset.rename({ refund: "cancel", cancel: "refund" })))
      expect(yield* runner.call("cancel", { amount: 1 })).toBe("refunded 1")
      expect(yield* runner.call("refund", { number: 7 })).toBeUndefined()
    }).pipe(CallContext.provide({ customerId: "c_1" }))
  )
  it.effect("to a name that another dynamic tool has is an error where the runner is made", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.dynamic(["a", "b", "c"].map((name) => ({ name, execute: () => Effect.void })))
      const error = yield* Effect.flip(ToolRunner.make(toolset.pipe(Toolset.rename({ a: "b" }))))
      expect((error as ToolNameCollision).names).toEqual(["b"])
      const fromOutside: { readonly [old: string]: string } = { a: "x", b: "x" }
      const twice = yield* Effect.flip(ToolRunner.make(toolset.pipe(Toolset.rename(fromOutside))))
      expect((twice as ToolNameCollision).names).toEqual(["x"])
    })
  )
  it.effect("of a name that no dynamic tool has changes nothing, and says so", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.dynamic([{ name: "a", execute: () => Effect.void }])
      const { lines, value } = yield* recordLogs(namesOf(toolset.pipe(Toolset.rename({ toString: "b", b: "c" }))))
      expect(value).toEqual(["a"])
      expect(lines[0]).toContain('Toolset.rename names "toString", but no tool has that name now (there are a)')
    })
  )
})
