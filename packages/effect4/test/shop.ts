/** A shop on Effect 4 that tests sell in: services, a typed failure, a tool that asks, one that is slow, one that breaks. */
import { Hidden } from "@wield/effect4"
import { Context, Effect, Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"

export class Orders extends Context.Service<Orders, { readonly find: (id: string) => Effect.Effect<string> }>()(
  "Orders"
) {}

export class Who extends Context.Service<Who, string>()("Who") {}

export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", { id: Schema.String }) {}

/** What has happened in a shop. */
export const happened = { started: 0, refunds: 0, interruptions: 0, finalizers: 0 }

export const Refund = Hidden.fields(
  Tool.make("refund", {
    description: "Refunds an order",
    parameters: Schema.Struct({
      customerId: Schema.String,
      orderId: Schema.String,
      amount: Schema.Finite.check(Schema.isGreaterThan(0)),
      on: Schema.optionalKey(Schema.DateFromString)
    }),
    success: Schema.Struct({ text: Schema.String, at: Schema.DateFromString }),
    failure: NotFound,
    failureMode: "return",
    dependencies: [Who]
  }),
  "customerId"
)
export const Pay = Tool.make("pay", {
  parameters: Schema.Struct({ to: Schema.String }),
  success: Schema.String,
  needsApproval: true
})
export const Slow = Tool.make("slow", { success: Schema.String })
export const Broken = Tool.make("broken", { success: Schema.String })

export class Shop extends Toolkit.make(Refund, Pay, Slow, Broken) {}

export const ShopLive = Shop.toLayer(
  Effect.gen(function* () {
    const orders = yield* Orders
    return {
      refund: ({ amount, customerId, on, orderId }) =>
        Effect.gen(function* () {
          happened.refunds++
          const who = yield* Who
          if (orderId === "o_9") return yield* new NotFound({ id: orderId })
          const found = yield* orders.find(orderId).pipe(Effect.withSpan("orders.find"))
          yield* Effect.logInfo("refund")
          return {
            text: `${amount} for ${found} of ${customerId} by ${who}${on === undefined ? "" : ` on ${on.getUTCFullYear()}`}`,
            at: new Date(0)
          }
        }),
      pay: ({ to }) => Effect.succeed(`paid ${to}`),
      slow: () =>
        Effect.suspend(() => {
          happened.started++
          return Effect.never
        }).pipe(
          Effect.onInterrupt(() =>
            Effect.sync(() => {
              happened.interruptions++
            })
          ),
          Effect.ensuring(
            Effect.andThen(
              Effect.yieldNow,
              Effect.sync(() => {
                happened.finalizers++
              })
            )
          )
        ),
      broken: () => Effect.die(new Error("hunter2"))
    }
  })
).pipe(Layer.provide(Layer.succeed(Orders, { find: (id) => Effect.succeed(`order ${id}`) })))

export const inShop = <A, E>(effect: Effect.Effect<A, E, Layer.Success<typeof ShopLive> | Who>): Promise<A> =>
  Effect.runPromise(effect.pipe(Effect.provide(ShopLive), Effect.provideService(Who, "Bob")))

/** A value of this tag; of another one, a test has failed. */
export const only = <O extends { readonly _tag: string }, const Tag extends O["_tag"]>(
  value: O,
  tag: Tag
): Extract<O, { readonly _tag: Tag }> => {
  const isOnly = (one: O): one is Extract<O, { readonly _tag: Tag }> => one._tag === tag
  if (isOnly(value)) return value
  throw new Error(`${tag} was expected, and ${value._tag} came: ${JSON.stringify(value)}`)
}
