/** The four tools of the shop: what a model may call, and how each call can succeed or fail. */
import { Tool, Toolkit } from "@effect/ai"
import { Facts, Hidden } from "@wield/core"
import { Schema } from "effect"
import { Tracking } from "./carriers.js"
import { AmountTooHigh, CustomerId, Order, OrderNotFound, Status } from "./orders.js"

const OrderId = Schema.String.annotations({ description: "An order's id, such as o_1001" })

const GetOrders = Tool.make("get_orders", {
  description: "Lists the customer's orders.",
  parameters: { customerId: CustomerId, status: Schema.optional(Status) },
  success: Schema.Array(Order)
})
  .annotate(Tool.Readonly, true)
  .pipe(Hidden.fields("customerId"))

export class NotShipped extends Schema.TaggedError<NotShipped>()("NotShipped", { orderId: Schema.String }) {}

const TrackParcel = Tool.make("track_parcel", {
  description: "Asks the carrier where the parcel of an order is.",
  parameters: { customerId: CustomerId, orderId: OrderId },
  success: Tracking,
  failure: Schema.Union(OrderNotFound, NotShipped),
  failureMode: "return"
})
  .annotate(Tool.Readonly, true)
  .pipe(Hidden.fields("customerId"))

const Refund = Tool.make("refund", {
  description: "Pays back all or part of what an order cost.",
  parameters: {
    customerId: CustomerId,
    orderId: OrderId,
    amount: Schema.Number.pipe(Schema.positive()).annotations({ description: "In euros" }),
    reason: Schema.String
  },
  success: Schema.Struct({ refundId: Schema.String, stillRefundable: Schema.Number }),
  failure: Schema.Union(OrderNotFound, AmountTooHigh),
  failureMode: "return"
}).pipe(Facts.sequential, Hidden.fields("customerId"))

/** Drawn where the customer is, not here: each call waits for the client. */
const ShowChart = Tool.make("show_chart", {
  description: "Shows the customer a bar chart.",
  parameters: {
    title: Schema.String,
    bars: Schema.Array(Schema.Struct({ label: Schema.String, value: Schema.Number }))
  },
  success: Schema.Struct({ shown: Schema.Boolean })
})
  .annotate(Tool.Destructive, false)
  .pipe(Facts.client)

export class Shop extends Toolkit.make(GetOrders, TrackParcel, Refund, ShowChart) {}
