/**
 * Tools over a REST API, from a JSON file and no code: the shop's API is
 * started here, on loopback, and the guarded client may go there by name. The
 * customer is a hidden field, the token comes from the environment, and values
 * stay where they belong.
 */
import * as assert from "node:assert/strict"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { fileURLToPath } from "node:url"
import { NodeContext } from "@effect/platform-node"
import { Outcome, ToolCall, ToolResult, ToolRunner } from "@wield/core"
import { HttpGuard } from "@wield/http"
import { Manifest, RestExecutor } from "@wield/manifest"
import { ConfigProvider, Effect } from "effect"

const asked: Array<string> = []

/** The shop. It fails now and then, and tells too much. */
const answer = (request: IncomingMessage, response: ServerResponse, body: string): void => {
  asked.push([request.method, request.url, body].join(" ").trim())
  const { pathname, searchParams } = new URL(request.url ?? "", "http://shop")
  const json = (value: unknown, status = 200) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value))
  if (request.headers.authorization !== "Bearer shop-token") json({ error: "who are you?" }, 401)
  else if (pathname === "/v1/products" && searchParams.get("cursor") === null) {
    json({ items: [{ id: "p1", name: "Green tea" }], next: "page-2" })
  } else if (pathname === "/v1/products") json({ items: [{ id: "p2", name: "White tea" }], next: null })
  else if (pathname === "/v1/customers/c_42/orders/7") json({ id: 7, debug: request.headers })
  else if (request.method === "POST" && !seen.has(String(request.headers["idempotency-key"]))) {
    seen.add(String(request.headers["idempotency-key"]))
    response.writeHead(503, { "retry-after": "0" }).end()
  } else if (request.method === "POST") json({ ordered: JSON.parse(body) }, 201)
  else if (pathname.endsWith("/photo")) response.writeHead(200, { "content-type": "image/png" }).end("png")
  else json({ error: `there is no ${pathname}` }, 404)
}

const seen = new Set<string>()

const shop = Effect.acquireRelease(
  Effect.async<{ readonly host: string; readonly close: () => void }>((resume) => {
    const server = createServer((request, response) => {
      let body = ""
      request.on("data", (piece: Buffer) => (body += piece.toString()))
      request.on("end", () => answer(request, response, body))
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resume(Effect.succeed({ host: `127.0.0.1:${port}`, close: () => server.close() }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

const file = fileURLToPath(new URL("rest-tools/shop.json", import.meta.url))

const environment = (host: string) =>
  ConfigProvider.fromMap(
    new Map([
      ["SHOP_URL", `http://${host}`],
      ["SHOP_TOKEN", "shop-token"]
    ])
  )

const program = Effect.gen(function* () {
  const manifest = yield* Manifest.load(file)
  const toolset = yield* Manifest.toToolset(manifest, { factories: [RestExecutor.factory] })
  const runner = yield* ToolRunner.make(toolset)
  const run = runner.forRun({ context: { customerid: "c_42" } })
  assert.ok(!JSON.stringify(yield* run.definitions).includes("customerid"))

  // What a model would send; the last ones try to leave their place in the path.
  const outcomes = yield* run.settle([
    ToolCall.make("call_1", "search_products", { text: "tea & more", tags: ["green", "white"] }),
    ToolCall.make("call_2", "get_order", { order: "7" }),
    ToolCall.make("call_3", "place_order", { product: "p1" }),
    ToolCall.make("call_4", "get_photo", { product: "p1" }),
    ToolCall.make("call_5", "get_order", { order: "../../c_43/orders/8?admin=1" }),
    ToolCall.make("call_6", "get_order", { order: ".." })
  ])
  return outcomes.map((outcome) => {
    const result = Outcome.render(outcome)
    return `${outcome.id} ${outcome._tag}: ${result === undefined ? "" : ToolResult.toText(result)}`
  })
})

const main = Effect.flatMap(shop, ({ host }) =>
  program.pipe(
    Effect.withConfigProvider(environment(host)),
    Effect.provide([HttpGuard.layer({ allowedHosts: [host] }), NodeContext.layer])
  )
)
const lines = await Effect.runPromise(Effect.scoped(main))
console.log([...lines, "", "What the shop was asked:", ...asked].join("\n"))

assert.ok(!lines.join().includes("shop-token"))
assert.ok(asked.every((line) => !line.includes("/c_43")))
assert.equal(asked.filter((line) => line.startsWith("POST")).length, 2)
