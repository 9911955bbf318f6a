/** A shop's agent, whose conversations live in a cluster. Runners and clients share this module. */
import { Tool, Toolkit } from "@effect/ai"
import { Agent } from "@wield/agent"
import { AgentEntity } from "@wield/cluster"
import { Approval, Hidden, Journal, Toolset } from "@wield/core"
import { FunctionModel, ScriptedModel } from "@wield/testing"
import { Config, Effect, Layer, Schema } from "effect"

const GetOrder = Tool.make("get_order", {
  description: "What the customer has ordered",
  parameters: { customerId: Schema.String },
  success: Schema.Struct({ item: Schema.String, euros: Schema.Number })
})
  .annotate(Tool.Readonly, true)
  .pipe(Hidden.fields("customerId"))

const Refund = Tool.make("refund", {
  description: "Pays money back",
  parameters: { euros: Schema.Number },
  success: Schema.String
})

class Orders extends Toolkit.make(GetOrder, Refund) {}

/** What was paid back. A real shop asks its bank. */
export const refunds: Array<number> = []

const OrdersLive = Orders.toLayer(
  Effect.gen(function* () {
    const pace = yield* Config.duration("SHOP_PACE").pipe(Config.withDefault("0 millis"))
    return {
      get_order: ({ customerId }) =>
        Effect.delay(Effect.succeed({ item: `a kettle for ${customerId}`, euros: 30 }), pace),
      refund: ({ euros }) => Effect.sync(() => (refunds.push(euros), `${euros} euros are on their way`))
    }
  })
)

/** Stands for a model: it looks at the order, pays it back, and says so. */
const model = FunctionModel.make(({ messages }) => {
  const results = messages.filter(({ _tag }) => _tag === "Results").length
  return Effect.succeed(
    results === 0
      ? ScriptedModel.turn(ScriptedModel.call("get_order", {}))
      : results === 1
        ? ScriptedModel.turn(ScriptedModel.call("refund", { euros: 30 }))
        : ScriptedModel.text("You have your 30 euros back.")
  )
})

/** The name stands in the database: never change it. */
export const Shop = AgentEntity.make("shop", { context: Schema.Struct({ customerId: Schema.String }) })

/** What a runner serves, over `Cluster.layerFile` or `Cluster.layerPostgres`. */
export const ShopLive = Shop.toLayer(
  Effect.gen(function* () {
    return yield* Agent.make({
      model: yield* model,
      toolset: yield* Toolset.fromToolkit(Orders),
      policy: {
        journal: yield* Journal.Journal,
        approval: { refund: () => Approval.ask("it moves money") }
      }
    })
  })
).pipe(Layer.provide(OrdersLive))
