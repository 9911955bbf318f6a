/**
 * Tools over a GraphQL API: one with a document of its own, from a JSON file,
 * and those that are made of the API's schema. The shop's API is started here,
 * on loopback. The customer is a hidden field, values stay variables, and of an
 * answer with errors the model reads both the errors and the data.
 */
import * as assert from "node:assert/strict"
import { createServer } from "node:http"
import { fileURLToPath } from "node:url"
import { NodeContext } from "@effect/platform-node"
import { Outcome, ToolCall, ToolResult, ToolRunner, Toolset } from "@wield/core"
import { HttpGuard } from "@wield/http"
import { GraphQlExecutor, Manifest } from "@wield/manifest"
import { ConfigProvider, Effect } from "effect"
import { buildSchema } from "graphql"
import { createHandler } from "graphql-http/lib/use/http"

const schema = buildSchema(`
  type Query {
    "Orders of a customer, the newest first"
    orders(customer: ID!, limit: Int = 10, note: String): [Order!]!
    "How much of a product is in stock"
    stock(product: ID!): Stock
  }
  type Mutation {
    "Orders a product"
    place(order: OrderInput!): Order!
  }
  input OrderInput { customer: ID!, product: ID!, count: Int = 1, note: String }
  type Order { id: ID! note: String customer: ID! }
  type Stock { shelf: Int warehouse: Int }
`)

interface Order {
  readonly id: string
  readonly customer: string
  readonly note: string
}

const orders: Array<Order> = ["For the shop", "A gift", "For the kitchen"].map((note, index) => ({
  id: String(index + 1),
  customer: "c_42",
  note
}))

const resolvers = {
  orders: ({ customer, limit, note = "" }: { customer: string; limit: number; note?: string }) =>
    orders.filter((order) => order.customer === customer && order.note.includes(note)).slice(0, limit),
  stock: () => ({
    shelf: 3,
    warehouse: () => {
      throw new Error("The warehouse does not answer")
    }
  }),
  place: ({ order }: { order: Omit<Order, "id"> }) => {
    const placed = { ...order, id: String(orders.length + 1) }
    orders.unshift(placed)
    return placed
  }
}

const shop = Effect.acquireRelease(
  Effect.async<{ readonly host: string; readonly close: () => void }>((resume) => {
    const handler = createHandler({ schema, rootValue: resolvers })
    const server = createServer((request, response) => void handler(request, response))
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resume(Effect.succeed({ host: `127.0.0.1:${port}`, close: () => server.close() }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

const file = fileURLToPath(new URL("graphql-tools/shop.json", import.meta.url))

const program = (url: string) =>
  Effect.gen(function* () {
    const factories = [GraphQlExecutor.factory]
    const written = yield* Manifest.toToolset(yield* Manifest.load(file), { factories })
    const made = yield* Manifest.fromGraphQL(yield* GraphQlExecutor.introspect({ url }), {
      inputObjects: "flat",
      exclude: ["orders"],
      context: ["customer"],
      configuration: { type: "graphql", url }
    })
    const imported = yield* Manifest.toToolset(made, { factories })
    const runner = yield* ToolRunner.make(Toolset.combine(written, imported))
    const run = runner.forRun({ context: { customerid: "c_42", customer: "c_42" } })
    for (const { inputSchema, name } of yield* run.definitions) {
      console.log(name, JSON.stringify(inputSchema.properties))
    }

    // What a model would send; the third one tries to leave its place.
    const outcomes = yield* run.settle([
      ToolCall.make("call_1", "recent_orders", {}),
      ToolCall.make("call_2", "recent_orders", { note: "gift", limit: 5 }),
      ToolCall.make("call_3", "recent_orders", { note: '") { id } } mutation { place(order: { product: 1' }),
      ToolCall.make("call_4", "stock", { product: "p1" }),
      ToolCall.make("call_5", "place", { product: "p1", note: 'With "quotes"' })
    ])
    return outcomes.map((outcome) => {
      const result = Outcome.render(outcome)
      return `${outcome.id} ${outcome._tag}: ${result === undefined ? "" : ToolResult.toText(result)}`
    })
  })

const main = Effect.flatMap(shop, ({ host }) =>
  program(`http://${host}/graphql`).pipe(
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["SHOP_URL", `http://${host}`]]))),
    Effect.provide([HttpGuard.layer({ allowedHosts: [host] }), NodeContext.layer])
  )
)
const lines = await Effect.runPromise(Effect.scoped(main))
console.log(["", ...lines].join("\n"))

assert.match(lines[0] ?? "", /^call_1 Success: \[\{"id":"1",.*"id":"2"/)
assert.match(lines[2] ?? "", /^call_3 Success: \[\]$/)
assert.match(lines[3] ?? "", /The warehouse does not answer.*shelf.*3/s)
assert.deepEqual(
  orders.map(({ customer, id, note }) => `${id} ${customer} ${note}`),
  ['4 c_42 With "quotes"', "1 c_42 For the shop", "2 c_42 A gift", "3 c_42 For the kitchen"]
)
