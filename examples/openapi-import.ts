/**
 * Tools of an OpenAPI specification: a small API on loopback, its specification
 * imported, its operations called as a model would, and typed tools generated of
 * them.
 */
import * as assert from "node:assert/strict"
import { createServer } from "node:http"
import { ToolCall, ToolRunner } from "@wield/core"
import { HttpGuard } from "@wield/http"
import { Manifest, RestExecutor, TypeScript } from "@wield/manifest"
import { ConfigProvider, Effect } from "effect"

const specification = `
openapi: 3.1.0
info: { title: Bookshop, version: "1" }
servers: [{ url: /v1 }]
security: [{ shop: [] }]
paths:
  /books:
    get:
      operationId: books/search
      summary: Finds books by a word in the title
      parameters:
        - { name: word, in: query, required: true, schema: { type: string } }
        - { name: limit, in: query, schema: { type: integer, minimum: 1, maximum: 10, default: 3 } }
      responses:
        "200":
          content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Book" } } } }
  /books/{id}/reviews:
    post:
      operationId: books/review
      summary: Reviews a book
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      requestBody:
        required: true
        content: { application/json: { schema: { $ref: "#/components/schemas/Review" } } }
components:
  securitySchemes: { shop: { type: apiKey, in: header, name: x-shop-key } }
  schemas:
    Book: { type: object, properties: { id: { type: integer }, title: { type: string } }, required: [id, title] }
    Review:
      type: object
      properties:
        id: { type: string, readOnly: true }
        reader: { type: string }
        stars: { type: integer, minimum: 1, maximum: 5 }
      required: [id, reader, stars]
`

const bookshop = Effect.acquireRelease(
  Effect.async<{ readonly url: string; readonly close: () => void }>((resume) => {
    const server = createServer((request, response) => {
      const answer = (status: number, body: unknown) =>
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
      if (request.headers["x-shop-key"] !== "k-1") return answer(401, { error: "no key" })
      if (request.method === "GET") return answer(200, [{ id: 7, title: `About ${request.url}` }])
      let body = ""
      request.on("data", (piece) => (body += String(piece)))
      return request.on("end", () => answer(201, { path: request.url, review: JSON.parse(body) as unknown }))
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, close: () => server.close().closeAllConnections() }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

const program = Effect.gen(function* () {
  const { url } = yield* bookshop
  // The reader is the user who is logged in: the model neither sees the parameter nor can set it.
  const manifest = yield* Manifest.fromOpenApi(specification, {
    name: "shop",
    documentUrl: `${url}/openapi.yaml`,
    context: ["reader"]
  })
  assert.deepEqual(manifest.problems, [])

  const toolset = yield* Manifest.toToolset(manifest, { factories: [RestExecutor.factory] })
  const runner = yield* ToolRunner.make(toolset)
  for (const { description, facts, name } of yield* runner.definitions) {
    console.log(`${name}: ${description}${facts.isDestructive ? " (writes)" : ""}`)
  }

  const run = runner.forRun({ context: { reader: "ada" } })
  const found = yield* run.run(ToolCall.make("call_1", "books_search", { word: "tea & cake" }))
  assert.ok(found._tag === "Success")
  console.log("Found:   ", JSON.stringify(found.encoded))
  assert.deepEqual(found.encoded, [{ id: 7, title: "About /v1/books?word=tea%20%26%20cake" }])

  const reviewed = yield* run.run(ToolCall.make("call_2", "books_review", { id: 7, stars: 5, reader: "grace" }))
  assert.ok(reviewed._tag === "Success")
  console.log("Reviewed:", JSON.stringify(reviewed.encoded))
  assert.deepEqual(reviewed.encoded, { path: "/v1/books/7/reviews", review: { reader: "ada", stars: 5 } })

  const wrong = yield* run.run(ToolCall.make("call_3", "books_review", { id: 7, stars: 6 }))
  console.log("6 stars: ", wrong._tag)
  assert.equal(wrong._tag, "InvalidArguments")

  const { code } = yield* TypeScript.generate(manifest)
  console.log(`As typed tools: ${code.split("\n").length} lines of TypeScript`)
  assert.match(code, /Toolkit\.make\(BooksSearch, BooksReview\)/)
}).pipe(
  Effect.provide(HttpGuard.layer({ allowedHosts: ["127.0.0.1"] })),
  // A program has it in its environment.
  Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["SHOP_SHOP_KEY", "k-1"]])))
)

await Effect.runPromise(Effect.scoped(program))
