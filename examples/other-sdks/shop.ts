/** The tools of all programs in this folder. */
import { Tool, Toolkit } from "@effect/ai"
import { Approval, Hidden, ToolRunner, Toolset } from "@wield/core"
import { Effect, Schema } from "effect"

const Refund = Tool.make("refund", {
  description: "Pays money back to the customer",
  parameters: { customerId: Schema.String, amount: Schema.Number },
  success: Schema.String
}).pipe(Hidden.fields("customerId"))

class Shop extends Toolkit.make(Refund) {}
const ShopLive = Shop.toLayer({
  refund: ({ amount, customerId }) => Effect.succeed(`${amount} to ${customerId}`)
})

/** The run of one request of a customer. */
export const openRun = Effect.gen(function* () {
  const runner = yield* ToolRunner.make(yield* Toolset.fromToolkit(Shop), {
    approval: { refund: ({ parameters }) => (parameters.amount > 100 ? Approval.ask("over 100") : Approval.allow) }
  })
  return runner.forRun({ id: "request 7", context: { customerId: "c_42" } })
}).pipe(Effect.provide(ShopLive))
