/**
 * What the shop's tools do. Each handler gets its parameters decoded, the hidden
 * `customerId` among them. `show_chart` has none: the client executes it.
 */
import { CurrentCall } from "@wield/core"
import { Effect, Layer } from "effect"
import { Carriers } from "./carriers.js"
import { Orders } from "./orders.js"
import { NotShipped, Shop } from "./toolkit.js"

const handlers = Shop.toLayer(
  Effect.gen(function* () {
    const orders = yield* Orders
    const carriers = yield* Carriers
    return {
      get_orders: ({ customerId, status }) =>
        Effect.sync(() => orders.of(customerId).filter((order) => status === undefined || order.status === status)),

      track_parcel: ({ customerId, orderId }) =>
        Effect.gen(function* () {
          const order = yield* orders.find(customerId, orderId)
          if (order.carrier === undefined) return yield* new NotShipped({ orderId })
          return yield* carriers.track(order.carrier, orderId)
        }),

      refund: ({ amount, customerId, orderId }) =>
        Effect.gen(function* () {
          const stillRefundable = yield* orders.refund(customerId, orderId, amount)
          // The same for every attempt at this call, so a bank that is asked twice pays once.
          const { idempotencyKey } = yield* CurrentCall.CurrentCall
          return { refundId: `re_${idempotencyKey.slice(0, 8)}`, stillRefundable }
        })
    }
  })
)

export const ShopLive = handlers.pipe(Layer.provide([Orders.Default, Carriers.Default]))
