import { Tool, Toolkit } from "@effect/ai"
import { Approval, Hidden, ToolCall, Toolset } from "@wield/core"
import { Context, Effect, Layer, Schema, TestClock } from "effect"
import * as Laws from "./Laws.js"
import {
  describe,
  expect,
  expectDeferred,
  expectDenied,
  expectFailure,
  expectInvalidArguments,
  expectOutcome,
  expectSuccess,
  it
} from "./vitest.js"

class Orders extends Context.Tag("Orders")<Orders, ReadonlyMap<string, ReadonlyArray<string>>>() {}

const Find = Tool.make("find_orders", {
  parameters: { customerId: Schema.String, since: Schema.optional(Schema.Date) },
  success: Schema.Array(Schema.String),
  failure: Schema.Struct({ reason: Schema.String })
}).pipe(Hidden.fields("customerId"))

const Refund = Tool.make("refund", { parameters: { amount: Schema.Number }, success: Schema.String })

const Shop = Toolkit.make(Find, Refund)

const ShopLive = Shop.toLayer(
  Effect.gen(function* () {
    const orders = yield* Orders
    return Shop.of({
      find_orders: ({ customerId, since }) =>
        since !== undefined && since.getTime() > 0
          ? Effect.fail({ reason: "no orders since then" })
          : Effect.succeed(orders.get(customerId) ?? []),
      refund: ({ amount }) => (amount < 0 ? Effect.dieMessage("negative") : Effect.succeed(`refunded ${amount}`))
    })
  })
)

const layer = ShopLive.pipe(Layer.provideMerge(Layer.succeed(Orders, new Map([["c_1", ["o_1"]]]))))

const options = { toolset: Toolset.fromToolkit(Shop), layer, context: { customerId: "c_1" } }

describe("it.tools", () => {
  it.tools("calls a tool by its typed arguments and gives its typed outcome", options, (tools) =>
    Effect.gen(function* () {
      const { result } = expectSuccess(yield* tools.find_orders())
      expect(result.map((id) => id.toUpperCase())).toEqual(["O_1"])
      const { failure, isRaised } = expectFailure(yield* tools.find_orders({ since: "2026-01-01T00:00:00.000Z" }))
      expect([failure.reason, isRaised]).toEqual(["no orders since then", true])
    })
  )

  it.tools(
    "applies the policy, and numbers the calls",
    {
      ...options,
      policy: {
        approval: {
          refund: ({ parameters }) => (parameters.amount > 100 ? Approval.deny("too much") : Approval.ask("refunds"))
        }
      }
    },
    (tools) =>
      Effect.gen(function* () {
        expect(expectDenied(yield* tools.refund({ amount: 101 })).reason).toBe("too much")
        const deferred = expectDeferred(yield* tools.refund({ amount: 1 }))
        expect([deferred.id, deferred.arguments.amount]).toEqual(["call_2", 1])
      })
  )

  it.tools("gives the run too, for calls that no type allows", options, (_, run) =>
    Effect.gen(function* () {
      const [broken, unknown] = yield* run.settle([
        ToolCall.make("a", "refund", '{"amount":'),
        ToolCall.make("b", "refunds", {})
      ])
      expect(expectInvalidArguments(broken!).issues.length).toBe(1)
      expect(expectOutcome(unknown!, "UnknownTool").nearest[0]).toBe("refund")
    })
  )

  it.tools(
    "has the test clock",
    {
      toolset: Toolset.dynamic([
        { name: "wait", inputSchema: { type: "object" }, execute: () => Effect.as(Effect.sleep("1 hour"), "done") }
      ])
    },
    (tools) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.fork(tools.wait!())
        yield* TestClock.adjust("1 hour")
        expect(expectSuccess(yield* fiber).encoded).toBe("done")
      })
  )

  it.tools("says how a call ended that was expected to end otherwise", options, (tools) =>
    Effect.gen(function* () {
      const died = yield* tools.refund({ amount: -1 })
      expect(() => expectSuccess(died)).toThrow(/call_1 of refund ended as Defect, not as Success: .*negative/)
      const fine = yield* tools.refund({ amount: 1 })
      expect(() => expectDenied(fine)).toThrow(/ended as Success, not as Denied: "refunded 1"/)
      const wrong = yield* tools.refund({ amount: "1" as unknown as number })
      expect(() => expectSuccess(wrong)).toThrow(/InvalidArguments.*amount: expected a number, received "1"/)
    })
  )
})

const tested: Array<string> = []

it.laws("it.laws, over tools that keep them", {
  toolset: Effect.tap(
    Toolset.dynamic([
      {
        name: "echo",
        inputSchema: { type: "object", properties: { text: { type: "string" } } },
        execute: (args) => Effect.succeed(args)
      }
    ]),
    () => Effect.sync(() => tested.push("made"))
  ),
  runs: 5
})

it("makes a test of each law", () => {
  expect(tested.length).toBe(Laws.names.length)
})

it("leaves vitest's own it as it is", () => {
  expect("tools" in it.skip).toBe(false)
})
