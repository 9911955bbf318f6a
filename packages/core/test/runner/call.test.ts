import { describe, expect, it } from "@effect/vitest"
import { Approval, CallContext, ToolCallError, ToolRunner, Toolset } from "@wield/core"
import { Effect, Fiber, TestClock } from "effect"
import { jobs } from "../tools/Job.js"
import { NoSuchOrder, Order, shop, TooMuch } from "../tools/Shop.js"

const shopRunner = Effect.flatMap(shop, (toolset) => ToolRunner.make(toolset))

describe("Runner.call", () => {
  it.scoped("gives the handler's value, decoded", () =>
    Effect.gen(function* () {
      const runner = (yield* shopRunner).forRun({ context: { customerId: "c_1" } })
      const { customer, orders } = yield* runner.call("get_orders", { status: "open" })
      expect(customer).toBe("c_1")
      expect(orders[0]).toBeInstanceOf(Order)
    })
  )
  it.scoped("fails with the tool's failure, whatever its failureMode", () =>
    Effect.gen(function* () {
      const runner = yield* shopRunner
      expect(yield* Effect.flip(runner.call("refund", { amount: 2000 }))).toEqual(new TooMuch({ limit: 1000 }))
      expect(yield* Effect.flip(runner.call("cancel", { number: 8 }))).toEqual(new NoSuchOrder({ number: 8 }))
    }).pipe(CallContext.provide({ customerId: "c_1" }))
  )
  it.scoped("fails with what is wrong with parameters that the types could not exclude", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip((yield* shopRunner).call("refund", { amount: -1 }))
      expect(error).toBeInstanceOf(ToolCallError)
      expect(error).toMatchObject({ outcome: { _tag: "InvalidArguments", name: "refund" } })
      expect(error.message).toContain("amount: expected a number greater than 0, received -1")
    }).pipe(CallContext.provide({ customerId: "c_1" }))
  )
  it.scoped("is subject to the policy: denied, deferred, timed out, not offered", () =>
    Effect.gen(function* () {
      const reason = <R>(effect: Effect.Effect<unknown, unknown, R>) =>
        Effect.map(Effect.flip(effect), (error) => (error instanceof ToolCallError ? error.outcome._tag : error))
      const denying = yield* ToolRunner.make(yield* shop, { approval: () => Approval.deny("closed") })
      expect(yield* reason(denying.call("refund", { amount: 1 }))).toBe("Denied")
      const asking = yield* ToolRunner.make(yield* shop, { approval: () => Approval.ask() })
      expect(yield* reason(asking.call("refund", { amount: 1 }))).toBe("Deferred")
      const runner = yield* shopRunner
      expect(
        yield* reason(
          runner.forRun({ context: { customerId: "c_1" }, offered: ["cancel"] }).call("refund", { amount: 1 })
        )
      ).toBe("Unavailable")
      expect(yield* reason(runner.call("get_orders", { status: "open" }))).toBe("MissingContext")
      const slow = yield* ToolRunner.make(yield* jobs(() => Effect.never), { limits: { default: { timeout: 1 } } })
      const fiber = yield* Effect.fork(reason(slow.call("job", {})))
      yield* TestClock.adjust(1)
      expect(yield* Fiber.join(fiber)).toBe("TimedOut")
    }).pipe(CallContext.provide({ customerId: undefined }))
  )
  it.scoped("says in its message how the call ended", () =>
    Effect.gen(function* () {
      const denying = yield* ToolRunner.make(yield* shop, { approval: () => Approval.deny("closed") })
      const error = yield* Effect.flip(denying.call("refund", { amount: 1 }))
      expect(error.message).toBe(
        "The call of refund ended as Denied: The call of refund was denied and not run: closed"
      )
      const asking = yield* ToolRunner.make(yield* shop, { approval: () => Approval.ask() })
      const waiting = yield* Effect.flip(asking.call("refund", { amount: 1 }))
      expect(waiting.message).toBe(
        "The call of refund ended as Deferred: it waits for approval, and nothing was run. " +
          "`call` takes no answer: run it as a call of a model, and answer that"
      )
    }).pipe(CallContext.provide({ customerId: "c_1" }))
  )
  it.scoped("ignores a hidden field that the program tries to set", () =>
    Effect.gen(function* () {
      const runner = yield* shopRunner
      // @ts-expect-error hidden fields come from the call context, for a program too
      const orders = runner.call("get_orders", { status: "open", customerId: "evil" })
      const { customer } = yield* orders.pipe(CallContext.provide({ customerId: "c_1" }))
      expect(customer).toBe("c_1")
    })
  )
  it.scoped("never replays: each call of a program is a call of its own", () =>
    Effect.gen(function* () {
      let runs = 0
      const runner = (yield* ToolRunner.make(yield* jobs(() => Effect.sync(() => ++runs)))).forRun({})
      expect([yield* runner.call("job", {}), yield* runner.call("job", {})]).toEqual([1, 2])
    })
  )
  it.scoped("goes by the name that is offered", () =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make(
        (yield* shop).pipe(Toolset.prefix("shop_"), Toolset.rename({ shop_refund: "pay_back" }))
      )
      expect(yield* runner.call("pay_back", { amount: 1 })).toBe("refunded 1")
    }).pipe(CallContext.provide({ customerId: "c_1" }))
  )
})
