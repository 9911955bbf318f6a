/** One toolkit, served over HTTP and tried with the official client. `stdio.ts` serves it over standard input and output. */
import { createServer } from "node:http"
import { NodeHttpServer } from "@effect/platform-node"
import * as HttpServer from "@effect/platform/HttpServer"
import { McpServer, McpTest } from "@wield/mcp"
import { Context, Effect, Layer } from "effect"
import { shop } from "./shop.js"

const program = Effect.gen(function* () {
  const services = yield* Layer.build(
    McpServer.layerHttp(shop).pipe(
      Layer.provideMerge(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 }))
    )
  )
  const { address } = Context.get(services, HttpServer.HttpServer)
  const port = address._tag === "TcpAddress" ? address.port : 0
  console.log(`The shop is served at http://127.0.0.1:${port > 0 ? "<port>" : "?"}/mcp`)

  const client = yield* McpTest.pair(yield* shop, { capabilities: { elicitation: {} } })
  const order = yield* client.request("tools/call", { name: "get_order", arguments: { id: 7 } })
  console.log("get_order:", JSON.stringify(order["structuredContent"]))

  const refund = { name: "refund", arguments: { id: 7, amount: 500 } }
  const asked = yield* client.request("tools/call", refund)
  console.log("refund:", asked["resultType"])
  const done = yield* client.request("tools/call", {
    ...refund,
    requestState: asked["requestState"] ?? "",
    inputResponses: { "tools.wield/approval": { action: "accept", content: { approve: true } } }
  })
  console.log("approved:", JSON.stringify(done["structuredContent"]))

  const invoice = yield* client.request("resources/read", { uri: "shop://orders/7/invoice" })
  console.log("invoice:", JSON.stringify(invoice["contents"]))
})

await Effect.runPromise(Effect.scoped(program))
