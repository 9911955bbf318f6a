/** A search engine on loopback, which speaks SearXNG's language and knows one page. */
import { HttpServer, HttpServerResponse } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { WebSearch } from "@wield/assistant"
import { Effect, Layer } from "effect"
import { createServer } from "node:http"

const results = [{ title: "Open stage at the harbour", url: "https://harbour.example/stage", content: "Every Friday" }]

export const searchEngine = Layer.unwrapScoped(
  Effect.gen(function* () {
    const server = yield* NodeHttpServer.make(() => createServer(), { port: 0, host: "127.0.0.1" })
    yield* server.serve(HttpServerResponse.json({ results }))
    return WebSearch.searxng({ url: HttpServer.formatAddress(server.address) })
  })
)
