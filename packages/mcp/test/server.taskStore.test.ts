/** Tasks of servers that share a store: one process has made a task, another is asked about it. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeContext } from "@effect/platform-node"
import * as KeyValueStore from "@effect/platform/KeyValueStore"
import { describe, expect, it } from "@effect/vitest"
import { type Json, Toolset } from "@wield/core"
import { Authorization, McpRequest, McpServer, McpTest } from "@wield/mcp"
import { TaskStore } from "../src/server/taskStore.js"
import { Context, Deferred, Effect, Exit, Layer, Schema, Scope } from "effect"

const extension = "io.modelcontextprotocol/tasks"
const declared = { capabilities: { elicitation: { form: {} }, extensions: { [extension]: {} } } }

interface Task {
  readonly taskId: string
  readonly status: string
  readonly inputRequests?: Record<string, unknown>
  readonly result?: { readonly content: ReadonlyArray<{ readonly text: string }> }
}

const folderOf = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "mcp-tasks-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

/** As in a process of its own. */
const openStore = (folder: string) =>
  Effect.map(
    Layer.build(Layer.fresh(KeyValueStore.layerFileSystem(folder).pipe(Layer.provide(NodeContext.layer)))),
    Context.get(KeyValueStore.KeyValueStore)
  )

const serve = (folder: string, execute: () => Effect.Effect<unknown, unknown>, tasks: McpServer.TaskOptions = {}) =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.dynamic([{ name: "print", execute }])
    const store = yield* openStore(folder)
    const support = () => "optional" as const
    return yield* McpServer.make({
      name: "printer",
      version: "1",
      toolset,
      tasks: { support, poll: "20 millis", store, ...tasks }
    })
  })

const ask = (client: McpTest.Peer, method: string, params: Json.JsonObject): Effect.Effect<Task, McpTest.ErrorAnswer> =>
  Effect.map(client.request(method, params), (result) => result as unknown as Task)
const begin = (client: McpTest.Peer) => ask(client, "tools/call", { name: "print", arguments: {} })
const look = (client: McpTest.Peer, { taskId }: Task) => ask(client, "tasks/get", { taskId })
const until = (client: McpTest.Peer, task: Task, status: string) =>
  Effect.repeat(Effect.delay(look(client, task), "10 millis"), { until: (seen) => seen.status === status })

const copies = McpRequest.form({ message: "How many?", fields: Schema.Struct({ copies: Schema.Int }) })

interface Reply {
  readonly result?: Json.JsonObject
  readonly error?: Json.JsonObject
}

/** A request over HTTP for a principal. */
const send = (
  handle: ReturnType<typeof McpServer.toWebHandler>,
  principal: string,
  method: string,
  params: Json.JsonObject
): Effect.Effect<Reply> =>
  Effect.promise(async () => {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": declared.capabilities
    }
    const response = await handle(
      new Request("http://localhost/mcp", {
        method: "POST",
        headers: {
          authorization: `Bearer ${principal}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": method,
          "mcp-name": String(params["name"] ?? params["taskId"])
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } })
      })
    )
    const text = await response.text()
    return JSON.parse(/^data: (\{.*)$/mu.exec(text)?.[1] ?? text) as Reply
  })

describe("A task of a process that shares its store", () => {
  it.scopedLive("is looked at, answered and read to its end through another process", () =>
    Effect.gen(function* () {
      const folder = yield* folderOf
      const execute = () => Effect.map(McpRequest.ask({ copies }), (given) => JSON.stringify(given.copies))
      const own = yield* McpTest.pair(yield* serve(folder, execute), declared)
      const other = yield* McpTest.pair(yield* serve(folder, () => Effect.die("never run")), declared)
      const task = yield* begin(own)
      expect((yield* look(other, task)).taskId).toBe(task.taskId)
      const asking = yield* until(other, task, "input_required")
      expect(asking.inputRequests).toMatchObject({ copies: { method: "elicitation/create" } })
      const accepted = { action: "accept", content: { copies: 2 } }
      yield* other.request("tasks/update", { taskId: task.taskId, inputResponses: { copies: accepted } })
      const ended = yield* until(other, task, "completed")
      expect(ended.result?.content[0]?.text).toBe(JSON.stringify(accepted))
      expect(yield* until(own, task, "completed")).toEqual(ended)
    })
  )

  it.scopedLive("takes the first answer that fits, as in its own process", () =>
    Effect.gen(function* () {
      const folder = yield* folderOf
      const execute = () => Effect.map(McpRequest.ask({ copies }), (given) => JSON.stringify(given.copies))
      // It looks for answers once all are there.
      const own = yield* McpTest.pair(yield* serve(folder, execute, { poll: "1 second" }), declared)
      const other = yield* McpTest.pair(yield* serve(folder, execute), declared)
      const task = yield* begin(own)
      yield* until(other, task, "input_required")
      const said = (count: Json.Json): Json.JsonObject => ({ action: "accept", content: { copies: count } })
      for (const count of ["many", 2, 3]) {
        yield* other.request("tasks/update", { taskId: task.taskId, inputResponses: { copies: said(count) } })
      }
      const ended = yield* until(other, task, "completed")
      expect(ended.result?.content[0]?.text).toBe(JSON.stringify(said(2)))
    })
  )

  it.scopedLive("has its answers and tells its end where a write of its process failed, whichever", () =>
    Effect.gen(function* () {
      const folder = yield* folderOf
      const execute = () => Effect.map(McpRequest.ask({ copies, sides: copies }), (given) => JSON.stringify(given))
      const other = yield* McpTest.pair(yield* serve(folder, execute), declared)
      const accepted = { action: "accept", content: { copies: 2 } }
      const endAfter = (failing: number) =>
        Effect.gen(function* () {
          const kept = yield* openStore(folder)
          let writes = 0
          const unless = <A, E>(write: Effect.Effect<A, E>) =>
            Effect.suspend(() => (++writes === failing ? Effect.die("the connection is lost") : write))
          const set: typeof kept.set = (key, value) => unless(kept.set(key, value))
          const store = { ...kept, set, remove: (key: string) => unless(kept.remove(key)) }
          const task = yield* begin(yield* McpTest.pair(yield* serve(folder, execute, { store }), declared))
          const { inputRequests = {} } = yield* until(other, task, "input_required")
          const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, accepted]))
          yield* other.request("tasks/update", { taskId: task.taskId, inputResponses })
          const { result } = yield* until(other, task, "completed")
          return result?.content[0]?.text
        })
      const ends = yield* Effect.all([2, 3, 4, 5, 6].map(endAfter), { concurrency: "unbounded" })
      expect(ends).toEqual(ends.map(() => JSON.stringify({ copies: accepted, sides: accepted })))
    })
  )

  it.scopedLive("is cancelled through another process", () =>
    Effect.gen(function* () {
      const folder = yield* folderOf
      const interrupted = yield* Deferred.make<void>()
      const execute = () => Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined))
      const own = yield* McpTest.pair(yield* serve(folder, execute), declared)
      const other = yield* McpTest.pair(yield* serve(folder, execute), declared)
      const task = yield* begin(own)
      yield* other.request("tasks/cancel", { taskId: task.taskId })
      yield* Deferred.await(interrupted)
      expect((yield* until(other, task, "cancelled")).status).toBe("cancelled")
    })
  )

  it.scopedLive("is unknown when it has expired, its server has ended, or no one has made it", () =>
    Effect.gen(function* () {
      const folder = yield* folderOf
      const other = yield* McpTest.pair(yield* serve(folder, () => Effect.never), declared)
      const scope = yield* Scope.make()
      const first = yield* Scope.extend(
        serve(folder, () => Effect.never),
        scope
      )
      const task = yield* begin(yield* Scope.extend(McpTest.pair(first, declared), scope))
      expect((yield* look(other, task)).status).toBe("working")
      yield* Scope.close(scope, Exit.void)
      const unknown = { code: -32602, message: "Unknown task" }
      expect(yield* Effect.flip(look(other, task))).toMatchObject(unknown)
      const brief = yield* McpTest.pair(yield* serve(folder, () => Effect.succeed(1), { keep: "2 seconds" }), declared)
      const over = yield* begin(brief)
      yield* until(other, over, "completed")
      yield* Effect.sleep("2100 millis")
      expect(yield* Effect.flip(look(other, over))).toMatchObject(unknown)
      for (const taskId of ["../../etc/passwd", "", `${task.taskId}.answers`, crypto.randomUUID()]) {
        expect(yield* Effect.flip(ask(other, "tasks/get", { taskId }))).toMatchObject(unknown)
      }
      expect(readdirSync(folder)).toEqual([])
    })
  )

  it.scopedLive("is unknown also where another process removes it first", () =>
    Effect.gen(function* () {
      const kept = yield* openStore(yield* folderOf)
      const id = crypto.randomUUID()
      yield* kept.set(id, JSON.stringify({ principal: null, expires: 0, seen: 0, details: {} }))
      const get = (key: string) => Effect.tap(kept.get(key), () => Effect.ignore(kept.remove(key)))
      expect(yield* new TaskStore({ ...kept, get }, 1_000).read(id)).toBeUndefined()
    })
  )

  it.scopedLive("is left the first answers of many, until its process takes them", () =>
    Effect.gen(function* () {
      const tasks = new TaskStore(yield* openStore(yield* folderOf), 1_000)
      const id = crypto.randomUUID()
      const asking = { principal: null, details: { inputRequests: { copies: {} } } }
      for (let copies = 0; copies < 30; copies++) yield* tasks.answer(id, asking, { copies })
      const answers: Array<unknown> = []
      const update = (answer: unknown) => void answers.push(answer)
      yield* tasks.followOrders({ id, questions: ["copies"], update, cancel: Effect.void })
      expect(answers).toEqual(Array.from({ length: 10 }, (_, copies) => ({ copies })))
    })
  )

  it.scopedLive("gives way in the store, too", () =>
    Effect.gen(function* () {
      const folder = yield* folderOf
      const client = yield* McpTest.pair(yield* serve(folder, () => Effect.succeed(1), { max: 1 }), declared)
      for (let calls = 0; calls < 5; calls++) yield* until(client, yield* begin(client), "completed")
      const count = Effect.sync(() => readdirSync(folder).length)
      yield* Effect.repeat(Effect.delay(count, "10 millis"), { until: (files) => files === 1, times: 100 })
      expect(yield* count).toBe(1)
    })
  )

  it.scopedLive("leaves no answer behind that came too late", () =>
    Effect.gen(function* () {
      const folder = yield* folderOf
      const execute = () => Effect.asVoid(McpRequest.ask({ copies }))
      const tasks: McpServer.TaskOptions = { keep: "1 second", poll: "10 seconds" }
      const own = yield* McpTest.pair(yield* serve(folder, execute, tasks), declared)
      const other = yield* McpTest.pair(yield* serve(folder, execute, tasks), declared)
      const task = yield* begin(own)
      yield* Effect.sleep("100 millis")
      // The process that runs the task does not look for it in time.
      writeFileSync(join(folder, `${task.taskId}.answer.copies`), JSON.stringify({ values: [1] }))
      yield* Effect.sleep("1300 millis")
      expect(yield* Effect.flip(look(other, task))).toMatchObject({ message: "Unknown task" })
      expect(readdirSync(folder)).toEqual([])
    })
  )

  it.scopedLive("takes no room where it could not be stored", () =>
    Effect.gen(function* () {
      const folder = yield* folderOf
      const store = yield* openStore(folder)
      let isBroken = true
      const broken: KeyValueStore.KeyValueStore = {
        ...store,
        set: (key, value) => (isBroken ? Effect.die("no room on the disk") : store.set(key, value))
      }
      const tasks: McpServer.TaskOptions = { max: 1, support: () => "required", store: broken }
      const client = yield* McpTest.pair(yield* serve(folder, () => Effect.never, tasks), declared)
      const { code, message } = yield* Effect.flip(begin(client))
      expect([code, message]).toEqual([-32603, expect.stringContaining("Internal error")])
      isBroken = false
      expect(yield* begin(client)).toMatchObject({ resultType: "task" })
    })
  )

  it.scopedLive("is unknown where a process was killed while it wrote, and its answers are asked for again", () =>
    Effect.gen(function* () {
      const folder = yield* folderOf
      const execute = () => Effect.map(McpRequest.ask({ copies }), (given) => JSON.stringify(given.copies))
      const own = yield* McpTest.pair(yield* serve(folder, execute), declared)
      const other = yield* McpTest.pair(yield* serve(folder, execute), declared)
      const taskId = crypto.randomUUID()
      writeFileSync(join(folder, taskId), '{"principal":nu')
      expect(yield* Effect.flip(ask(other, "tasks/get", { taskId }))).toMatchObject({ message: "Unknown task" })
      const task = yield* begin(own)
      writeFileSync(join(folder, `${task.taskId}.answer.copies`), '{"val')
      // It goes on to say how it is.
      expect((yield* until(other, task, "input_required")).inputRequests).toHaveProperty("copies")
    })
  )

  it.scopedLive("belongs to its principal in every process", () =>
    Effect.gen(function* () {
      const folder = yield* folderOf
      const authorize = Authorization.bearer({
        resource: "http://localhost/mcp",
        issuers: [],
        verify: (token) => Effect.succeed({ id: token, scopes: [], claims: {} })
      })
      const handleIn = Effect.map(
        serve(folder, () => Effect.never),
        (server) => McpServer.toWebHandler(server, { authorize })
      )
      const [own, other] = [yield* handleIn, yield* handleIn]
      const task = yield* send(own, "ada", "tools/call", { name: "print", arguments: {} })
      const taskId = String(task.result?.["taskId"])
      expect((yield* send(other, "ada", "tasks/get", { taskId })).result).toMatchObject({ status: "working" })
      for (const method of ["tasks/get", "tasks/cancel", "tasks/update"]) {
        expect((yield* send(other, "eve", method, { taskId })).error).toMatchObject({ message: "Unknown task" })
      }
    })
  )
})
