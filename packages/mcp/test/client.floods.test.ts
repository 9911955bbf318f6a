/** Servers that send more than a program can take in: large lists, large logs, questions without end, a pipe that is closed. */
import { assert, it } from "@effect/vitest"
import type { Transport } from "@modelcontextprotocol/client"
import { ToolCall, ToolRunner } from "@wield/core"
import { McpClient } from "@wield/mcp"
import { Chunk, Effect, Stream } from "effect"
import type { ServerResponse } from "node:http"
import { type Request, sendJson, serve } from "./fixtures/loopback.js"

/** A server with `results` of its own, and what it does after it has answered `method`. */
const serverOf = (body: string) =>
  McpClient.stdio(process.execPath, [
    "-e",
    `const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n")
     const object = { type: "object" }
     let then = () => undefined
     const results = {
       initialize: ({ protocolVersion }) => ({
         protocolVersion, capabilities: { tools: {}, resources: {}, logging: {} }, serverInfo: { name: "s", version: "1" }
       }),
       "tools/list": () => ({ tools: [{ name: "add", inputSchema: object }] }),
       "tools/call": () => ({ content: [{ type: "text", text: "one" }] })
     }
     ${body}
     require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
       const { id, method, params } = JSON.parse(line)
       if (id === undefined || method === undefined) return
       if (results[method] === undefined) return send({ id, error: { code: -32601, message: "?" } })
       const result = results[method](params)
       if (result !== undefined) send({ id, result })
       then(method)
     })`
  ])

const connect = (body: string, limits: Partial<McpClient.Limits> = {}) =>
  McpClient.connect("s", serverOf(body), { limits: { probe: 500, ...limits } })

const run = (client: McpClient.Client, id: string) =>
  Effect.flatMap(ToolRunner.make(client.toolset), (runner) => runner.run(ToolCall.make(id, "s_add", {})))

it.scopedLive("withholds a tool that is too large, and offers the others", () =>
  Effect.gen(function* () {
    const client = yield* connect(`
      const large = { name: "large", inputSchema: object, description: "x".repeat(300_000) }
      results["tools/list"] = () => ({ tools: [large, { name: "add", inputSchema: object }] })`)
    const [withheld] = yield* client.withheld
    assert.strictEqual(withheld?.tool, "large")
    assert.match(withheld?.problem ?? "", /^it has 300\d+ characters, and at most 262144 are read$/)
    assert.strictEqual((yield* run(client, "call_1"))._tag, "Success")
  })
)

it.scopedLive("reads a list tool by tool, and lets the program do other work between them", () =>
  Effect.gen(function* () {
    let turn = 0
    const count = () => (turn++, (counting = setImmediate(count)))
    let counting = setImmediate(count)
    yield* Effect.addFinalizer(() => Effect.sync(() => clearImmediate(counting)))
    const readIn = new Set<number>()
    /** A tool that takes as long to read as a large one. */
    const slowTool = (name: string) => ({
      name,
      inputSchema: { type: "object" },
      get description() {
        readIn.add(turn)
        for (const until = performance.now() + 25; performance.now() < until;);
        return "slow"
      }
    })
    const results: { readonly [method: string]: { readonly [key: string]: unknown } } = {
      initialize: {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "s", version: "1" }
      },
      "tools/list": { tools: Array.from({ length: 10 }, (_, index) => slowTool(`t${index}`)) }
    }
    const server = McpClient.transport(
      Effect.sync(() => {
        const transport: Transport = {
          start: () => Promise.resolve(),
          close: () => Promise.resolve(),
          send: async (message) => {
            if (!("id" in message) || !("method" in message)) return
            const result = results[message.method]
            const answer = result === undefined ? { error: { code: -32601, message: "?" } } : { result }
            transport.onmessage?.({ jsonrpc: "2.0", id: message.id, ...answer })
          }
        }
        return transport
      })
    )
    const client = yield* McpClient.connect("s", server)
    assert.strictEqual((yield* client.listTools).length, 10)
    assert.isAtLeast(readIn.size, 10)
  })
)

it.scopedLive("ends a list whose pages are larger together than a message may be", () =>
  Effect.gen(function* () {
    const pages = `
      let page = 0
      const more = (key) => () => ({
        [key]: [{ name: "n" + ++page, uri: "a:" + page, inputSchema: object, description: "x".repeat(60_000) }],
        nextCursor: "c" + page
      })`
    const limits = { messageBytes: 200_000 }
    const tools = yield* Effect.flip(connect(`${pages}; results["tools/list"] = more("tools")`, limits))
    assert.strictEqual(tools.message, "The MCP server s exceeded the limit of 200000 bytes of tools")
    const client = yield* connect(`${pages}; results["resources/list"] = more("resources")`, limits)
    const resources = yield* Effect.flip(client.listResources)
    assert.strictEqual(resources.message, "The MCP server s exceeded the limit of 200000 bytes of resources")
  })
)

it.scopedLive("keeps the beginning of a log message, however long it is", () =>
  Effect.gen(function* () {
    const client = yield* connect(`
      then = (method) => method === "tools/call" &&
        send({ method: "notifications/message", params: { level: "info", data: "x".repeat(1_000_000) } })`)
    const [logs] = yield* Effect.all([Stream.runCollect(Stream.take(client.logs, 1)), run(client, "call_1")], {
      concurrency: 2
    })
    const [{ data, level }] = Chunk.toReadonlyArray(logs) as [McpClient.LogMessage]
    assert.strictEqual(level, "info")
    assert.match(String(data), /^"x{65535}… \(1000002 characters\)$/)
  })
)

it.scopedLive(
  "ends the connection to a server that closes its output and runs on, and starts it again for the next call",
  () =>
    Effect.gen(function* () {
      const client = yield* connect(
        `const { existsSync, writeFileSync } = require("node:fs")
       results["tools/call"] = ({ arguments: { first } }) => {
         if (!first) return { content: [] }
         process.stdout.end()
         setInterval(() => undefined, 1000)
       }
       results["tools/list"] = () => ({ tools: [{ name: "add", inputSchema: object }] })`,
        { call: Infinity, total: Infinity }
      )
      const lost = yield* Effect.flip(client.callTool("add", { first: true }))
      assert.match(lost.message, /after the request was sent: it closed its standard input or output, and ran on/)
      assert.deepStrictEqual((yield* client.callTool("add", {})).content, [])
    })
)

it.scopedLive("reads no more of a server that asks and does not read the answers", () =>
  Effect.gen(function* () {
    const client = yield* connect(
      `const flood = 300
       let written = 0
       results["tools/call"] = (_, id) => {
         process.stdin.pause()
         const write = () => {
           const timer = setTimeout(() => {
             process.stdin.resume()
             send({ id: asked, result: { content: [{ type: "text", text: String(written) }] } })
           }, 300)
           process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id: written + "x".repeat(50_000), method: "ping" }) + "\\n", () => {
             clearTimeout(timer)
             written++
             if (written < flood) write()
             else send({ id: asked, result: { content: [{ type: "text", text: String(written) }] } })
           })
         }
         write()
       }
       let asked
       const call = results["tools/call"]
       require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
         const { id, method } = JSON.parse(line)
         if (method === "tools/call") asked = id
       })`,
      { messageBytes: 500_000 }
    )
    const { content } = yield* client.callTool("add", {})
    assert.isBelow(Number(content[0]?.text), 300)
  })
)

interface Message {
  readonly id?: unknown
  readonly method?: string
}

/** A server over HTTP, with answers of its own to what it is asked beside the handshake. */
const overHttp = (answer: (message: Message, request: Request, response: ServerResponse) => boolean) =>
  Effect.map(
    serve((request, response) => {
      const message: Message = request.body === "" ? {} : JSON.parse(request.body)
      if (answer(message, request, response)) return
      const { id, method = "" } = message
      const results: { readonly [method: string]: unknown } = {
        initialize: {
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          serverInfo: { name: "s", version: "1" }
        },
        "tools/list": { tools: [{ name: "add", inputSchema: { type: "object" } }] },
        "tools/call": { content: [{ type: "text", text: "one" }] }
      }
      if (request.method !== "POST") return void response.writeHead(405).end()
      if (id === undefined || method === "") return void response.writeHead(202).end()
      const result = results[method]
      sendJson(response, { jsonrpc: "2.0", id, ...(result === undefined ? { error: { code: -32601 } } : { result }) })
    }),
    (origin) => McpClient.http(`${origin}/mcp`)
  )

it.scopedLive("ends a call at once that is accepted (202) where no stream is open for the answer", () =>
  Effect.gen(function* () {
    const server = yield* overHttp(({ method }, _, response) => {
      if (method !== "tools/call") return false
      response.writeHead(202).end()
      return true
    })
    const client = yield* McpClient.connect("s", server, { limits: { call: Infinity, total: Infinity } })
    const error = yield* Effect.flip(client.callTool("add"))
    assert.deepStrictEqual([error._tag, error._tag === "Disconnected" && error.wasSent], ["Disconnected", true])
  })
)

it.scopedLive("reads the answer that comes with a 202", () =>
  Effect.gen(function* () {
    const server = yield* overHttp(({ id, method }, _, response) => {
      if (method !== "tools/call") return false
      sendJson(response, { jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "late" }] } }, 202)
      return true
    })
    const client = yield* McpClient.connect("s", server, { limits: { call: Infinity, total: Infinity } })
    assert.strictEqual((yield* client.callTool("add")).content[0]?.text, "late")
  })
)

it.scopedLive("reads no more of a server over HTTP that asks and does not take the answers", () =>
  Effect.gen(function* () {
    const taken: Array<() => void> = []
    let isCalled = false
    const server = yield* overHttp((message, { method }, response) => {
      if (method === "GET") {
        response.writeHead(200, { "content-type": "text/event-stream" })
        for (let id = 0; id < 5_000; id++) {
          response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id: `p${id}`, method: "ping" })}\n\n`)
        }
      } else if (message.id !== undefined && message.method === undefined) {
        if (isCalled) response.writeHead(202).end()
        else taken.push(() => void response.writeHead(202).end())
      } else {
        isCalled ||= message.method === "tools/call"
        return false
      }
      return true
    })
    const client = yield* McpClient.connect("s", server)
    while (taken.length < 100) yield* Effect.sleep(10)
    assert.strictEqual((yield* client.callTool("add")).content[0]?.text, "one")
    // Those of a last piece of the stream are sent, too.
    assert.isBelow(taken.length, 1_000)
    for (const take of taken) take()
  })
)

it.scopedLive("reads a list again that a server announces without a pause, and not once for each announcement", () =>
  Effect.gen(function* () {
    const client = yield* connect(`
      let lists = 0
      results.initialize = ({ protocolVersion }) => ({
        protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo: { name: "s", version: "1" }
      })
      results["tools/list"] = () => ({ tools: [{ name: "add", inputSchema: object }, { name: "n" + ++lists, inputSchema: object }] })
      let announced = 0
      const announce = () => {
        for (let at = 0; at < 20; at++, announced++) send({ method: "notifications/tools/list_changed" })
        if (announced < 20_000) setTimeout(announce, 10)
      }
      results["tools/call"] = () => ({ content: [{ type: "text", text: JSON.stringify([lists, announced]) }] })
      then = (method) => method === "tools/list" && lists === 1 && announce()`)
    const hasChanged = Effect.map(client.listTools, (tools) =>
      tools.some(({ name }) => name !== "n1" && name !== "add")
    )
    yield* Effect.repeat(Effect.delay(hasChanged, "20 millis"), { until: (isThere) => isThere })
    const { content } = yield* client.callTool("add")
    const [lists = 0, announced = 0] = JSON.parse(content[0]?.text ?? "[]") as ReadonlyArray<number>
    assert.isBelow(announced, 20_000)
    assert.isBelow(lists, announced / 20)
  })
)
