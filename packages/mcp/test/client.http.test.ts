/** Servers over HTTP that restart, lose answers, or lead elsewhere. */
import { assert, describe, it } from "@effect/vitest"
import { ToolCall, ToolRunner } from "@wield/core"
import { McpClient } from "@wield/mcp"
import { Effect } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

interface Message {
  readonly id?: number | string
  readonly method: string
  readonly params?: { readonly name?: string }
}

/** A server of 2025-11-25 whose calls end as `call` says, and whose sessions `forget` ends. */
const serve = (call: (response: ServerResponse, answer: (result: object) => void) => void) =>
  Effect.gen(function* () {
    let session = 1
    const methods: Array<string> = []
    const answerTo = (message: Message, request: IncomingMessage, response: ServerResponse) => {
      const answer = (result: object) => {
        response.writeHead(200, { "content-type": "application/json", "mcp-session-id": `s${session}` })
        response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }))
      }
      methods.push(message.method)
      if (message.method === "server/discover") return response.writeHead(400).end("no session")
      const isForeign = message.method !== "initialize" && request.headers["mcp-session-id"] !== `s${session}`
      if (isForeign) return response.writeHead(404).end("session not found")
      switch (message.method) {
        case "initialize":
          return answer({
            protocolVersion: "2025-11-25",
            capabilities: { tools: {} },
            serverInfo: { name: "http", version: "1" }
          })
        case "tools/list":
          return answer({ tools: [{ name: "pay", inputSchema: { type: "object" } }] })
        case "tools/call":
          return call(response, answer)
        default:
          return response.writeHead(202).end()
      }
    }
    const http = createServer((request, response) => {
      if (request.method !== "POST") return void response.writeHead(405).end()
      let text = ""
      request.on("data", (piece) => (text += String(piece)))
      // What a client posts is JSON.
      request.on("end", () => void answerTo(JSON.parse(text) as Message, request, response))
    })
    yield* Effect.acquireRelease(
      Effect.async<void>((resume) => void http.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.async<void>((resume) => {
          http.close(() => resume(Effect.void))
          http.closeAllConnections()
        })
    )
    const { port } = http.address() as AddressInfo
    return { url: `http://127.0.0.1:${port}/mcp`, methods, forget: () => void session++ }
  })

const paid = { content: [{ type: "text", text: "paid" }] }

const run = (client: McpClient.Client) =>
  Effect.flatMap(ToolRunner.make(client.toolset), (runner) => runner.run(ToolCall.make("call_1", "s_pay", {})))

const countOf = (methods: ReadonlyArray<string>, method: string) => methods.filter((one) => one === method).length

describe("over HTTP", () => {
  it.scopedLive("a lost session is opened again, and the call that found it is made", () =>
    Effect.gen(function* () {
      const { forget, methods, url } = yield* serve((_, answer) => answer(paid))
      const client = yield* McpClient.connect("s", McpClient.http(url))
      assert.strictEqual((yield* run(client))._tag, "Success")
      forget()
      assert.strictEqual((yield* run(client))._tag, "Success")
      assert.strictEqual(countOf(methods, "initialize"), 2)
    })
  )

  it.scopedLive("a call whose connection breaks is uncertain, and made once", () =>
    Effect.gen(function* () {
      const { methods, url } = yield* serve((response) => void response.destroy())
      const client = yield* McpClient.connect("s", McpClient.http(url))
      assert.strictEqual((yield* run(client))._tag, "Uncertain")
      assert.strictEqual(countOf(methods, "tools/call"), 1)
    })
  )

  it.scopedLive("a stream that ends without its answer is an answer lost", () =>
    Effect.gen(function* () {
      const { url } = yield* serve((response) => {
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.end(": nothing\n\n")
      })
      const client = yield* McpClient.connect("s", McpClient.http(url))
      assert.strictEqual((yield* run(client))._tag, "Uncertain")
    })
  )

  it.scopedLive("a crash of the server is uncertain, and a refusal is not", () =>
    Effect.gen(function* () {
      const statuses = [500, 503]
      const { url } = yield* serve((response) => void response.writeHead(statuses.shift() ?? 200).end())
      const client = yield* McpClient.connect("s", McpClient.http(url))
      assert.strictEqual((yield* run(client))._tag, "Uncertain")
      assert.strictEqual((yield* run(client))._tag, "Failure")
    })
  )

  it.scopedLive("an answer that is too long costs the call only", () =>
    Effect.gen(function* () {
      const { url } = yield* serve((_, answer) => answer({ content: [{ type: "text", text: "x".repeat(50_000) }] }))
      const client = yield* McpClient.connect("s", McpClient.http(url), { limits: { messageBytes: 10_000 } })
      assert.notStrictEqual((yield* run(client))._tag, "Success")
      assert.strictEqual((yield* client.listTools).length, 1)
    })
  )

  it.scopedLive("a server that is not there, or leads to a private address, is not reached", () =>
    Effect.gen(function* () {
      const missing = yield* Effect.flip(McpClient.connect("s", McpClient.http("http://127.0.0.1:1/mcp")))
      assert.strictEqual(missing._tag, "ConnectFailed")
      const away = yield* Effect.acquireRelease(
        Effect.async<ReturnType<typeof createServer>>((resume) => {
          const http = createServer((_, response) => {
            response.writeHead(307, { location: "http://169.254.169.254/mcp" }).end()
          })
          http.listen(0, "127.0.0.1", () => resume(Effect.succeed(http)))
        }),
        (http) => Effect.async<void>((resume) => void http.close(() => resume(Effect.void)))
      )
      const { port } = away.address() as AddressInfo
      const led = yield* Effect.flip(McpClient.connect("s", McpClient.http(`http://127.0.0.1:${port}/mcp`)))
      assert.strictEqual(led._tag, "ConnectFailed")
    })
  )
})
