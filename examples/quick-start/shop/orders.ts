/** The shop's order database, in memory. Nothing here knows of models or tools. */
import { Effect, Ref, Schema } from "effect"

export const CustomerId = Schema.String.pipe(Schema.brand("CustomerId"))
export type CustomerId = typeof CustomerId.Type

export const Status = Schema.Literal("packing", "shipped", "delivered")

/** An order without its owner. */
export class Order extends Schema.Class<Order>("Order")({
  orderId: Schema.String,
  item: Schema.String,
  /** In euros. */
  paid: Schema.Number,
  status: Status,
  carrier: Schema.optional(Schema.String)
}) {}

export class OrderNotFound extends Schema.TaggedError<OrderNotFound>()("OrderNotFound", {
  orderId: Schema.String
}) {}

export class AmountTooHigh extends Schema.TaggedError<AmountTooHigh>()("AmountTooHigh", {
  orderId: Schema.String,
  /** What of the order's price has not been refunded yet, in euros. */
  refundable: Schema.Number
}) {}

interface Row {
  readonly customerId: CustomerId
  readonly order: Order
}

const row = (customerId: string, order: ConstructorParameters<typeof Order>[0]): Row => ({
  customerId: CustomerId.make(customerId),
  order: new Order(order)
})

const rows: ReadonlyArray<Row> = [
  row("cus_7f3a91", { orderId: "o_1001", item: "Linen shirt", paid: 49, status: "delivered", carrier: "Royal Pigeon" }),
  row("cus_7f3a91", {
    orderId: "o_1002",
    item: "Espresso machine",
    paid: 289,
    status: "delivered",
    carrier: "Royal Pigeon"
  }),
  row("cus_7f3a91", { orderId: "o_1003", item: "Desk lamp", paid: 75, status: "shipped", carrier: "Tortoise Freight" }),
  row("cus_7f3a91", { orderId: "o_1004", item: "Wool rug", paid: 180, status: "shipped", carrier: "Hermit Post" }),
  row("cus_7f3a91", { orderId: "o_1005", item: "Tea kettle", paid: 35, status: "shipped", carrier: "Royal Pigeon" }),
  row("cus_000001", { orderId: "o_2001", item: "Wedding ring", paid: 940, status: "packing" })
]

export class Orders extends Effect.Service<Orders>()("shop/Orders", {
  effect: Effect.gen(function* () {
    const refunded = yield* Ref.make<ReadonlyMap<string, number>>(new Map())

    const find = (customerId: CustomerId, orderId: string): Effect.Effect<Order, OrderNotFound> => {
      const found = rows.find((row) => row.customerId === customerId && row.order.orderId === orderId)
      return found === undefined ? Effect.fail(new OrderNotFound({ orderId })) : Effect.succeed(found.order)
    }

    return {
      find,
      of: (customerId: CustomerId): ReadonlyArray<Order> =>
        rows.filter((row) => row.customerId === customerId).map((row) => row.order),
      refund: (customerId: CustomerId, orderId: string, amount: number) =>
        Effect.gen(function* () {
          const order = yield* find(customerId, orderId)
          const refundable = order.paid - ((yield* Ref.get(refunded)).get(orderId) ?? 0)
          if (amount > refundable) return yield* new AmountTooHigh({ orderId, refundable })
          yield* Ref.update(refunded, (before) => new Map(before).set(orderId, order.paid - refundable + amount))
          return refundable - amount
        })
    }
  })
}) {}
