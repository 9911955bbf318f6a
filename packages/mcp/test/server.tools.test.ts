import { Tool, Toolkit } from "@effect/ai"
import { expect, it } from "@effect/vitest"
import { InMemoryTransport } from "@modelcontextprotocol/server"
import { Approval, CallContext, Content, CurrentCall, Facts, Hidden, Toolset } from "@wield/core"
import { McpServer, McpTest } from "@wield/mcp"
import { Deferred, Effect, Fiber, Schema } from "effect"
import { describe } from "vitest"
import { serveConnection } from "../src/server/engine.js"

const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]

const Shop = Toolkit.make(
  Tool.make("get_order", {
    description: "An order",
    parameters: { id: Schema.Number },
    success: Schema.Struct({ id: Schema.Number, paid: Schema.Boolean }),
    failure: Schema.Struct({ error: Schema.String }),
    failureMode: "return"
  })
    .annotate(Tool.Title, "Get an order")
    .annotate(Tool.Readonly, true),
  Tool.make("count", { parameters: {}, success: Schema.Number }),
  Tool.make("crash", { parameters: {}, success: Schema.String }),
  Tool.make("pictures", { parameters: {}, success: Content.Parts }),
  Tool.make("on_screen", { parameters: {}, success: Schema.String }).pipe(Facts.client)
)

const ShopLive = Shop.toLayer({
  get_order: ({ id }) => (id > 0 ? Effect.succeed({ id, paid: true }) : Effect.fail({ error: "no such order" })),
  count: () => Effect.succeed(3),
  crash: () => Effect.die(new Error("the database password is hunter2")),
  pictures: () =>
    Effect.succeed([
      Content.text("Here:"),
      Content.image("image/png", "aW1n"),
      Content.file("audio/wav", "d2F2"),
      Content.file("application/pdf", "cGRm", "bill.pdf"),
      new Content.File({ mediaType: "text/html", source: { _tag: "Url", url: "https://example.com/a" } })
    ])
})

const shop = Effect.gen(function* () {
  const toolset = yield* Toolset.fromToolkit(Shop)
  return yield* McpServer.make({ name: "shop", version: "1.0.0", toolset })
}).pipe(Effect.provide(ShopLive))

const call = (client: McpTest.Peer, name: string, args: object = {}) =>
  client.request("tools/call", { name, arguments: args as never })

describe("A served toolset", () => {
  for (const revision of revisions) {
    it.scoped(`lists what ${revision} can say of its tools`, () =>
      Effect.gen(function* () {
        const client = yield* McpTest.pair(yield* shop, { revision })
        const { tools } = (yield* client.request("tools/list")) as never as { tools: Array<Record<string, unknown>> }
        expect(tools.map(({ name }) => name)).toEqual(["get_order", "count", "crash", "pictures"])
        const [order, count] = tools
        expect(order?.["title"]).toBe(revision >= "2025-06-18" ? "Get an order" : undefined)
        expect(order?.["annotations"]).toEqual(
          revision >= "2025-03-26"
            ? {
                title: "Get an order",
                readOnlyHint: true,
                destructiveHint: true,
                idempotentHint: false,
                openWorldHint: true
              }
            : undefined
        )
        expect(order?.["outputSchema"]).toEqual(revision >= "2025-06-18" ? expect.anything() : undefined)
        expect(count?.["outputSchema"]).toEqual(revision >= "2026-07-28" ? expect.anything() : undefined)
      })
    )

    it.scoped(`answers calls as ${revision} can`, () =>
      Effect.gen(function* () {
        const client = yield* McpTest.pair(yield* shop, { revision })
        const order = yield* call(client, "get_order", { id: 7 })
        expect(order["content"]).toEqual([{ type: "text", text: '{"id":7,"paid":true}' }])
        expect(order["structuredContent"]).toEqual(revision >= "2025-06-18" ? { id: 7, paid: true } : undefined)
        const count = yield* call(client, "count")
        expect(count["content"]).toEqual([{ type: "text", text: "3" }])
        expect(count["structuredContent"]).toBe(revision >= "2026-07-28" ? 3 : undefined)
        const failed = yield* call(client, "get_order", { id: 0 })
        expect(failed).toMatchObject({ isError: true, content: [{ type: "text", text: '{"error":"no such order"}' }] })
        const pictures = (yield* call(client, "pictures"))["content"] as ReadonlyArray<{ type: string }>
        expect(pictures.map(({ type }) => type)).toEqual(
          revision >= "2025-06-18"
            ? ["text", "image", "audio", "resource", "resource_link"]
            : revision >= "2025-03-26"
              ? ["text", "image", "audio", "resource", "text"]
              : ["text", "image", "resource", "resource", "text"]
        )
      })
    )
  }

  it.scoped("tells a model what is wrong with its arguments, and a client that a tool is unknown", () =>
    Effect.gen(function* () {
      const client = yield* McpTest.pair(yield* shop)
      const invalid = yield* call(client, "get_order", { id: "seven" })
      expect(invalid).toMatchObject({ isError: true })
      expect(JSON.stringify(invalid["content"])).toContain("id")
      expect(yield* Effect.flip(call(client, "refund"))).toMatchObject({
        code: -32602,
        message: "Unknown tool: refund"
      })
      // A tool that the client's program would have to execute is not there either.
      expect(yield* Effect.flip(call(client, "on_screen"))).toMatchObject({
        code: -32602,
        message: "Unknown tool: on_screen"
      })
    })
  )

  it.scoped("gives of a crash a reference only", () =>
    Effect.gen(function* () {
      const client = yield* McpTest.pair(yield* shop)
      const crashed = yield* call(client, "crash")
      expect(crashed["isError"]).toBe(true)
      expect(JSON.stringify(client.received)).not.toContain("hunter2")
      expect(JSON.stringify(crashed["content"])).toContain("reference")
    })
  )

  it.scoped("sends progress that rises, and none without a token", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.dynamic([
        {
          name: "slow",
          execute: () =>
            Effect.gen(function* () {
              const { progress } = yield* CurrentCall.CurrentCall
              yield* progress("starting")
              yield* progress({ progress: 50, total: 100, message: "half" })
              yield* progress(20)
              yield* progress(100)
              return "done"
            })
        }
      ])
      const client = yield* McpTest.pair(yield* McpServer.make({ name: "slow", version: "1.0.0", toolset }))
      yield* call(client, "slow")
      expect(client.received.filter(({ method }) => method !== undefined)).toEqual([])
      yield* client.request("tools/call", { name: "slow", arguments: {}, _meta: { progressToken: "p" } })
      const sent = client.received.filter(({ method }) => method === "notifications/progress")
      expect(sent.map(({ params }) => [params?.["progress"], params?.["message"]])).toEqual([
        [0, "starting"],
        [50, "half"],
        [100, undefined]
      ])
    })
  )

  for (const revision of ["2025-11-25", "2026-07-28"]) {
    it.scoped(`interrupts a call that a client of ${revision} cancels, and answers nothing`, () =>
      Effect.gen(function* () {
        const begun = yield* Deferred.make<void>()
        const ended = yield* Deferred.make<void>()
        const toolset = yield* Toolset.dynamic([
          {
            name: "wait",
            execute: () =>
              Deferred.succeed(begun, undefined).pipe(
                Effect.zipRight(Effect.never),
                Effect.onInterrupt(() => Deferred.succeed(ended, undefined))
              )
          }
        ])
        const client = yield* McpTest.pair(yield* McpServer.make({ name: "w", version: "1", toolset }), { revision })
        const before = client.received.length
        const fiber = yield* Effect.fork(call(client, "wait"))
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(fiber)
        yield* Deferred.await(ended)
        yield* client.request("tools/list")
        expect(client.received.slice(before).filter(({ id }) => id !== undefined)).toHaveLength(1)
      })
    )
  }

  it.scoped("interrupts its calls when its scope ends", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const ended = yield* Deferred.make<void>()
      yield* Effect.gen(function* () {
        const toolset = yield* Toolset.dynamic([
          {
            name: "wait",
            execute: () =>
              Deferred.succeed(begun, undefined).pipe(
                Effect.zipRight(Effect.never),
                Effect.onInterrupt(() => Deferred.succeed(ended, undefined))
              )
          }
        ])
        const client = yield* McpTest.pair(yield* McpServer.make({ name: "w", version: "1", toolset }))
        yield* Effect.forkDaemon(call(client, "wait"))
        yield* Deferred.await(begun)
      }).pipe(Effect.scoped)
      yield* Deferred.await(ended)
    })
  )

  it.scoped("takes its call context from the caller, and shows each caller their own tools", () =>
    Effect.gen(function* () {
      const Notes = Toolkit.make(
        Tool.make("whose", { parameters: { owner: Schema.String }, success: Schema.String }).pipe(
          Hidden.fields("owner")
        )
      )
      const toolset = yield* Toolset.fromToolkit(Notes).pipe(
        Effect.provide(Notes.toLayer({ whose: ({ owner }) => Effect.succeed(owner) }))
      )
      const admin = yield* Toolset.dynamic([{ name: "delete_all", execute: () => Effect.succeed("gone") }])
      const server = yield* McpServer.make({
        name: "notes",
        version: "1",
        toolset: Toolset.combine(toolset, admin),
        context: ({ client }) => Effect.succeed({ owner: client?.name }),
        offer: (definition, { client }) => client?.name === "admin" || definition.name !== "delete_all"
      })
      const client = yield* McpTest.pair(server)
      const listed = yield* client.request("tools/list")
      expect(JSON.stringify(listed)).not.toContain("owner")
      expect(JSON.stringify(listed)).not.toContain("delete_all")
      expect(yield* call(client, "whose", { owner: "somebody else" })).toMatchObject({ structuredContent: "McpTest" })
      expect(yield* Effect.flip(call(client, "delete_all"))).toEqual(
        new McpTest.ErrorAnswer({ code: -32602, message: "Unknown tool: delete_all" })
      )
    })
  )

  it.scoped("offers nothing where what decides gives a promise, as in plain JavaScript", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.dynamic([{ name: "pay", execute: () => Effect.succeed("paid") }])
      const offer = (async () => false) as unknown as () => boolean
      const client = yield* McpTest.pair(yield* McpServer.make({ name: "s", version: "1", toolset, offer }))
      expect(yield* Effect.flip(client.request("tools/list"))).toMatchObject({ code: -32603 })
      expect(yield* Effect.flip(call(client, "pay"))).toMatchObject({ code: -32603 })
    })
  )

  for (const revision of ["2025-11-25", "2026-07-28"]) {
    it.scoped(`tells a client of ${revision} that the list has changed`, () =>
      Effect.gen(function* () {
        const toolset = yield* Toolset.dynamic([{ name: "one", execute: () => Effect.succeed(1) }])
        const client = yield* McpTest.pair(yield* McpServer.make({ name: "s", version: "1", toolset }), { revision })
        if (revision >= "2026-07-28") {
          yield* Effect.fork(client.request("subscriptions/listen", { notifications: { toolsListChanged: true } }))
          yield* client.notification("notifications/subscriptions/acknowledged")
        } else yield* client.request("tools/list")
        yield* toolset.put({ name: "two", execute: () => Effect.succeed(2) })
        yield* client.notification("notifications/tools/list_changed")
        const { tools } = (yield* client.request("tools/list")) as never as { tools: Array<{ name: string }> }
        expect(tools.map(({ name }) => name)).toEqual(["one", "two"])
      })
    )
  }

  it.scoped("tells a client that does not read of many changes once, and once more of those meanwhile", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.dynamic([{ name: "one", execute: () => Effect.succeed(1) }])
      const server = yield* McpServer.make({ name: "s", version: "1", toolset })
      const [near, far] = InMemoryTransport.createLinkedPair()
      const send = far.send.bind(far)
      const unread: Array<() => void> = []
      far.send = (message, options) =>
        "method" in message && message.method === "notifications/tools/list_changed"
          ? new Promise((resolve) => unread.push(resolve))
          : send(message, options)
      void serveConnection(server[McpServer.TypeId], "memory", far)
      yield* Effect.addFinalizer(() => Effect.promise(() => near.close()))
      const greeted = Effect.async<void>((resume) => {
        near.onmessage = () => resume(Effect.void)
      })
      yield* Effect.promise(() => near.start())
      const clientInfo = { name: "c", version: "1" }
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo }
      yield* Effect.zipRight(
        Effect.promise(() => near.send({ jsonrpc: "2.0", id: 1, method: "initialize", params })),
        greeted
      )
      yield* Effect.promise(() => near.send({ jsonrpc: "2.0", method: "notifications/initialized" }))
      const change = (count: number) =>
        toolset.put({ name: "two", description: `Added by ${count}`, execute: () => Effect.succeed(2) })
      const settled = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))
      for (let count = 0; count < 5; count++) yield* Effect.zipRight(change(count), settled)
      expect(unread).toHaveLength(1)
      unread[0]?.()
      yield* settled
      expect(unread).toHaveLength(2)
      unread[1]?.()
      yield* settled
      expect(unread).toHaveLength(2)
    })
  )

  it.scoped("lists page by page, and refuses a cursor of nowhere", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.dynamic(
        Array.from({ length: 5 }, (_, index) => ({ name: `t${index}`, execute: () => Effect.succeed(index) }))
      )
      const server = yield* McpServer.make({ name: "s", version: "1", toolset, pageSize: 2 })
      const client = yield* McpTest.pair(server)
      const names: Array<string> = []
      let cursor: string | undefined
      do {
        const page = (yield* client.request("tools/list", cursor === undefined ? {} : { cursor })) as never as {
          tools: Array<{ name: string }>
          nextCursor?: string
        }
        names.push(...page.tools.map(({ name }) => name))
        cursor = page.nextCursor
      } while (cursor !== undefined)
      expect(names).toEqual(["t0", "t1", "t2", "t3", "t4"])
      expect(yield* Effect.flip(client.request("tools/list", { cursor: "bm93aGVyZQ" }))).toMatchObject({ code: -32602 })
    })
  )

  it.scoped("runs a call with an idempotency key once", () =>
    Effect.gen(function* () {
      let paid = 0
      const toolset = yield* Toolset.dynamic([{ name: "pay", execute: () => Effect.sync(() => ++paid) }])
      const client = yield* McpTest.pair(yield* McpServer.make({ name: "s", version: "1", toolset }))
      const pay = (key?: string) =>
        client.request("tools/call", {
          name: "pay",
          arguments: {},
          ...(key === undefined ? {} : { _meta: { "tools.wield/idempotencyKey": key } })
        })
      expect((yield* pay("a"))["structuredContent"]).toBe(1)
      expect((yield* pay("a"))["structuredContent"]).toBe(1)
      expect((yield* pay("b"))["structuredContent"]).toBe(2)
      expect((yield* pay())["structuredContent"]).toBe(3)
      expect((yield* pay())["structuredContent"]).toBe(4)
    })
  )

  it.scoped("has the caller's words in hidden fields, filters and rules alike", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.dynamic([
        { name: "who", execute: () => Effect.map(CallContext.CallContext, ({ who }) => String(who)) }
      ])
      const server = yield* McpServer.make({
        name: "s",
        version: "1",
        toolset,
        policy: {
          approval: ({ context }) => (context["who"] === "McpTest" ? Approval.allow : Approval.deny("not you"))
        },
        context: ({ client }) => Effect.succeed({ who: client?.name })
      })
      const client = yield* McpTest.pair(server)
      expect((yield* call(client, "who"))["structuredContent"]).toBe("McpTest")
    })
  )

  it.scoped("speaks the same to many clients at once", () =>
    Effect.gen(function* () {
      const server = yield* shop
      const clients = yield* Effect.forEach(revisions, (revision) => McpTest.pair(server, { revision }))
      const answers = yield* Effect.forEach(
        clients.flatMap((client) => Array.from({ length: 50 }, (_, id) => ({ client, id: id + 1 }))),
        ({ client, id }) => call(client, "get_order", { id }),
        { concurrency: "unbounded" }
      )
      expect(answers).toHaveLength(250)
      expect(new Set(answers.map(({ content }) => JSON.stringify(content))).size).toBe(50)
    })
  )
})
