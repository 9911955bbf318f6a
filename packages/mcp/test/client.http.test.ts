/** Servers over HTTP that restart, lose answers, or lead elsewhere. */
import { assert, describe, it } from "@effect/vitest"
import { ToolCall, ToolRunner } from "@wield/core"
import { McpClient } from "@wield/mcp"
import { Effect } from "effect"
import type { ServerResponse } from "node:http"
import { sendJson, serve } from "./fixtures/loopback.js"

interface Message {
  readonly id?: number | string
  readonly method: string
  readonly params?: { readonly name?: string }
}

/** A server of 2025-11-25 whose calls end as `call` says, and whose sessions `forget` ends. */
const serveSessions = (
  call: (response: ServerResponse, answer: (result: object) => void) => void,
  [lostStatus, lostText]: readonly [status: number, text: string] = [404, "session not found"],
  listen = (response: ServerResponse): void => void response.writeHead(405).end()
) =>
  Effect.gen(function* () {
    let session = 1
    const methods: Array<string> = []
    const answerTo = (
      message: Message,
      given: string | ReadonlyArray<string> | undefined,
      response: ServerResponse
    ) => {
      const answer = (result: object) => {
        response.writeHead(200, { "content-type": "application/json", "mcp-session-id": `s${session}` })
        response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }))
      }
      methods.push(message.method)
      if (message.method === "server/discover") return response.writeHead(400).end("no session")
      const isForeign = message.method !== "initialize" && given !== `s${session}`
      if (isForeign) return response.writeHead(lostStatus).end(lostText)
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
    const origin = yield* serve(({ body, headers, method }, response) => {
      if (method !== "POST") return listen(response)
      // What a client posts is JSON.
      answerTo(JSON.parse(body) as Message, headers["mcp-session-id"], response)
    })
    return { url: `${origin}/mcp`, methods, forget: () => void session++ }
  })

const paid = { content: [{ type: "text", text: "paid" }] }

const run = (client: McpClient.Client) =>
  Effect.flatMap(ToolRunner.make(client.toolset), (runner) => runner.run(ToolCall.make("call_1", "s_pay", {})))

const countOf = (methods: ReadonlyArray<string>, method: string) => methods.filter((one) => one === method).length

describe("over HTTP", () => {
  for (const lost of [
    [404, "session not found"],
    [410, "gone"],
    [400, '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}']
  ] as const) {
    it.scopedLive(`that has lost its session, and says so by ${lost[0]}, gets the call in a new one`, () =>
      Effect.gen(function* () {
        let calls = 0
        const { forget, methods, url } = yield* serveSessions((_, answer) => {
          calls++
          answer(paid)
        }, lost)
        const client = yield* McpClient.connect("s", McpClient.http(url))
        forget()
        assert.strictEqual((yield* run(client))._tag, "Success")
        assert.strictEqual(calls, 1)
        assert.strictEqual(methods.filter((method) => method === "initialize").length, 2)
      })
    )
  }

  it.scopedLive("a lost session is opened again, and the call that found it is made", () =>
    Effect.gen(function* () {
      const { forget, methods, url } = yield* serveSessions((_, answer) => answer(paid))
      const client = yield* McpClient.connect("s", McpClient.http(url))
      assert.strictEqual((yield* run(client))._tag, "Success")
      forget()
      assert.strictEqual((yield* run(client))._tag, "Success")
      assert.strictEqual(countOf(methods, "initialize"), 2)
    })
  )

  it.scopedLive("a call whose connection breaks is uncertain, and made once", () =>
    Effect.gen(function* () {
      const { methods, url } = yield* serveSessions((response) => void response.destroy())
      const client = yield* McpClient.connect("s", McpClient.http(url))
      assert.strictEqual((yield* run(client))._tag, "Uncertain")
      assert.strictEqual(countOf(methods, "tools/call"), 1)
    })
  )

  it.scopedLive("a stream that ends without its answer is an answer lost", () =>
    Effect.gen(function* () {
      const { url } = yield* serveSessions((response) => {
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
      const { url } = yield* serveSessions((response) => void response.writeHead(statuses.shift() ?? 200).end())
      const client = yield* McpClient.connect("s", McpClient.http(url))
      assert.strictEqual((yield* run(client))._tag, "Uncertain")
      assert.strictEqual((yield* run(client))._tag, "Failure")
    })
  )

  it.scopedLive("an answer that is too long costs the call only", () =>
    Effect.gen(function* () {
      const { url } = yield* serveSessions((_, answer) =>
        answer({ content: [{ type: "text", text: "x".repeat(50_000) }] })
      )
      const client = yield* McpClient.connect("s", McpClient.http(url), { limits: { messageBytes: 10_000 } })
      assert.strictEqual((yield* run(client))._tag, "Uncertain")
      assert.strictEqual((yield* client.listTools).length, 1)
    })
  )

  it.scopedLive("an event that is too long costs the call only, and says so", () =>
    Effect.gen(function* () {
      const { url } = yield* serveSessions((response) => {
        response.writeHead(200, { "content-type": "text/event-stream" })
        response.end(`data: ${"x".repeat(50_000)}\n\n`)
      })
      const client = yield* McpClient.connect("s", McpClient.http(url), { limits: { messageBytes: 10_000 } })
      const error = yield* Effect.flip(client.callTool("pay"))
      assert.include(error, { _tag: "LimitExceeded", limit: "10000 bytes a message" })
      assert.strictEqual((yield* client.listTools).length, 1)
    })
  )

  it.scopedLive.each<readonly [string, (response: ServerResponse) => void]>([
    ["has a status that HTTP has not", (response) => void response.writeHead(999).end()],
    [
      "is packed three times over",
      (response) => void response.writeHead(200, { "content-encoding": "gzip, gzip, gzip" }).end()
    ],
    ["is to another request", (response) => sendJson(response, { jsonrpc: "2.0", id: 1_000_000, result: paid })],
    ["is null", (response) => sendJson(response, null)],
    [
      "is cut off",
      (response) => void response.writeHead(200, { "content-type": "application/json" }).end('{"jsonrpc":"2.0"')
    ]
  ])("an answer that %s is lost at once, and its call is made once", ([, call]) =>
    Effect.gen(function* () {
      const { methods, url } = yield* serveSessions(call)
      const client = yield* McpClient.connect("s", McpClient.http(url))
      const error = yield* Effect.flip(client.callTool("pay"))
      assert.include(error, { _tag: "Disconnected", wasSent: true })
      assert.notInclude(error.message, "JSON at position")
      assert.notInclude(error.message, "invalid_union")
      assert.strictEqual(countOf(methods, "tools/call"), 1)
    })
  )

  it.scopedLive("an event comes in pieces of any size, whatever ends its lines", () =>
    Effect.gen(function* () {
      const endings = ["\r\n", "\r", "\n"]
      const { url } = yield* serveSessions(async (response) => {
        response.writeHead(200, { "content-type": "Text/Event-Stream" })
        const result = JSON.stringify({ jsonrpc: "2.0", id: null, result: paid })
        const [end = ""] = endings.splice(0, 1)
        for (const piece of [": a", " comment", end, end, "event: message", end, "data: ", result, ...end, ...end]) {
          await new Promise((resolve) => response.write(piece, resolve))
          await new Promise(setImmediate)
        }
        response.end()
      })
      const client = yield* McpClient.connect("s", McpClient.http(url))
      while (endings.length > 0) assert.deepEqual((yield* client.callTool("pay")).content, paid.content)
    })
  )

  it.scopedLive("what a server says instead of an answer is told in brief", () =>
    Effect.gen(function* () {
      const { url } = yield* serveSessions((response) => void response.writeHead(400).end("x".repeat(100_000)))
      const client = yield* McpClient.connect("s", McpClient.http(url))
      const { message } = yield* Effect.flip(client.callTool("pay"))
      assert.match(message, /x{1000}… \(\d+ characters\)$/)
      assert.isBelow(message.length, 3_000)
    })
  )

  it.scopedLive("a stream that ends again and again is not opened at once, whatever pause the server asks for", () =>
    Effect.gen(function* () {
      let streams = 0
      const { url } = yield* serveSessions(
        (_, answer) => answer(paid),
        undefined,
        (response) => {
          streams++
          response.writeHead(200, { "content-type": "text/event-stream" })
          // Timers of Node take it for one millisecond.
          response.end("retry: 99999999999\nid: 1\n\n")
        }
      )
      const client = yield* McpClient.connect("s", McpClient.http(url))
      for (let call = 0; call < 30; call++) yield* client.callTool("pay")
      assert.strictEqual(streams, 1)
    })
  )

  it.scopedLive("a server that is not there, or leads to a private address, is not reached", () =>
    Effect.gen(function* () {
      const missing = yield* Effect.flip(McpClient.connect("s", McpClient.http("http://127.0.0.1:1/mcp")))
      assert.strictEqual(missing._tag, "ConnectFailed")
      const away = yield* serve((_, response) => {
        response.writeHead(307, { location: "http://169.254.169.254/mcp" }).end()
      })
      const led = yield* Effect.flip(McpClient.connect("s", McpClient.http(`${away}/mcp`)))
      assert.strictEqual(led._tag, "ConnectFailed")
    })
  )

  it.scopedLive("a result of 2026-07-28 that does not say that it is complete is", () =>
    Effect.gen(function* () {
      const results: { readonly [method: string]: object } = {
        "server/discover": { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } },
        "tools/list": { tools: [{ name: "pay", inputSchema: { type: "object" } }] },
        "tools/call": paid
      }
      const origin = yield* serve(({ body }, response) => {
        const { id, method } = JSON.parse(body) as Message
        const caching = { ttlMs: 0, cacheScope: "private" }
        const isCall = method === "tools/call"
        const result = isCall ? results[method] : { resultType: "complete", ...caching, ...results[method] }
        sendJson(response, { jsonrpc: "2.0", id, result })
      })
      const client = yield* McpClient.connect("s", McpClient.http(`${origin}/mcp`))
      assert.strictEqual(yield* client.revision, "2026-07-28")
      assert.strictEqual((yield* run(client))._tag, "Success")
    })
  )
})
