/** Three real APIs, each of which tells whose data it was asked for, and what it was asked. */
import { SqlClient } from "@effect/sql/SqlClient"
import * as FileStore from "@wield/agent/FileStore"
import { HttpGuard } from "@wield/http"
import { type ManifestEntry, GraphQlExecutor, Manifest, RestExecutor } from "@wield/manifest"
import * as SqlExecutor from "@wield/manifest/SqlExecutor"
import { ToolRunner } from "@wield/core"
import { Context, Effect, Layer } from "effect"
import { buildSchema } from "graphql"
import { createHandler } from "graphql-http"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"

export interface Asked {
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: { readonly [name: string]: unknown }
  readonly body: string
}

/** What the REST API answers; JSON unless it says otherwise. */
export type Page = (asked: Asked) => { readonly body: string; readonly type: string }

const graphQl = createHandler({
  schema: buildSchema(`
    type Query { orders(customer: Int!, text: String!): [Order!]! }
    type Mutation { deleteOrders(customer: Int!): Int }
    type Order { customer: Int! text: String! }
  `),
  rootValue: { orders: (order: unknown) => [order], deleteOrders: () => 1 }
})

export const host = (page: Page, asked: Array<Asked>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.async<ReturnType<typeof createServer>>((resume) => {
        const http = createServer((request, response) => {
          let body = ""
          request.on("data", (piece) => (body += piece))
          request.on("end", () => {
            const { headers, method = "" } = request
            // `new URL` would put together what a client sent apart.
            const [path = "", query] = (request.url ?? "").split("?", 2)
            const one = { path, query: new URLSearchParams(query), headers, body }
            asked.push(one)
            if (path === "/graphql") {
              void graphQl({ method, url: path, headers, body, raw: request, context: {} }).then(([text, init]) => {
                response.writeHead(init.status, init.headers).end(text)
              })
              return
            }
            const answer = page(one)
            response.writeHead(200, { "content-type": answer.type }).end(answer.body)
          })
        })
        http.listen(0, "127.0.0.1", () => resume(Effect.succeed(http)))
      }),
      (http) => Effect.sync(() => http.close().closeAllConnections())
    ),
    (http) => {
      const address = http.address()
      return `127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
    }
  )

/** Each entry has a hidden `customerid` and takes a text from the model. */
const text = `
- type: api
  function:
    name: rest_orders
    description: Orders that contain a text
    parameters: &parameters
      type: object
      properties: { customerid: { type: integer }, text: { type: string } }
      required: [customerid, text]
  context: [customerid]
  api: { name: web, path: "/customers/{customerid}/orders/{text}?q={text}", method: GET, headers: { x-text: "{text}" } }
- type: api
  function: { name: rest_search, description: Orders that contain a text, parameters: *parameters }
  context: [CustomerId]
  api: { name: web, path: "/search", method: POST }
- type: api
  function: { name: graphql_orders, description: Orders that contain a text, parameters: *parameters }
  context: [customerid]
  api: { name: graph, query: "query ($customerid: Int!, $text: String!) { orders(customer: $customerid, text: $text) { customer text } }" }
- type: api
  function: { name: sql_orders, description: Orders that contain a text, parameters: *parameters }
  context: [customerid]
  api: { name: base, query: "SELECT customer, :text AS text FROM orders WHERE customer = :customerid" }
- type: api
  function: { name: read_page, description: Reads a page, parameters: { type: object, properties: {} } }
  api: { name: web, path: /page, method: GET }
`

export const world = (page: Page) =>
  Effect.gen(function* () {
    const asked: Array<Asked> = []
    const address = yield* host(page, asked)
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "wield-hostile-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
    )
    const client = Context.get(yield* Layer.build(FileStore.layerClient({ path: join(folder, "shop.db") })), SqlClient)
    yield* client`CREATE TABLE orders (customer INTEGER)`
    yield* client`INSERT INTO orders VALUES (1), (2)`
    const web = yield* Layer.build(HttpGuard.layer({ allowedHosts: [address] }))
    const manifest = yield* Manifest.parse(text)
    const toolset = yield* Manifest.toToolset(manifest, {
      executors: {
        web: Effect.provide(RestExecutor.make({ url: `http://${address}` }), web),
        graph: Effect.provide(GraphQlExecutor.make({ url: `http://${address}/graphql` }), web),
        base: Effect.provideService(SqlExecutor.make(), SqlClient, client)
      }
    })
    const runner = (yield* ToolRunner.make(toolset)).forRun({ context: { customerid: 1 } })
    const rows = Effect.map(client`SELECT customer FROM orders ORDER BY customer`, (all) => all.length)
    return { asked, runner, rows, entries: manifest.entries satisfies ReadonlyArray<ManifestEntry.Entry> }
  })
