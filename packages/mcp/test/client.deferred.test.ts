/** Calls that wait for answers to what their server asks, with runners of their own for each connection. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { NodeHttpServer } from "@effect/platform-node"
import * as HttpServer from "@effect/platform/HttpServer"
import { describe, expect, it } from "@effect/vitest"
import {
  Approval,
  Journal,
  type Json,
  Outcome,
  type Policy,
  Response,
  ToolCall,
  ToolRunner,
  Toolset
} from "@wield/core"
import { McpCatalog, McpClient, McpRequest, McpServer } from "@wield/mcp"
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import { bundleOf } from "../../../test/programs.js"

const fixture = (name: string) => bundleOf(new URL(`fixtures/${name}`, import.meta.url))

const traceFile = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "mcp-asking-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true }))
  ),
  (folder) => join(folder, "trace")
)

/** A server of SDK 2, in a process of its own for each connection. */
const sdkServer = Effect.zipWith(fixture("asking.mjs"), traceFile, (asking, trace) =>
  McpClient.stdio(process.execPath, [asking, "stdio", trace])
)

const deferring = { elicit: "defer", sample: "defer" } as const

/** As another process would: a connection and a runner of its own. */
const connected = <A, E>(
  server: McpClient.Server,
  use: (run: ToolRunner.Run<Toolset.DynamicTools, never, unknown>, client: McpClient.Client) => Effect.Effect<A, E>,
  policy?: Policy.Policy<Toolset.DynamicTools>,
  options: McpClient.Options = deferring
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const client = yield* McpClient.connect("s", server, options)
      const runner = yield* ToolRunner.make(client.toolset, policy)
      return yield* use(runner.forRun({ id: "r" }), client)
    })
  )

const deferred = (outcome: Outcome.Outcome) =>
  Outcome.isDeferred(outcome) ? outcome : expect.unreachable(`it ended as ${outcome._tag}: ${Outcome.text(outcome)}`)

const callOf = (tool: string) => ToolCall.make("call_1", `s_${tool}`, {})

const accept = (key: string, content: Json.JsonObject) => Response.reply({ [key]: { action: "accept", content } })

/** The same over HTTP; each is a process of its own. */
const httpServer = Effect.gen(function* () {
  const trace = yield* traceFile
  const asking = yield* fixture("asking.mjs")
  const { port } = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const child = spawn(process.execPath, [asking, "http", trace], { stdio: ["ignore", "pipe", "inherit"] })
      const [line] = await once(createInterface({ input: child.stdout }), "line")
      return { child, port: String(line) }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )
  return McpClient.http(`http://127.0.0.1:${port}/`)
})

/** Wield's own server. Another one with the same secret and journal takes its place. */
const serve = (
  tools: ReadonlyArray<Toolset.DynamicTool>,
  journal: Journal.Service,
  options: Partial<McpServer.Options> & { readonly approval?: Approval.Rule } = {}
) =>
  Effect.gen(function* () {
    const { approval, ...others } = options
    const server = Effect.flatMap(Toolset.dynamic(tools), (toolset) =>
      McpServer.make({
        name: "own",
        version: "1",
        toolset,
        policy: { journal, approval },
        secret: Redacted.make("what both processes know, of 32 bytes"),
        ...others
      })
    )
    const services = yield* Layer.build(
      McpServer.layerHttp(server).pipe(
        Layer.provideMerge(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 }))
      )
    )
    const { address } = Context.get(services, HttpServer.HttpServer)
    return McpClient.http(`http://127.0.0.1:${address._tag === "TcpAddress" ? address.port : 0}/mcp`)
  })

const seat = McpRequest.form({ message: "Seat?", fields: Schema.Struct({ seat: Schema.Literal("aisle", "window") }) })
const bags = McpRequest.form({ message: "Bags?", fields: Schema.Struct({ bags: Schema.Int }) })
const guess = McpRequest.sample({
  messages: [{ role: "user", content: { type: "text", text: "Where?" } }],
  maxTokens: 9
})

describe("A call whose server asks", () => {
  it.scopedLive("over HTTP goes on in two rounds, with another server and connection for each", () =>
    Effect.gen(function* () {
      const round = <A>(
        use: (run: ToolRunner.Run<Toolset.DynamicTools, never, unknown>) => Effect.Effect<A, unknown>
      ) => Effect.scoped(Effect.flatMap(httpServer, (server) => connected(server, use)))
      const first = yield* round((run) => Effect.map(run.run(callOf("travel")), deferred))
      const second = yield* round((run) => Effect.map(run.resume(first, accept("seat", { seat: "window" })), deferred))
      const ended = yield* round((run) => run.resume(second, accept("bags", { bags: 0 })))
      expect(Outcome.text(ended)).toBe("travel window 0")
    })
  )

  it.scopedLive("goes on with the message of a model", () =>
    Effect.gen(function* () {
      const server = yield* sdkServer
      const waiting = yield* connected(server, (run) => Effect.map(run.run(callOf("guess")), deferred))
      expect(waiting.input?.asks).toMatchObject({ guess: { method: "sampling/createMessage" } })
      expect(McpClient.questionsOf(waiting)).toMatchObject({ guess: { mode: "sample", request: { maxTokens: 10 } } })
      const message = { role: "assistant", content: { type: "text", text: "Vienna" }, model: "m" }
      yield* connected(server, (run) =>
        Effect.gen(function* () {
          const incomplete = Response.reply({ guess: { role: "assistant" } })
          expect(yield* Effect.flip(run.resume(waiting, incomplete))).toHaveProperty("issues.length", 2)
          expect(Outcome.text(yield* run.resume(waiting, Response.reply({ guess: message })))).toBe("to Vienna")
        })
      )
    })
  )

  it.scopedLive("says each issue of an invalid answer, and refuses a request that was changed", () =>
    Effect.gen(function* () {
      const server = yield* sdkServer
      const waiting = yield* connected(server, (run) => Effect.map(run.run(callOf("book")), deferred))
      yield* connected(server, (run) =>
        Effect.gen(function* () {
          const refusal = (response: Response.Response, request = waiting) =>
            Effect.flip(run.resume({ ...request, name: request.name }, response))
          expect(yield* refusal(accept("seat", { seat: "roof", more: 1 }))).toMatchObject({
            _tag: "InvalidReply",
            issues: [{ path: ["seat", "content", "seat"], received: '"roof"' }]
          })
          expect(yield* refusal(Response.reply({ seat: { action: "accept" } }))).toMatchObject({
            issues: [{ path: ["seat", "content"] }]
          })
          expect(yield* refusal(Response.reply({ seat: { action: "agree" }, other: 1 }))).toHaveProperty(
            "issues.length",
            2
          )
          const { input } = waiting
          const asks = { seat: { method: "elicitation/create", params: { message: "Really?" } } }
          const forged = new Outcome.Deferred({ ...waiting, input: input && { ...input, asks } })
          expect(yield* refusal(accept("seat", { seat: "aisle" }), forged)).toHaveProperty("_tag", "StaleResponse")
          const ended = yield* run.resume(waiting, accept("seat", { seat: "aisle" }))
          expect(Outcome.text(ended)).toBe("booked aisle")
        })
      )
    })
  )

  it.scopedLive("may be cancelled, and ends after eight rounds at the latest", () =>
    Effect.gen(function* () {
      const server = yield* sdkServer
      yield* connected(server, (run) =>
        Effect.gen(function* () {
          const cancelled = yield* run.resume(
            deferred(yield* run.run(callOf("book"))),
            Response.reply({ seat: { action: "cancel" } })
          )
          expect(Outcome.text(cancelled)).toBe("not booked: cancel")
          let outcome: Outcome.Outcome = yield* run.run(ToolCall.make("call_2", "s_always", {}))
          let rounds = 0
          while (Outcome.isDeferred(outcome)) {
            rounds++
            outcome = yield* run.resume(outcome, accept("seat", { seat: "aisle" }))
          }
          expect(rounds).toBe(8)
          expect(Outcome.text(outcome)).toContain("more than 8 rounds")
        })
      )
    })
  )

  it.scopedLive("answers at once what a handler answers, and waits for the rest of the round", () =>
    Effect.gen(function* () {
      const journal = yield* Journal.memory
      const given: Array<unknown> = []
      const tool: Toolset.DynamicTool = {
        name: "book",
        execute: () =>
          Effect.gen(function* () {
            const answers = yield* McpRequest.ask({ seat, guess })
            const { bags: count } = yield* McpRequest.ask({ bags })
            given.push([answers.seat, answers.guess.content, count])
            return "booked"
          })
      }
      const options: McpClient.Options = {
        elicit: "defer",
        sample: () => Effect.succeed({ role: "assistant", model: "m", content: { type: "text", text: "Vienna" } })
      }
      // Each round has a server of its own, as if the one before had ended.
      const round = <A>(
        use: (run: ToolRunner.Run<Toolset.DynamicTools, never, unknown>) => Effect.Effect<A, unknown>
      ) => Effect.scoped(Effect.flatMap(serve([tool], journal), (server) => connected(server, use, undefined, options)))
      const first = yield* round((run) => Effect.map(run.run(callOf("book")), deferred))
      expect(Object.keys(Object(first.input?.asks))).toEqual(["seat"])
      const second = yield* round((run) => Effect.map(run.resume(first, accept("seat", { seat: "window" })), deferred))
      expect(Object.keys(Object(second.input?.asks))).toEqual(["bags"])
      const ended = yield* round((run) => run.resume(second, accept("bags", { bags: 2 })))
      expect(Outcome.text(ended)).toBe("booked")
      expect(given).toEqual([
        [
          { action: "accept", content: { seat: "window" } },
          { type: "text", text: "Vienna" },
          { action: "accept", content: { bags: 2 } }
        ]
      ])
    })
  )

  it.scopedLive("waits for the approval that a server of Wield asks for", () =>
    Effect.gen(function* () {
      const journal = yield* Journal.memory
      const paid: Array<number> = []
      const tool: Toolset.DynamicTool = { name: "pay", execute: () => Effect.sync(() => paid.push(1)) }
      const server = yield* serve([tool], journal, { approval: () => Approval.ask("it costs") })
      const waiting = yield* connected(server, (run) => Effect.map(run.run(callOf("pay")), deferred))
      const [key = ""] = Object.keys(Object(waiting.input?.asks))
      expect(JSON.stringify(waiting.input?.asks)).toContain("it costs")
      for (let times = 0; times < 2; times++) {
        const ended = yield* connected(server, (run) => run.resume(waiting, accept(key, { approve: true })))
        // Without a journal of the client, the state is sent twice; the server's lets nothing run twice.
        expect(Outcome.text(ended)).toMatch(times === 0 ? /^1$/ : /./)
      }
      expect(paid).toEqual([1])
    })
  )

  it.scopedLive("of a tool with an output schema goes on, though the question is no structured content", () =>
    Effect.gen(function* () {
      const journal = yield* Journal.memory
      const outputSchema = { type: "object", properties: { seat: { type: "string" } }, required: ["seat"] }
      const execute = () =>
        Effect.map(McpRequest.ask({ seat }), (given) => (given.seat.action === "accept" ? given.seat.content : {}))
      const tools = ["book", "book_as_task"].map((name) => ({ name, outputSchema, execute }))
      const server = yield* serve(tools, journal, {
        approval: () => Approval.ask("it costs"),
        tasks: { support: ({ name }) => (name === "book" ? undefined : "optional"), poll: "100 millis" }
      })
      const answer = (asked: McpClient.Elicitation): McpClient.ElicitationAnswer => ({
        action: "accept",
        content: asked.message === "Seat?" ? { seat: "aisle" } : { approve: true }
      })
      const options: McpClient.Options = { elicit: (asked) => Effect.sync(() => answer(asked)) }
      yield* connected(
        server,
        (run) =>
          Effect.gen(function* () {
            for (const name of ["book", "book_as_task"]) {
              const outcome = yield* run.run(ToolCall.make(name, `s_${name}`, {}))
              expect([outcome._tag, Outcome.text(outcome)]).toEqual(["Success", '{"seat":"aisle"}'])
            }
          }),
        undefined,
        options
      )
    })
  )

  it.scopedLive("goes on as a task, whose questions wait, too", () =>
    Effect.gen(function* () {
      const journal = yield* Journal.memory
      const tool: Toolset.DynamicTool = {
        name: "print",
        execute: () => Effect.map(McpRequest.ask({ bags }), (given) => JSON.stringify(given.bags))
      }
      const server = yield* serve([tool], journal, {
        tasks: { support: () => "optional", poll: "100 millis" }
      })
      const waiting = yield* connected(server, (run) => Effect.map(run.run(callOf("print")), deferred))
      expect(waiting.input?.state).toMatchObject({ task: { id: expect.any(String) } })
      const ended = yield* connected(server, (run) => run.resume(waiting, accept("bags", { bags: 3 })))
      expect(Outcome.text(ended)).toContain('"content":{"bags":3}')
      // A server that has started anew knows nothing of the task.
      const again = yield* connected(server, (run) =>
        Effect.map(run.run(ToolCall.make("call_2", "s_print", {})), deferred)
      )
      const restarted = yield* serve([tool], journal, { tasks: { support: () => "optional" } })
      const lost = yield* connected(restarted, (run) => run.resume(again, accept("bags", { bags: 3 })))
      expect(lost._tag).toBe("Uncertain")
    })
  )

  it.scopedLive("of a server before 2026-07-28 does not wait: the server learns that it cannot ask", () =>
    Effect.gen(function* () {
      const server = McpClient.stdio(process.execPath, [yield* fixture("servers.mjs"), "sdk1", "stdio"])
      yield* connected(server, (run, client) =>
        Effect.gen(function* () {
          expect(yield* client.revision).toBe("2025-11-25")
          const outcome = yield* run.run(callOf("ask"))
          expect(outcome._tag).toBe("Failure")
          expect(Outcome.text(outcome)).toMatch(/does not support .*elicitation/i)
        })
      )
    })
  )

  it.scopedLive("made by the program itself is cancelled, for no one would go on with it", () =>
    Effect.flatMap(sdkServer, (server) =>
      connected(server, (_, client) =>
        Effect.gen(function* () {
          const { content } = yield* client.callTool("book")
          expect(content[0]?.text).toBe("not booked: cancel")
          const failed = yield* Effect.flip(client.callTool("guess"))
          expect(failed).toMatchObject({ _tag: "ProtocolViolation", problem: expect.stringContaining("defer") })
        })
      )
    )
  )

  it.scopedLive("waits within mcp_invoke, too", () =>
    Effect.flatMap(sdkServer, (server) =>
      connected(server, (_, client) =>
        Effect.gen(function* () {
          const runner = yield* ToolRunner.make(yield* McpCatalog.tools([client]))
          const run = runner.forRun({ id: "r" })
          const waiting = deferred(yield* run.run(ToolCall.make("c", "mcp_invoke_s", { tool: "travel" })))
          const next = deferred(yield* run.resume(waiting, accept("seat", { seat: "aisle" })))
          expect(Outcome.text(yield* run.resume(next, accept("bags", { bags: 1 })))).toBe("travel aisle 1")
        })
      )
    )
  )
})
