/** A shop on Effect 4 alone: its services, its tables, its tools. */
import { Approval, CurrentCall, Hidden, type Policy, type Toolset } from "@wield/effect4"
import { Context, Effect, Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { SqlClient, type SqlError } from "effect/sql"

/** An order as the shop keeps it. */
interface Order {
  readonly id: string
  readonly customer: string
  readonly total: number
  readonly refunded: number
}

export class NoSuchOrder extends Schema.TaggedError<NoSuchOrder>()("NoSuchOrder", { order: Schema.String }) {}

/** The orders of a database. What the database cannot do is the program's concern, not the model's. */
export class Orders extends Context.Service<
  Orders,
  {
    readonly find: (id: string, customer: string) => Effect.Effect<Order, NoSuchOrder>
    readonly refund: (id: string, amount: number, key: string) => Effect.Effect<void>
    readonly refunds: Effect.Effect<number>
  }
>()("shop/Orders") {
  static readonly layer: Layer.Layer<Orders, SqlError.SqlError, SqlClient.SqlClient> = Layer.effect(
    Orders,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, customer TEXT, total REAL, refunded REAL)`
      yield* sql`CREATE TABLE IF NOT EXISTS refunds (key TEXT PRIMARY KEY, "order" TEXT, amount REAL)`
      yield* sql`INSERT INTO orders ${sql.insert({ id: "o_1", customer: "c_42", total: 450, refunded: 0 })} ON CONFLICT DO NOTHING`
      return {
        find: (id, customer) =>
          sql<Order>`SELECT * FROM orders WHERE id = ${id} AND customer = ${customer}`.pipe(
            Effect.orDie,
            Effect.flatMap(([order]) =>
              order === undefined ? Effect.fail(new NoSuchOrder({ order: id })) : Effect.succeed(order)
            ),
            Effect.withSpan("Orders.find")
          ),
        // One key, one refund: the second of two is the first.
        refund: (id, amount, key) =>
          sql
            .withTransaction(
              Effect.gen(function* () {
                const made = yield* sql`INSERT INTO refunds ${sql.insert({ key, order: id, amount })}
                  ON CONFLICT DO NOTHING RETURNING key`
                if (made.length === 1) yield* sql`UPDATE orders SET refunded = refunded + ${amount} WHERE id = ${id}`
              })
            )
            .pipe(Effect.orDie),
        refunds: sql<{ readonly count: number }>`SELECT count(*) AS count FROM refunds`.pipe(
          Effect.orDie,
          Effect.map(([row]) => Number(row?.count))
        )
      }
    })
  )
}

/** Who is served now: each request has its own. */
export class Clerk extends Context.Service<Clerk, string>()("shop/Clerk") {}

const FindOrder = Hidden.fields(
  Tool.make("find_order", {
    description: "Finds an order of the customer.",
    parameters: Schema.Struct({ customerId: Schema.String, orderId: Schema.String }),
    success: Schema.Struct({ total: Schema.Finite, refunded: Schema.Finite }),
    failure: NoSuchOrder,
    failureMode: "return"
  })
    .annotate(Tool.Readonly, true)
    .annotate(Tool.Destructive, false),
  "customerId"
)

const Refund = Hidden.fields(
  Tool.make("refund", {
    description: "Refunds a part of an order of the customer.",
    parameters: Schema.Struct({
      customerId: Schema.String,
      orderId: Schema.String,
      amount: Schema.Finite.check(Schema.isGreaterThan(0)),
      notBefore: Schema.optionalKey(Schema.DateFromString)
    }),
    success: Schema.Struct({ text: Schema.String, at: Schema.DateFromString }),
    failure: NoSuchOrder,
    failureMode: "return",
    dependencies: [Clerk]
  }),
  "customerId"
)

const NotifyCustomer = Tool.make("notify_customer", {
  description: "Sends the customer a message.",
  parameters: Schema.Struct({ message: Schema.String }),
  success: Schema.String,
  // Effect 4's own word for it; Wield waits for a person.
  needsApproval: ({ message }) => message.length > 200
})

export class Shop extends Toolkit.make(FindOrder, Refund, NotifyCustomer) {}

export const ShopLive = Shop.toLayer(
  Effect.gen(function* () {
    const orders = yield* Orders
    return {
      find_order: ({ customerId, orderId }) => orders.find(orderId, customerId),
      refund: ({ amount, customerId, orderId }) =>
        Effect.gen(function* () {
          const clerk = yield* Clerk
          const order = yield* orders.find(orderId, customerId)
          const { idempotencyKey } = yield* CurrentCall.CurrentCall
          // What has begun here is not to be cut off, and its end is to be known.
          yield* CurrentCall.uninterruptible(orders.refund(order.id, amount, idempotencyKey))
          return { text: `${amount} of ${order.total} refunded by ${clerk}`, at: new Date(0) }
        }),
      notify_customer: ({ message }) => Effect.succeed(`sent: ${message}`)
    }
  })
)

type Tools = Toolset.ToolsOf<typeof Shop>

/** What may run: a rule that asks the database is an effect of 4, with its requirements given beforehand. */
export const policy: Effect.Effect<Policy.Policy<Tools>, never, Orders> = Effect.gen(function* () {
  const orders = yield* Orders
  return {
    approval: {
      refund: ({ parameters: { amount, customerId, orderId } }) =>
        orders.find(orderId, customerId).pipe(
          Effect.map(({ refunded, total }) => {
            if (refunded + amount > total) return Approval.deny("more than the order cost cannot be refunded")
            return amount > 100 ? Approval.ask(`${amount} of ${total}`) : Approval.allow
          }),
          // The handler says that it is missing.
          Effect.catchTag("NoSuchOrder", () => Effect.succeed(Approval.allow))
        )
    },
    limits: { default: { timeout: "10 seconds" } }
  }
})
