/** Completions, subscriptions and questions of the server: of 2026-07-28, and over the HTTP with SSE of 2024-11-05. */
import { createServer, type ServerResponse } from "node:http"
import { NodeHttpServer } from "@effect/platform-node"
import * as HttpServer from "@effect/platform/HttpServer"
import { assert, describe, it } from "@effect/vitest"
import { type Json, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { McpClient, McpRequest, McpServer } from "@wield/mcp"
import { Chunk, Context, Deferred, Effect, Fiber, Layer, Schema, Stream } from "effect"
import { serve } from "./fixtures/loopback.js"

interface Message {
  readonly id?: number | string
  readonly method?: string
  readonly params: Json.JsonObject
  readonly result?: Json.JsonObject
  readonly error?: { readonly message: string }
}

/** A server of 2024-11-05: events of one stream answer what is posted to another address. */
const sseServer = Effect.gen(function* () {
  const received: Array<Message> = []
  let stream: ServerResponse | undefined
  let asking: number | string | undefined
  const send = (message: object) =>
    stream?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`)
  const update = (uri: string) => send({ method: "notifications/resources/updated", params: { uri } })
  const results: { readonly [method: string]: (params: Json.JsonObject) => object } = {
    initialize: () => ({
      protocolVersion: "2024-11-05",
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {} },
      serverInfo: { name: "old", version: "1" }
    }),
    "tools/list": () => ({ tools: [{ name: "ask", inputSchema: { type: "object" } }] }),
    "resources/subscribe": () => ({}),
    "resources/unsubscribe": () => ({}),
    "completion/complete": ({ argument }) => ({
      completion: { values: [`${String((argument as Json.JsonObject)["value"])}!`], hasMore: false }
    })
  }
  const receive = (message: Message) => {
    received.push(message)
    const { id, method = "", params } = message
    if (method === "tools/call") {
      asking = id
      const question = { messages: [{ role: "user", content: { type: "text", text: "2 + 2?" } }], maxTokens: 10 }
      send({ id: "question", method: "sampling/createMessage", params: question })
    } else if (id === "question") {
      const { error, result } = message
      send({ id: asking, result: { content: [{ type: "text", text: JSON.stringify(result ?? error?.message) }] } })
    } else if (id !== undefined) {
      const answer = results[method]?.(params)
      send({
        id,
        ...(answer === undefined ? { error: { code: -32601, message: "Method not found" } } : { result: answer })
      })
    }
  }
  const origin = yield* serve(({ body, method, url }, response) => {
    if (url.pathname === "/messages") {
      response.writeHead(202).end()
      return receive(JSON.parse(body) as Message)
    }
    if (method !== "GET") return void response.writeHead(405).end()
    stream = response.writeHead(200, { "content-type": "text/event-stream" })
    stream.write("event: endpoint\ndata: /messages?session=1\n\n")
  })
  const calls = (method: string) => received.filter((message) => message.method === method)
  return { url: `${origin}/sse`, calls, update, breakStream: () => void stream?.destroy() }
})

/** Wield's own server, which speaks 2026-07-28. */
const modernServer = Effect.gen(function* () {
  const toolset = yield* Toolset.dynamic([
    {
      name: "ask",
      execute: () =>
        Effect.map(
          McpRequest.ask({
            sum: McpRequest.sample({
              messages: [{ role: "user", content: { type: "text", text: "2 + 2?" } }],
              maxTokens: 10
            })
          }),
          ({ sum }) => `${JSON.stringify(sum.content)} of ${sum.model}`
        )
    }
  ])
  const server = yield* McpServer.make({
    name: "new",
    version: "1",
    toolset,
    resources: [
      McpServer.resource({ uri: "lib://terms", name: "Terms", read: Effect.succeed("be kind") }),
      McpServer.resource({ uri: "lib://logo", name: "Logo", read: Effect.succeed("o") })
    ],
    prompts: [
      McpServer.prompt({
        name: "greet",
        parameters: { name: Schema.String, tone: Schema.optional(Schema.String) },
        get: ({ name }) => Effect.succeed(`Greet ${name}.`),
        complete: { name: (typed) => Effect.succeed(["Ada", "Alan", "Grace"].filter((one) => one.startsWith(typed))) }
      })
    ]
  })
  const services = yield* Layer.build(
    McpServer.layerHttp(Effect.succeed(server)).pipe(
      Layer.provideMerge(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 }))
    )
  )
  const { address } = Context.get(services, HttpServer.HttpServer)
  return { server, url: `http://127.0.0.1:${address._tag === "TcpAddress" ? address.port : 0}/mcp` }
})

/** A model of the program, which answers for the server. */
class Model extends Context.Tag("test/Model")<Model, (question: string) => Effect.Effect<string, string>>() {}

const sample = (request: Json.JsonObject) =>
  Effect.gen(function* () {
    const answer = yield* Model
    const [message] = request["messages"] as ReadonlyArray<{ readonly content: { readonly text: string } }>
    const text = yield* answer(message?.content.text ?? "")
    return { role: "assistant", model: "calculator", content: { type: "text", text } }
  })

const callAsk = (client: McpClient.Client) =>
  Effect.map(client.callTool("ask"), ({ content }) => content[0]?.text ?? "")

describe("over HTTP with SSE", () => {
  for (const [name, at] of Object.entries({ sse: McpClient.sse, http: McpClient.http })) {
    it.scopedLive(`a server of 2024-11-05 is used, by McpClient.${name}`, () =>
      Effect.gen(function* () {
        const { url } = yield* sseServer
        const client = yield* McpClient.connect("s", at(url))
        assert.strictEqual(yield* client.revision, "2024-11-05")
        const runner = yield* ToolRunner.make(client.toolset)
        const outcome = yield* runner.run(ToolCall.make("call_1", "s_ask", {}))
        // The program answers no such question, so the SDK refuses it.
        assert.match(
          outcome._tag === "Success" ? JSON.stringify(outcome.encoded) : outcome._tag,
          /not (found|support)/i
        )
      })
    )
  }

  it.scopedLive("values are completed, with the arguments that are known", () =>
    Effect.gen(function* () {
      const { calls, url } = yield* sseServer
      const client = yield* McpClient.connect("s", McpClient.sse(url))
      const completion = { ref: { resource: "lib://{id}/{page}" }, argument: "page", value: "1", given: { id: "7" } }
      assert.deepStrictEqual(yield* client.complete(completion), ["1!"])
      yield* client.complete({ ref: { prompt: "greet" }, argument: "name", value: "A" })
      assert.deepStrictEqual(
        calls("completion/complete").map(({ params: { _meta, ...params } }) => params),
        [
          {
            ref: { type: "ref/resource", uri: "lib://{id}/{page}" },
            argument: { name: "page", value: "1" },
            context: { arguments: { id: "7" } }
          },
          { ref: { type: "ref/prompt", name: "greet" }, argument: { name: "name", value: "A" } }
        ]
      )
    })
  )

  it.scopedLive("a subscription lasts over a broken connection, and ends with its stream", () =>
    Effect.gen(function* () {
      const { breakStream, calls, update, url } = yield* sseServer
      const client = yield* McpClient.connect("s", McpClient.sse(url))
      let count = 0
      const seen = yield* Effect.makeSemaphore(0)
      const fiber = yield* Effect.fork(
        Stream.runForEach(client.subscribe("lib://terms"), () => {
          count++
          return seen.release(1)
        })
      )
      const subscribed = (count: number) =>
        Effect.repeat(Effect.sleep(10), { until: () => calls("resources/subscribe").length === count })
      yield* subscribed(1)
      update("lib://logo")
      update("lib://terms")
      yield* seen.take(1)
      breakStream()
      // The resource may have changed meanwhile.
      yield* seen.take(1)
      yield* subscribed(2)
      update("lib://terms")
      yield* seen.take(1)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(count, 3)
      assert.deepStrictEqual(
        calls("resources/unsubscribe").map(({ params }) => params["uri"]),
        ["lib://terms"]
      )
    })
  )

  it.scopedLive("a call that was under way when the connection broke is uncertain", () =>
    Effect.gen(function* () {
      const { breakStream, calls, url } = yield* sseServer
      const client = yield* McpClient.connect("s", McpClient.sse(url), { sample: () => Effect.never })
      const runner = yield* ToolRunner.make(client.toolset)
      const call = yield* Effect.fork(runner.run(ToolCall.make("call_1", "s_ask", {})))
      yield* Effect.repeat(Effect.sleep(10), { until: () => calls("tools/call").length === 1 })
      breakStream()
      assert.strictEqual((yield* Fiber.join(call))._tag, "Uncertain")
      assert.strictEqual((yield* client.listTools).length, 1)
      assert.strictEqual(calls("tools/call").length, 1)
    })
  )

  it.scopedLive("a model of the program answers the server, or fails without an end of the connection", () =>
    Effect.gen(function* () {
      const { url } = yield* sseServer
      let isBroken = false
      const client = yield* McpClient.connect("s", McpClient.sse(url), { sample }).pipe(
        Effect.provideService(Model, (question) =>
          isBroken ? Effect.fail("no tokens left") : Effect.succeed(question)
        )
      )
      assert.deepStrictEqual(JSON.parse(yield* callAsk(client)), {
        role: "assistant",
        model: "calculator",
        content: { type: "text", text: "2 + 2?" }
      })
      isBroken = true
      assert.match(yield* callAsk(client), /no tokens left/)
      isBroken = false
      assert.match(yield* callAsk(client), /calculator/)
    })
  )
})

describe("of 2026-07-28", () => {
  it.scopedLive("values are completed", () =>
    Effect.gen(function* () {
      const { url } = yield* modernServer
      const client = yield* McpClient.connect("s", McpClient.http(url))
      assert.strictEqual(yield* client.revision, "2026-07-28")
      const complete = (value: string) => client.complete({ ref: { prompt: "greet" }, argument: "name", value })
      assert.deepStrictEqual([yield* complete("A"), yield* complete("B")], [["Ada", "Alan"], []])
      const unknown = yield* Effect.flip(client.complete({ ref: { prompt: "none" }, argument: "name", value: "" }))
      assert.strictEqual(unknown._tag, "RemoteError")
    })
  )

  it.scopedLive("a resource is followed", () =>
    Effect.gen(function* () {
      const { server, url } = yield* modernServer
      const client = yield* McpClient.connect("s", McpClient.http(url))
      const open = yield* Deferred.make<void>()
      const updates = client.subscribe("lib://terms").pipe(
        Stream.tap(() => Deferred.succeed(open, undefined)),
        Stream.take(2)
      )
      const fiber = yield* Effect.fork(Stream.runCollect(updates))
      // The first update that arrives shows that the server knows of the subscription.
      yield* Effect.repeat(Effect.zipRight(server.resourceUpdated("lib://terms"), Effect.sleep(10)), {
        until: () => Deferred.isDone(open)
      })
      yield* server.resourceUpdated("lib://terms")
      assert.strictEqual(Chunk.size(yield* Fiber.join(fiber)), 2)
    })
  )

  it.scopedLive("a model of the program answers in a round of its own", () =>
    Effect.gen(function* () {
      const { url } = yield* modernServer
      const client = yield* McpClient.connect("s", McpClient.http(url), { sample }).pipe(
        Effect.provideService(Model, () => Effect.succeed("4"))
      )
      assert.strictEqual(yield* callAsk(client), '{"type":"text","text":"4"} of calculator')
      const broken = yield* McpClient.connect("s", McpClient.http(url), { sample }).pipe(
        Effect.provideService(Model, () => Effect.fail("no tokens left"))
      )
      const error = yield* Effect.flip(callAsk(broken))
      assert.match(error.message, /sampling\/createMessage was not answered: no tokens left/)
    })
  )
})
