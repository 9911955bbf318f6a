import { createServer } from "node:http"
import { NodeHttpServer } from "@effect/platform-node"
import * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServer from "@effect/platform/HttpServer"
import { expect, it } from "@effect/vitest"
import { CurrentCall, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { McpClient, McpRequest, McpServer } from "@wield/mcp"
import { Context, Deferred, Effect, Fiber, Layer, Redacted, Schema } from "effect"
import { describe } from "vitest"
import { sendJson, serve as answerRequests } from "./fixtures/loopback.js"

/** Serves one tool, whose calls are tasks, over HTTP. */
const serve = (execute: () => Effect.Effect<unknown, unknown>) =>
  Effect.gen(function* () {
    const server = Effect.gen(function* () {
      const toolset = yield* Toolset.dynamic([{ name: "print", execute }])
      const tasks = { support: () => "optional" as const, poll: "100 millis" as const }
      return yield* McpServer.make({ name: "printer", version: "1", toolset, tasks })
    })
    const services = yield* Layer.build(
      McpServer.layerHttp(server).pipe(
        Layer.provideMerge(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 }))
      )
    )
    const { address } = Context.get(services, HttpServer.HttpServer)
    return `http://127.0.0.1:${address._tag === "TcpAddress" ? address.port : 0}/mcp`
  })

const call = ToolCall.make("call_1", "printer_print", {})

const ask = {
  method: "elicitation/create",
  params: { mode: "form", message: "?", requestedSchema: { type: "object" } }
}
const asks = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`${index}`, ask]))

/** A server of 2026-07-28 that says what the test wants; `undefined` is an error. */
const answerWith = (answer: (method: string) => object | undefined) =>
  answerRequests(({ body }, response) => {
    const { id, method } = JSON.parse(body) as { readonly id?: number; readonly method: string }
    const known: { readonly [method: string]: object } = {
      "server/discover": {
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {} },
        ttlMs: 0,
        cacheScope: "private"
      },
      "tools/list": { tools: [{ name: "print", inputSchema: { type: "object" } }], ttlMs: 0, cacheScope: "private" }
    }
    const result = known[method] ?? answer(method)
    const answered =
      result === undefined
        ? { error: { code: -32603, message: "no" } }
        : { result: { resultType: "complete", ...result } }
    sendJson(response, { jsonrpc: "2.0", id, ...answered })
  })

describe("A call that the server goes on with as a task", () => {
  it.scopedLive("gives its result, and reports and asks on the way", () =>
    Effect.gen(function* () {
      const copies = McpRequest.form({ message: "How many?", fields: Schema.Struct({ copies: Schema.Int }) })
      const url = yield* serve(() =>
        Effect.gen(function* () {
          const { progress } = yield* CurrentCall.CurrentCall
          yield* progress("warming up")
          const answer = yield* McpRequest.ask({ copies })
          const again = yield* McpRequest.ask({ copies })
          return [answer, again].map((given) => (given.copies.action === "accept" ? given.copies.content.copies : 0))
        })
      )
      let asked = 0
      const client = yield* McpClient.connect("printer", McpClient.http(url), {
        elicit: () => Effect.sync(() => ({ action: "accept" as const, content: { copies: ++asked } }))
      })
      const messages: Array<string | undefined> = []
      const result = yield* client.callTool("print", {}, { onProgress: ({ message }) => messages.push(message) })
      expect(result.structuredContent).toStrictEqual([1, 2])
      expect(messages).toStrictEqual(["warming up"])
    })
  )

  it.scopedLive("ends with the failure of the tool, or with the error of the protocol", () =>
    Effect.gen(function* () {
      const failing = yield* McpClient.connect("printer", McpClient.http(yield* serve(() => Effect.fail("no paper"))))
      const runner = yield* ToolRunner.make(failing.toolset)
      expect(yield* runner.run(call)).toMatchObject({ _tag: "Failure", encoded: "no paper" })
      const asking = yield* McpClient.connect(
        "printer",
        McpClient.http(yield* serve(() => McpRequest.ask({ roots: McpRequest.roots })))
      )
      expect(yield* Effect.flip(asking.callTool("print"))).toMatchObject({ _tag: "RemoteError", code: -32021 })
    })
  )

  it.scopedLive("is cancelled at the server when it is interrupted, or a question finds no answer", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const interrupted = yield* Deferred.make<void>()
      const url = yield* serve(() =>
        Effect.gen(function* () {
          const { progress } = yield* CurrentCall.CurrentCall
          yield* progress("printing")
          return yield* Effect.never
        }).pipe(Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined)))
      )
      const client = yield* McpClient.connect("printer", McpClient.http(url))
      const onProgress = () => void Effect.runFork(Deferred.succeed(begun, undefined))
      const fiber = yield* Effect.fork(client.callTool("print", {}, { onProgress }))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
      yield* Deferred.await(interrupted)
      const form = McpRequest.form({ message: "?", fields: Schema.Struct({ a: Schema.String }) })
      const ended = yield* Deferred.make<void>()
      const asking = yield* McpClient.connect(
        "printer",
        McpClient.http(
          yield* serve(() => Effect.onInterrupt(McpRequest.ask({ form }), () => Deferred.succeed(ended, undefined)))
        ),
        { elicit: () => Effect.fail("the person has left") }
      )
      expect(yield* Effect.flip(asking.callTool("print"))).toMatchObject({ _tag: "ProtocolViolation" })
      yield* Deferred.await(ended)
    })
  )

  it.scopedLive("is uncertain when the server no longer knows it", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const toolset = yield* Toolset.dynamic([
        { name: "print", execute: () => Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never) }
      ])
      const tasks = { support: () => "optional" as const, poll: "100 millis" as const, max: 10 }
      const make = McpServer.make({ name: "printer", version: "1", toolset, tasks })
      // As behind one address, of which the second process has taken over.
      const handlers = [McpServer.toWebHandler(yield* make), McpServer.toWebHandler(yield* make)]
      let current = 0
      const services = yield* Layer.build(
        HttpServer.serve(HttpApp.fromWebHandler((request) => handlers[current]!(request))).pipe(
          Layer.provideMerge(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 }))
        )
      )
      const { address } = Context.get(services, HttpServer.HttpServer)
      const url = `http://127.0.0.1:${address._tag === "TcpAddress" ? address.port : 0}/mcp`
      const client = yield* McpClient.connect("printer", McpClient.http(url))
      const runner = yield* ToolRunner.make(client.toolset)
      const fiber = yield* Effect.fork(runner.run(call))
      yield* Deferred.await(begun)
      current = 1
      expect(yield* Fiber.join(fiber)).toMatchObject({ _tag: "Uncertain" })
    })
  )

  it.scopedLive.each([
    ["says nothing of its state", {}, "no status"],
    ["has a result of another shape", { status: "completed", result: [null] }, "invalid result"],
    ["ends without a result", { status: "completed" }, "without a result"],
    ["asks for answers that it has", { status: "input_required", inputRequests: { a: ask } }, "does not take"],
    ["answers about another", { taskId: "2", status: "completed", result: { content: [] } }, "about another task"],
    [
      "asks to open another thing than a page",
      {
        status: "input_required",
        inputRequests: { a: { method: ask.method, params: { mode: "url", message: "?", url: "javascript:alert(1)" } } }
      },
      "neither http nor https"
    ],
    ["asks more than it may", { status: "input_required", inputRequests: asks }, "more than 100"]
  ] as const)("ends with an error when the task %s", ([, task, problem]) =>
    Effect.gen(function* () {
      const methods: Array<string> = []
      const origin = yield* answerWith((method) => {
        methods.push(method)
        if (method === "tools/call") return { resultType: "task", taskId: "1", status: "working", pollIntervalMs: 0 }
        return method === "tasks/get" ? { taskId: "1", pollIntervalMs: 0, ...task } : {}
      })
      const client = yield* McpClient.connect("printer", McpClient.http(`${origin}/mcp`), {
        elicit: () => Effect.succeed({ action: "accept" as const, content: {} })
      })
      const error = yield* Effect.flip(client.callTool("print"))
      expect(error).toMatchObject({ _tag: "ProtocolViolation" })
      expect(error.message).toContain(problem)
      expect(methods).toContain("tasks/cancel")
      const runner = yield* ToolRunner.make(client.toolset)
      expect((yield* runner.run(ToolCall.make("1", "printer_print", {})))._tag).toBe("Uncertain")
    })
  )

  it.scopedLive("fails with the beginning of its reason, in which no secret stands", () =>
    Effect.gen(function* () {
      const message = `hunter22 ${"x".repeat(100_000)}`
      const origin = yield* answerWith((method) =>
        method === "tools/call"
          ? { resultType: "task", taskId: "1", status: "working", pollIntervalMs: 0 }
          : { taskId: "1", status: "failed", error: { code: -32603, message, data: { quoted: "hunter22" } } }
      )
      const headers = { authorization: Redacted.make("Bearer hunter22") }
      const client = yield* McpClient.connect("printer", McpClient.http(`${origin}/mcp`, { headers }))
      const error = yield* Effect.flip(client.callTool("print"))
      expect(error._tag).toBe("RemoteError")
      expect(JSON.stringify(error)).not.toContain("hunter22")
      expect(error.message.length).toBeLessThan(3_000)
    })
  )

  it.scopedLive.each(["task", "input_required", "unheard_of", 7])(
    "is read whatever its answers are called: %s",
    (resultType) =>
      Effect.gen(function* () {
        const origin = yield* answerWith((method) =>
          method === "tools/call"
            ? { resultType: "task", taskId: "1", status: "working", pollIntervalMs: 0 }
            : { resultType, taskId: "1", status: "completed", result: { content: [{ type: "text", text: "printed" }] } }
        )
        const client = yield* McpClient.connect("printer", McpClient.http(`${origin}/mcp`))
        expect((yield* client.callTool("print")).content).toEqual([{ type: "text", text: "printed" }])
      })
  )

  it.scopedLive("has a result with odd blocks read, since it ran", () =>
    Effect.gen(function* () {
      const content = [{ type: "text", text: "printed", annotations: null }, { type: "hologram" }]
      const origin = yield* answerWith((method) =>
        method === "tools/call"
          ? { resultType: "task", taskId: "1", status: "working", pollIntervalMs: 0, ttlMs: null, _meta: null }
          : method === "tasks/get"
            ? { taskId: "1", status: "completed", statusMessage: null, result: { _meta: null, content } }
            : {}
      )
      const client = yield* McpClient.connect("printer", McpClient.http(`${origin}/mcp`))
      const result = yield* client.callTool("print")
      expect(result.content[0]).toEqual({ type: "text", text: "printed" })
      expect(result.content[1]?.text).toContain("hologram")
    })
  )

  it.scopedLive("is uncertain when its server refuses every further request", () =>
    Effect.gen(function* () {
      const origin = yield* answerWith((method) =>
        method === "tools/call" ? { resultType: "task", taskId: "1", status: "working", pollIntervalMs: 0 } : undefined
      )
      const client = yield* McpClient.connect("printer", McpClient.http(`${origin}/mcp`))
      const runner = yield* ToolRunner.make(client.toolset)
      expect(yield* runner.run(call)).toMatchObject({ _tag: "Uncertain" })
    })
  )
})
