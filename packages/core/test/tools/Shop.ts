/**
 * A shop: a read-only tool with a hidden field, a tool whose failure the model
 * is told, one whose failure is raised, one that a client executes.
 */
import { Tool, Toolkit } from "@effect/ai"
import { Facts, Hidden, Toolset } from "@wield/core"
import { Effect, Schema } from "effect"

export class Order extends Schema.Class<Order>("Order")({
  number: Schema.Int,
  placedAt: Schema.Date
}) {}

export class TooMuch extends Schema.TaggedError<TooMuch>("TooMuch")("TooMuch", {
  limit: Schema.Number
}) {}

export class NoSuchOrder extends Schema.TaggedError<NoSuchOrder>("NoSuchOrder")("NoSuchOrder", {
  number: Schema.Int
}) {}

export const GetOrders = Tool.make("get_orders", {
  description: "The orders of the customer",
  parameters: { customerId: Schema.String, status: Schema.Literal("open", "shipped") },
  success: Schema.Struct({ customer: Schema.String, orders: Schema.Array(Order) })
})
  .annotate(Tool.Readonly, true)
  .pipe(Hidden.fields("customerId"))

export const Refund = Tool.make("refund", {
  description: "Pays money back",
  parameters: { amount: Schema.Number.pipe(Schema.positive()), reason: Schema.optional(Schema.String) },
  success: Schema.String,
  failure: TooMuch,
  failureMode: "return"
})

export const Cancel = Tool.make("cancel", {
  description: "Cancels an order",
  parameters: { number: Schema.Int },
  failure: NoSuchOrder,
  failureMode: "error"
}).annotate(Tool.Idempotent, true)

export const ShowChart = Tool.make("show_chart", {
  description: "Shows a chart to the customer",
  parameters: { title: Schema.String },
  success: Schema.Struct({ shown: Schema.Boolean }),
  failure: Schema.Struct({ problem: Schema.String }),
  failureMode: "return"
}).pipe(Facts.client)

export const Shop = Toolkit.make(GetOrders, Refund, Cancel, ShowChart)

export const ShopLive = Shop.toLayer({
  get_orders: ({ customerId }) =>
    Effect.succeed({ customer: customerId, orders: [new Order({ number: 7, placedAt: new Date(0) })] }),
  refund: ({ amount }) =>
    amount > 1000 ? Effect.fail(new TooMuch({ limit: 1000 })) : Effect.succeed(`refunded ${amount}`),
  cancel: ({ number }) => (number === 7 ? Effect.void : Effect.fail(new NoSuchOrder({ number })))
})

/** The whole shop as a toolset. */
export const shop = Toolset.fromLayer(Shop, ShopLive)
