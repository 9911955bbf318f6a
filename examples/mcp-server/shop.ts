import { Tool, Toolkit } from "@effect/ai"
import { Approval, Toolset } from "@wield/core"
import { McpServer } from "@wield/mcp"
import { Effect, Schema } from "effect"

class Shop extends Toolkit.make(
  Tool.make("get_order", {
    description: "An order by its number",
    parameters: { id: Schema.Number },
    success: Schema.Struct({ id: Schema.Number, total: Schema.Number })
  }).annotate(Tool.Readonly, true),
  Tool.make("refund", {
    description: "Pays money back",
    parameters: { id: Schema.Number, amount: Schema.Number },
    success: Schema.String
  })
) {}

const ShopLive = Shop.toLayer({
  get_order: ({ id }) => Effect.succeed({ id, total: id * 10 }),
  refund: ({ amount, id }) => Effect.succeed(`refunded ${amount} of order ${id}`)
})

/** The server: refunds over 100 need a person's approval. */
export const shop = Effect.gen(function* () {
  const toolset = yield* Toolset.fromToolkit(Shop)
  return yield* McpServer.make({
    name: "shop",
    version: "1.0.0",
    instructions: "Look at an order before you refund it.",
    toolset,
    policy: {
      approval: {
        refund: ({ parameters }) => (parameters.amount > 100 ? Approval.ask("a refund over 100") : Approval.allow)
      }
    },
    resources: [
      McpServer.resourceTemplate({
        uriTemplate: "shop://orders/{id}/invoice",
        name: "Invoice",
        mimeType: "text/markdown",
        parameters: { id: Schema.NumberFromString },
        read: ({ id }) => Effect.succeed(`# Invoice of order ${id}`)
      })
    ]
  })
}).pipe(Effect.provide(ShopLive))
