import { expect, it } from "@effect/vitest"
import { Approval, CurrentCall, type Json, Response, Toolset } from "@wield/core"
import { Authorization, McpRequest, McpServer, McpTest } from "@wield/mcp"
import { Deferred, Effect, Fiber, Schema, TestClock } from "effect"
import { describe, vi } from "vitest"

const extension = "io.modelcontextprotocol/tasks"
const declared = { capabilities: { elicitation: { form: {}, url: {} }, extensions: { [extension]: {} } } }
const refund: Json.JsonObject = { name: "refund", arguments: {} }

interface Task {
  readonly taskId: string
  readonly status: string
  readonly statusMessage?: string
  readonly inputRequests?: Record<string, { readonly method: string }>
  readonly result?: { readonly content: ReadonlyArray<{ readonly text: string }>; readonly isError?: boolean }
  readonly error?: { readonly code: number }
}

interface Given extends Partial<McpServer.Options> {
  readonly needsApproval?: boolean
}

/** A server with one tool. */
const serve = (execute: () => Effect.Effect<unknown, unknown>, { needsApproval = false, ...options }: Given = {}) =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.dynamic([{ name: "refund", execute }])
    return yield* McpServer.make({
      name: "shop",
      version: "1",
      toolset,
      policy: { approval: () => (needsApproval ? Approval.ask("it costs") : Approval.allow) },
      tasks: { support: () => "optional" },
      ...options
    })
  })

/** A server whose tool waits until it is interrupted. */
const serveWaiting = (interrupted: Deferred.Deferred<void>, tasks: McpServer.TaskOptions) =>
  serve(() => Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined)), { tasks })

/** What the server answers is JSON; the assertions look at it. */
const ask = (client: McpTest.Peer, method: string, params: Json.JsonObject): Effect.Effect<Task, McpTest.ErrorAnswer> =>
  Effect.map(client.request(method, params), (result) => result as unknown as Task)
const begin = (client: McpTest.Peer) => ask(client, "tools/call", refund)
const look = (client: McpTest.Peer, { taskId }: Task) => ask(client, "tasks/get", { taskId })

/** Asks until the task is so; timers and other fibers run in between. */
const poll = (
  client: McpTest.Peer,
  task: Task,
  isSo: (seen: Task) => boolean
): Effect.Effect<Task, McpTest.ErrorAnswer> =>
  Effect.gen(function* () {
    while (true) {
      const seen = yield* look(client, task)
      if (isSo(seen)) return seen
      yield* Effect.promise(() => new Promise((resume) => setImmediate(resume)))
    }
  })
const until = (client: McpTest.Peer, task: Task, status: string) => poll(client, task, (seen) => seen.status === status)

const answer = (client: McpTest.Peer, task: Task, content: Json.JsonObject) =>
  client.request("tasks/update", {
    taskId: task.taskId,
    inputResponses: Object.fromEntries(
      Object.keys(task.inputRequests ?? {}).map((key) => [key, { action: "accept", content }])
    )
  })

/** Requests over HTTP, each of a principal. */
const sendTo = (server: McpServer.McpServer) => {
  const handle = McpServer.toWebHandler(server, {
    authorize: Authorization.bearer({
      resource: "http://localhost/mcp",
      issuers: [],
      verify: (token) => Effect.succeed({ id: token, scopes: [], claims: {} })
    })
  })
  return (principal: string, method: string, params: Json.JsonObject) =>
    Effect.promise(async () => {
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
          body: JSON.stringify({
            jsonrpc: "2.0",
            id: 1,
            method,
            params: {
              ...params,
              _meta: {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": declared.capabilities
              }
            }
          })
        })
      )
      const text = await response.text()
      return JSON.parse(/^data: (\{.*)$/mu.exec(text)?.[1] ?? text) as McpTest.Message
    })
}
const idOf = (created: McpTest.Message | undefined): Json.JsonObject => ({ taskId: created?.result?.["taskId"] ?? "" })

/** Lets timers and other fibers begin. */
const turns = Effect.repeatN(
  Effect.promise(() => new Promise((resume) => setImmediate(resume))),
  20
)

describe("A call as a task", () => {
  it.scoped("goes on after its request, says how it is, and gives its result", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<string>()
      const server = yield* serve(() =>
        Effect.gen(function* () {
          const { progress } = yield* CurrentCall.CurrentCall
          yield* progress("counting")
          return yield* Deferred.await(gate)
        })
      )
      const client = yield* McpTest.pair(server, declared)
      const task = yield* begin(client)
      expect(task).toMatchObject({ resultType: "task", ttlMs: 3_600_000, pollIntervalMs: 1000 })
      expect(yield* poll(client, task, (seen) => seen.statusMessage !== undefined)).toMatchObject({
        status: "working",
        statusMessage: "counting"
      })
      yield* Deferred.succeed(gate, "done")
      const ended = yield* until(client, task, "completed")
      expect(ended.result).toMatchObject({ resultType: "complete", content: [{ type: "text", text: "done" }] })
    })
  )

  it.scoped("says that a tool failed by its result, and that the protocol did by an error", () =>
    Effect.gen(function* () {
      const failing = yield* McpTest.pair(yield* serve(() => Effect.fail("no stock")), declared)
      const failed = yield* until(failing, yield* begin(failing), "completed")
      expect(failed.result?.isError).toBe(true)
      const asking = yield* McpTest.pair(yield* serve(() => McpRequest.ask({ roots: McpRequest.roots })), declared)
      const broken = yield* until(asking, yield* begin(asking), "failed")
      expect(broken.error?.code).toBe(-32021)
      const dying = yield* McpTest.pair(yield* serve(() => Effect.die("secret")), declared)
      const died = yield* until(dying, yield* begin(dying), "completed")
      expect(JSON.stringify(died)).not.toContain("secret")
    })
  )

  it.scoped("ends as cancelled when the client cancels it, and interrupts its handler", () =>
    Effect.gen(function* () {
      const interrupted = yield* Deferred.make<void>()
      const server = yield* serve(() =>
        Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined))
      )
      const client = yield* McpTest.pair(server, declared)
      const task = yield* begin(client)
      expect(yield* client.request("tasks/cancel", { taskId: task.taskId })).toMatchObject({ resultType: "complete" })
      yield* Deferred.await(interrupted)
      yield* until(client, task, "cancelled")
      expect(yield* client.request("tasks/cancel", { taskId: task.taskId })).toMatchObject({ resultType: "complete" })
    })
  )

  it.scoped("runs in its request for a client without tasks, or is refused where it must be a task", () =>
    Effect.gen(function* () {
      for (const revision of ["2026-07-28", "2025-11-25"]) {
        const plain = yield* McpTest.pair(yield* serve(() => Effect.succeed("done")), { revision })
        expect(yield* plain.request("tools/call", refund)).toMatchObject({ content: [{ text: "done" }] })
      }
      const strict = yield* serve(() => Effect.succeed("done"), { tasks: { support: () => "required" } })
      const client = yield* McpTest.pair(strict)
      for (const method of ["tools/call", "tasks/get", "tasks/update", "tasks/cancel"]) {
        const error = yield* Effect.flip(client.request(method, method === "tools/call" ? refund : { taskId: "any" }))
        expect(error).toMatchObject({
          code: -32021,
          data: { requiredCapabilities: { extensions: { [extension]: {} } } }
        })
      }
    })
  )

  it.scoped("asks within the task, waits for each answer, and takes no answer twice", () =>
    Effect.gen(function* () {
      let runs = 0
      const size = McpRequest.form({ message: "Size?", fields: Schema.Struct({ size: Schema.Literal("S", "L") }) })
      const server = yield* serve(() =>
        Effect.gen(function* () {
          runs++
          const first = yield* McpRequest.ask({ size })
          const second = yield* McpRequest.ask({ size })
          return [first, second]
        })
      )
      const client = yield* McpTest.pair(server, declared)
      const task = yield* begin(client)
      const asked = yield* until(client, task, "input_required")
      yield* answer(client, asked, { size: "M" })
      expect((yield* look(client, task)).inputRequests).toStrictEqual(asked.inputRequests)
      yield* answer(client, asked, { size: "S" })
      const again = yield* poll(client, task, ({ inputRequests = {} }) => {
        const [key] = Object.keys(inputRequests)
        return key !== undefined && !Object.hasOwn(asked.inputRequests ?? {}, key)
      })
      yield* answer(client, asked, { size: "S" })
      expect((yield* look(client, task)).status).toBe("input_required")
      yield* answer(client, again, { size: "L" })
      const ended = yield* until(client, task, "completed")
      expect(ended.result?.content[0]?.text).toContain('"L"')
      expect(runs).toBe(1)
    })
  )

  it.scoped("asks in rounds until the handler lets it go on as a task", () =>
    Effect.gen(function* () {
      const ok = McpRequest.form({ message: "Really?", fields: Schema.Struct({ ok: Schema.Boolean }) })
      const server = yield* serve(
        () =>
          Effect.zipRight(Effect.zipRight(McpRequest.ask({ ok }), McpRequest.continueAsTask), McpRequest.ask({ ok })),
        { tasks: {} }
      )
      const client = yield* McpTest.pair(server, declared)
      const round = yield* client.request("tools/call", refund)
      expect(round["resultType"]).toBe("input_required")
      const given = { action: "accept", content: { ok: true } }
      const task = (yield* client.request("tools/call", {
        ...refund,
        requestState: round["requestState"] ?? "",
        inputResponses: { ok: given }
      })) as unknown as Task
      expect(task).toMatchObject({ resultType: "task" })
      // It was asked in the round before.
      expect(yield* until(client, task, "completed")).toMatchObject({ status: "completed" })
    })
  )

  it.scoped("waits for approval as a task, and runs once when a person approves", () =>
    Effect.gen(function* () {
      let paid = 0
      const server = yield* serve(() => Effect.sync(() => `refund ${++paid}`), {
        needsApproval: true,
        approvals: "task",
        tasks: {}
      })
      const client = yield* McpTest.pair(server, declared)
      const task = yield* begin(client)
      const asked = yield* until(client, task, "input_required")
      expect(paid).toBe(0)
      yield* answer(client, asked, { approve: true })
      yield* answer(client, asked, { approve: true })
      yield* until(client, task, "completed")
      const denied = yield* begin(client)
      yield* answer(client, yield* until(client, denied, "input_required"), { approve: false, reason: "too much" })
      const ended = yield* until(client, denied, "completed")
      expect(ended.result?.content[0]?.text).toContain("too much")
      const cancelled = yield* begin(client)
      yield* client.request("tasks/cancel", { taskId: cancelled.taskId })
      yield* until(client, cancelled, "cancelled")
      expect(paid).toBe(1)
    })
  )

  it.scoped("waits for what is decided on a page, also where the client cannot open one", () =>
    Effect.gen(function* () {
      for (const capabilities of [declared.capabilities, { extensions: { [extension]: {} } }]) {
        let decided: Response.Approve | undefined
        const server = yield* serve(() => Effect.succeed("paid"), {
          needsApproval: true,
          approvals: {
            url: () => Effect.succeed("https://shop.example/approve"),
            decision: () => Effect.sync(() => decided)
          }
        })
        const client = yield* McpTest.pair(server, { capabilities })
        const task = yield* begin(client)
        const waiting = yield* poll(client, task, (seen) => seen.statusMessage !== undefined)
        expect(waiting.statusMessage).toContain("https://shop.example/approve")
        decided = Response.approve
        yield* until(client, task, "completed")
      }
    })
  )

  it.scoped("is denied when the person declines to open the page", () =>
    Effect.gen(function* () {
      const server = yield* serve(() => Effect.succeed("paid"), {
        needsApproval: true,
        approvals: {
          url: () => Effect.succeed("https://shop.example/approve"),
          decision: () => Effect.succeed(undefined)
        }
      })
      const client = yield* McpTest.pair(server, declared)
      const task = yield* begin(client)
      const [key = ""] = Object.keys((yield* until(client, task, "input_required")).inputRequests ?? {})
      yield* client.request("tasks/update", { taskId: task.taskId, inputResponses: { [key]: { action: "decline" } } })
      const ended = yield* until(client, task, "completed")
      expect(ended.result?.content[0]?.text).toContain("chose to decline")
    })
  )

  it.scoped("belongs to its principal, and looks like an unknown one to others", () =>
    Effect.gen(function* () {
      const send = sendTo(yield* serve(() => Effect.never))
      const created = yield* send("ada", "tools/call", refund)
      const taskId = created.result?.["taskId"] ?? ""
      expect((yield* send("ada", "tasks/get", { taskId })).result).toMatchObject({ taskId, status: "working" })
      const unknown = yield* send("bob", "tasks/get", { taskId: "none" })
      expect(unknown.error).toMatchObject({ code: -32602 })
      for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
        expect((yield* send("bob", method, { taskId })).error).toStrictEqual(unknown.error)
      }
      expect((yield* send("ada", "tasks/get", { taskId })).result).toMatchObject({ status: "working" })
    })
  )

  it.effect("is interrupted and forgotten when its time is over", () =>
    Effect.gen(function* () {
      const interrupted = yield* Deferred.make<void>()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const server = yield* serveWaiting(interrupted, { support: () => "optional", keep: "1 minute" })
          const client = yield* McpTest.pair(server, declared)
          const task = yield* begin(client)
          yield* look(client, task)
          yield* TestClock.adjust("1 minute")
          yield* Deferred.await(interrupted)
          expect(yield* Effect.flip(look(client, task))).toMatchObject({ code: -32602 })
        })
      )
    })
  )

  it.effect("is kept from when it became a task, not from its call", () =>
    Effect.gen(function* () {
      const server = yield* serve(
        () =>
          Effect.sleep("50 seconds").pipe(Effect.zipRight(McpRequest.continueAsTask), Effect.zipRight(Effect.never)),
        { tasks: { keep: "1 minute" } }
      )
      const client = yield* McpTest.pair(server, declared)
      const clock = vi.spyOn(Date, "now")
      yield* Effect.addFinalizer(() => Effect.sync(() => clock.mockRestore()))
      const called = yield* Effect.fork(begin(client))
      yield* turns
      clock.mockReturnValue(Date.now() + 50_000)
      yield* TestClock.adjust("50 seconds")
      const task = yield* Fiber.join(called)
      clock.mockReturnValue(Date.now() + 50_000)
      expect(yield* look(client, task)).toMatchObject({ status: "working" })
    }).pipe(Effect.scoped)
  )

  it.scoped("of one principal takes no room of another's, and pushes none out", () =>
    Effect.gen(function* () {
      const server = yield* serve(() => Effect.succeed("done"), { tasks: { support: () => "required", max: 2 } })
      const send = sendTo(server)
      const created = yield* send("ada", "tools/call", refund)
      const [first] = yield* Effect.forEach([1, 2, 3, 4], () => send("bob", "tools/call", refund))
      expect((yield* send("bob", "tasks/get", idOf(first))).error).toMatchObject({ message: "Unknown task" })
      expect((yield* send("ada", "tasks/get", idOf(created))).result).toMatchObject({ status: "completed" })
      const busy = sendTo(yield* serve(() => Effect.never, { tasks: { support: () => "required", max: 1 } }))
      yield* busy("bob", "tools/call", refund)
      expect((yield* busy("bob", "tools/call", refund)).error?.message).toContain("Too many tasks")
      expect((yield* busy("ada", "tools/call", refund)).result).toMatchObject({ resultType: "task" })
    })
  )

  it.scoped("gives way to no more than so many, and ends with its server", () =>
    Effect.gen(function* () {
      const interrupted = yield* Deferred.make<void>()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const server = yield* serveWaiting(interrupted, { support: () => "required", max: 1 })
          const client = yield* McpTest.pair(server, declared)
          yield* begin(client)
          const error = yield* Effect.flip(client.request("tools/call", refund))
          expect(error.message).toContain("Too many tasks")
        })
      )
      yield* Deferred.await(interrupted)
    })
  )
})
