/**
 * The laws, tried on a small toolset: two tools that keep them, and one that
 * forgot what its own schema allows. `refund` is checked without being run.
 */
import * as assert from "node:assert/strict"
import { Tool, Toolkit } from "@effect/ai"
import { Hidden, Toolset } from "@wield/core"
import { Laws, OutcomeAssertions, ToolCalls } from "@wield/testing"
import { Effect, Schema } from "effect"

const FindOrders = Tool.make("find_orders", {
  description: "The customer's orders, newest first",
  parameters: {
    customerId: Schema.String,
    status: Schema.Literal("open", "shipped"),
    limit: Schema.optional(Schema.Int.pipe(Schema.between(1, 50)))
  },
  success: Schema.Array(Schema.Struct({ id: Schema.String, placed: Schema.Date }))
}).pipe(Hidden.fields("customerId"))

const Refund = Tool.make("refund", {
  description: "Pays money back for an order",
  parameters: { orderId: Schema.String, amount: Schema.Positive },
  success: Schema.String
})

const Average = Tool.make("average", {
  description: "The average of some amounts",
  parameters: { amounts: Schema.Array(Schema.Int) },
  success: Schema.JsonNumber
})

class Shop extends Toolkit.make(FindOrders, Refund, Average) {}

const ShopTest = Shop.toLayer({
  find_orders: ({ customerId, limit }) =>
    Effect.succeed([{ id: `${customerId}_o_1`, placed: new Date(0) }].slice(0, limit)),
  refund: () => Effect.dieMessage("the example must not come here"),
  // Of no amounts it is NaN, which is no JSON.
  average: ({ amounts }) => Effect.succeed(amounts.reduce((sum, amount) => sum + amount, 0) / amounts.length)
})

const program = Effect.gen(function* () {
  const shop = yield* Toolset.fromToolkit(Shop)
  const context = { customerId: "c_42" }

  const { tools } = yield* ToolCalls.make(shop, { context })
  const found = OutcomeAssertions.expectSuccess(yield* tools.find_orders({ status: "open" }))
  console.log(`find_orders gave ${found.text}\n`)

  const report = yield* Laws.check(shop, { context, except: ["refund"] })
  console.log(Laws.render(report))
  return report
})

const report = await Effect.runPromise(program.pipe(Effect.provide(ShopTest)))
const broken = report.laws.flatMap(({ violations }) => violations)
assert.deepEqual(
  broken.map(({ counterexample, law, tool }) => ({ law, tool, counterexample })),
  [{ law: "valid-arguments", tool: "average", counterexample: '{"amounts":[]}' }]
)
console.log("\nOne law is broken, by average alone: its schema has to demand an amount.")
