/** A server in memory, for your own tests: what a client of any revision sends and gets, without a process or a port. */
import type { Json } from "@wield/core"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as McpClient from "./McpClient.js"
import { type McpServer, TypeId } from "./McpServer.js"

/**
 * The server answered with a JSON-RPC error.
 *
 * @category errors
 */
export class ErrorAnswer extends Schema.TaggedError<ErrorAnswer>("@wield/mcp/ErrorAnswer")("ErrorAnswer", {
  code: Schema.Number,
  message: Schema.String,
  data: Schema.optional(Schema.Unknown)
}) {}

/**
 * A message as it went over the wire.
 *
 * @category models
 */
export interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: Json.JsonObject
  readonly result?: Json.JsonObject
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Json.Json }
}

/**
 * A client of a server under test, message by message.
 *
 * @category models
 */
export interface Peer {
  /** Sends a request and gives its result. Interrupting it sends `notifications/cancelled`. */
  readonly request: (method: string, params?: Json.JsonObject) => Effect.Effect<Json.JsonObject, ErrorAnswer>
  readonly notify: (method: string, params?: Json.JsonObject) => Effect.Effect<void>
  /** Sends anything. */
  readonly send: (message: Json.Json) => Effect.Effect<void>
  /** Everything that the server has sent, oldest first. */
  readonly received: ReadonlyArray<Message>
  /** Waits for a notification of the server; one that is there already counts. */
  readonly notification: (method: string) => Effect.Effect<Message>
}

/**
 * How the client behaves.
 *
 * @category models
 */
export interface PeerOptions {
  /** The protocol's revision. `2026-07-28` unless given. */
  readonly revision?: string | undefined
  /** What the client declares that it can do. */
  readonly capabilities?: Json.JsonObject | undefined
  /** Answers the server's requests, which only revisions before 2026-07-28 have. */
  readonly answer?: ((method: string, params: Json.JsonObject) => Json.JsonObject) | undefined
}

const modern = "2026-07-28"

/** The client's end of a connection to the server, which closes with the scope. */
const open = (server: McpServer) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const [{ InMemoryTransport }, { serveConnection }] = await Promise.all([
        import("@modelcontextprotocol/server"),
        import("./server/engine.js")
      ])
      const [near, far] = InMemoryTransport.createLinkedPair()
      void serveConnection(server[TypeId], "memory", far)
      return near
    }),
    (near) => Effect.promise(() => near.close())
  )

/**
 * The server, for a real client in the same process.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Toolset } from "@wield/core"
 * import { McpClient, McpServer, McpTest } from "@wield/mcp"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const toolset = yield* Toolset.dynamic([{ name: "greet", execute: () => Effect.succeed("Hello") }])
 *   const server = yield* McpServer.make({ name: "greeter", version: "1.0.0", toolset })
 *   const client = yield* McpClient.connect("greeter", McpTest.inMemory(server))
 *   assert.deepStrictEqual((yield* client.callTool("greet")).content, [{ type: "text", text: "Hello" }])
 * })
 * Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @category constructors
 */
export const inMemory = (server: McpServer): McpClient.Server => McpClient.transport(open(server))

/**
 * Connects a client to a server in memory, until the scope closes. A client of a
 * revision before 2026-07-28 has shaken hands already.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Toolset } from "@wield/core"
 * import { McpServer, McpTest } from "@wield/mcp"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const toolset = yield* Toolset.dynamic([{ name: "greet", execute: () => Effect.succeed("Hello") }])
 *   const server = yield* McpServer.make({ name: "greeter", version: "1.0.0", toolset })
 *   const client = yield* McpTest.pair(server, { revision: "2025-11-25" })
 *   const result = yield* client.request("tools/call", { name: "greet", arguments: {} })
 *   assert.deepStrictEqual(result, { content: [{ type: "text", text: "Hello" }] })
 * })
 * Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @category constructors
 */
export const pair = (server: McpServer, options: PeerOptions = {}): Effect.Effect<Peer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { revision = modern, capabilities = {} } = options
    const near = yield* open(server)
    const received: Array<Message> = []
    const waiting = new Map<string | number, Deferred.Deferred<Json.JsonObject, ErrorAnswer>>()
    const listeners = new Set<() => void>()
    const post = (message: object): Effect.Effect<void> =>
      // The SDK's own messages are of this shape; a test may send others, too.
      Effect.promise(() => near.send({ jsonrpc: "2.0", ...message } as never))
    near.onmessage = (raw) => {
      // As it would come over a wire.
      const message = JSON.parse(JSON.stringify(raw)) as Message
      received.push(message)
      if (message.method !== undefined && message.id !== undefined) {
        const result = options.answer?.(message.method, message.params ?? {})
        const reply = result === undefined ? { error: { code: -32601, message: "Method not found" } } : { result }
        Effect.runFork(post({ id: message.id, ...reply }))
      } else if (message.id !== undefined) {
        const asked = waiting.get(message.id)
        waiting.delete(message.id)
        if (asked !== undefined) {
          Effect.runFork(
            message.error === undefined
              ? Deferred.succeed(asked, message.result ?? {})
              : Deferred.fail(asked, new ErrorAnswer(message.error))
          )
        }
      }
      for (const listener of listeners) listener()
    }
    yield* Effect.promise(() => near.start())
    let next = 1
    const isModern = revision >= modern
    const envelope = {
      "io.modelcontextprotocol/protocolVersion": revision,
      "io.modelcontextprotocol/clientCapabilities": capabilities,
      "io.modelcontextprotocol/clientInfo": { name: "McpTest", version: "1.0.0" }
    }
    const withEnvelope = (params: Json.JsonObject | undefined): Json.JsonObject | undefined =>
      // The protocol has an object there.
      isModern ? { ...params, _meta: { ...envelope, ...(params?.["_meta"] as Json.JsonObject | undefined) } } : params
    const request: Peer["request"] = (method, params) =>
      Effect.suspend(() => {
        const id = next++
        // The deferred asks for no more of a fiber's id.
        const asked = Deferred.unsafeMake<Json.JsonObject, ErrorAnswer>(near as never)
        waiting.set(id, asked)
        const sent = withEnvelope(params)
        return Effect.zipRight(
          post({ id, method, ...(sent === undefined ? {} : { params: sent }) }),
          Deferred.await(asked)
        ).pipe(Effect.onInterrupt(() => notify("notifications/cancelled", { requestId: id })))
      })
    const notify: Peer["notify"] = (method, params) => {
      const sent = withEnvelope(params)
      return post({ method, ...(sent === undefined ? {} : { params: sent }) })
    }
    const notification: Peer["notification"] = (method) =>
      Effect.async((resume) => {
        const look = () => {
          const found = received.find((message) => message.method === method)
          if (found === undefined) return
          listeners.delete(look)
          resume(Effect.succeed(found))
        }
        listeners.add(look)
        look()
        return Effect.sync(() => listeners.delete(look))
      })
    if (!isModern) {
      const clientInfo = envelope["io.modelcontextprotocol/clientInfo"]
      yield* Effect.orDie(request("initialize", { protocolVersion: revision, capabilities, clientInfo }))
      yield* notify("notifications/initialized")
    }
    // Tests send broken messages, too: anything goes out as it is.
    return { request, notify, send: (message) => post(message as object), received, notification }
  })
