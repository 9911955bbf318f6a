import { SqlClient } from "@effect/sql/SqlClient"
import * as WorkflowEngine from "@effect/workflow/WorkflowEngine"
import * as Workflow from "@effect/workflow/Workflow"
import * as Activity from "@effect/workflow/Activity"
import { expect, it, layer } from "@effect/vitest"
import { Tool, Toolkit } from "@effect/ai"
import { Agent, ConversationStore, DeferredCall } from "@wield/agent"
import { AgentEntity, Cluster, DurableCall, Retention, type RunEvent, Runs, Schedule } from "@wield/cluster"
import { Approval, Hidden, Journal, ToolCall, ToolResult, ToolRunner, Toolset } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import {
  Cron,
  Deferred,
  type Duration,
  Effect,
  Either,
  Fiber,
  FiberId,
  Layer,
  Option,
  Redacted,
  Schema,
  Stream
} from "effect"
import { Sharding } from "@effect/cluster/Sharding"
import { entityOf, Work } from "../src/entity/rpcs.js"
import { Happened, layerOf, Shop, temporaryPath, watchHandOver } from "./file.js"
import { Effects, failOnce, makeAgent } from "./shop.js"

/** Calls whose item ends so stand still until they are released, and begin with a sign. */
const gates = new Map<string, { readonly begun: Deferred.Deferred<void>; readonly released: Deferred.Deferred<void> }>()

const gate = (item: string) =>
  Effect.map(Effect.all([Deferred.make<void>(), Deferred.make<void>()]), ([begun, released]) => {
    gates.set(item, { begun, released })
    return { begun: Deferred.await(begun), release: Deferred.succeed(released, undefined) }
  })

const during = (_: string, item: string) => {
  const found = gates.get(item)
  return found === undefined
    ? Effect.void
    : Effect.zipRight(Deferred.succeed(found.begun, undefined), Deferred.await(found.released))
}

const entriesOf = (conversation: string) =>
  Effect.gen(function* () {
    const store = yield* ConversationStore.ConversationStore
    return yield* (yield* store.open(conversation)).entries
  })

const resultsOf = (conversation: string) =>
  Effect.map(entriesOf(conversation), (entries) =>
    entries.flatMap(({ message }) => (message._tag === "Results" ? message.results.map(ToolResult.toText) : []))
  )

const happenedTo = (order: string) =>
  Effect.map(Happened, (happened) => happened.filter((effect) => effect.includes(` ${order}/`)))

const reported = Deferred.unsafeMake<string>(FiberId.none)

/** Each second. Its layer lives as long as the cluster: the engine closes with the first entity that does. */
const reports = Schedule.cron(Shop, {
  name: "report",
  cron: Cron.unsafeParse("* * * * * *"),
  conversation: ({ epochMillis }) => {
    Deferred.unsafeDone(reported, Effect.succeed(`report ${epochMillis}`))
    return `report ${epochMillis}`
  },
  prompt: "Do report: look"
})

const File = Layer.unwrapScoped(
  Effect.map(temporaryPath, (path) => Layer.provideMerge(reports, layerOf(path, { during })))
)

layer(File, { excludeTestServices: true })("A conversation of a cluster", (it) => {
  it.scoped("runs a prompt once, however often it is sent", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.client
      const prompt = { prompt: "Do a: pay, look", promptId: "a" }
      const runs = yield* Effect.all(
        [1, 2, 3].map(() => shop.prompt("a", prompt)),
        { concurrency: "unbounded" }
      )
      const results = yield* Effect.forEach(runs, ({ result }) => result, { concurrency: "unbounded" })
      expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1)
      expect(yield* (yield* shop.prompt("a", prompt)).result).toEqual(results[0])
      expect(yield* happenedTo("a")).toHaveLength(2)
      const sql = yield* SqlClient
      const recorded = yield* sql<{ readonly begun_by: string | null }>`SELECT begun_by FROM wield_calls`
      expect(recorded.map(({ begun_by }) => begun_by)).toEqual([expect.stringMatching(/^\S+:\d+$/)])
      expect((yield* entriesOf("a")).map(({ message }) => message._tag)).toEqual([
        "User",
        "Assistant",
        "Results",
        "Assistant"
      ])
    })
  )

  it.scoped("refuses another prompt, and other steering, under an id that was sent before", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.client
      const { begun, release } = yield* gate("z/1/1")
      const prompt = { prompt: "Do z: pay", promptId: "z" }
      const run = yield* shop.prompt("z", prompt)
      yield* begun
      const other = { ...prompt, prompt: "Do z: refund" }
      const reused = { _tag: "IdReused", entity: "shop", conversation: "z", differs: "message" }
      const whileItRuns = yield* Effect.flip(shop.prompt("z", other))
      expect(whileItRuns).toMatchObject({ ...reused, id: "z" })
      expect(whileItRuns.message).toBe(
        "In the conversation z of shop, the id z was sent before with another message. Nothing was sent now. Send the same message to get the run of it, or give this one an id of its own"
      )
      yield* release
      const result = yield* run.result
      expect(yield* Effect.flip(shop.prompt("z", other))).toEqual(whileItRuns)
      expect(yield* (yield* shop.prompt("z", { ...prompt, at: Date.now() })).result).toEqual(result)
      expect(yield* shop.steer("z", "more", { id: "s" })).toBe(false)
      expect(yield* Effect.flip(shop.steer("z", "less", { id: "s" }))).toMatchObject({ ...reused, id: "s" })
      expect(yield* happenedTo("z")).toEqual(["pay z/1/1"])
    })
  )

  it.scoped("pauses for a person, and takes the same answer once", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.client
      const paused = yield* (yield* shop.prompt("b", { prompt: "Do b: refund" })).result
      if (paused._tag !== "Paused") return expect.unreachable()
      expect(yield* shop.status("b")).toMatchObject({ state: "Paused" })
      const other = yield* (yield* shop.prompt("b", { prompt: "And?" })).result
      expect(other).toMatchObject({ _tag: "Failed", error: "WaitingForAnswers" })
      const answers = paused.requests.map(DeferredCall.approve)
      const [one, two] = yield* Effect.all([shop.answer("b", answers), shop.answer("b", answers)])
      expect(yield* one.result).toMatchObject({ _tag: "Finished", output: "Done: Do b: refund" })
      expect(yield* two.result).toEqual(yield* one.result)
      expect(yield* happenedTo("b")).toEqual(["refund b/1/1"])
    })
  )

  it.scoped("begins no call once it is cancelled, and can be gone on with", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.client
      const { begun } = yield* gate("c/1/1")
      const first = yield* shop.prompt("c", { prompt: "Do c: pay / pay", promptId: "first" })
      const second = yield* shop.prompt("c", { prompt: "Do d: pay", promptId: "second" })
      yield* begun
      expect((yield* shop.cancel("c")).toSorted()).toEqual(["first", "second"])
      expect((yield* first.result)._tag).toBe("Cancelled")
      expect((yield* second.result)._tag).toBe("Cancelled")
      expect([...(yield* happenedTo("c")), ...(yield* happenedTo("d"))]).toEqual(["pay c/1/1"])
      expect(yield* (yield* shop.prompt("c", { prompt: "Do e: pay" })).result).toMatchObject({ _tag: "Finished" })
    })
  )

  it.scoped("goes on where its message is delivered again meanwhile, as it is after ten minutes", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.client
      const sql = yield* SqlClient
      const sharding = yield* Sharding
      const { begun, release } = yield* gate("long/1/1")
      const run = yield* shop.prompt("long", { prompt: "Do long: pay / look" })
      yield* begun
      // The engine delivers what it read ten minutes ago and has no reply. It marks what it reads.
      yield* sql`UPDATE cluster_messages SET last_read = NULL WHERE entity_id = 'long'`
      yield* sharding.pollStorage
      yield* Effect.repeat(
        Effect.delay(
          sql`SELECT 1 FROM cluster_messages WHERE entity_id = 'long' AND last_read IS NOT NULL`,
          "5 millis"
        ),
        { until: (rows) => rows.length > 0 }
      )
      yield* release
      expect(yield* run.result).toMatchObject({ _tag: "Finished", output: "Done: Do long: pay / look" })
      expect(yield* happenedTo("long")).toEqual(["pay long/1/1", "look long/2/1"])
      expect((yield* entriesOf("long")).filter(({ message }) => message._tag === "User")).toHaveLength(1)
    })
  )

  it.scoped("takes prompts and steering in the order they were sent", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.client
      const { begun, release } = yield* gate("f/1/1")
      yield* shop.prompt("f", { prompt: "Do f: pay" })
      yield* begun
      const last = yield* shop.prompt("f", { prompt: "Do g: pay" })
      const steering = yield* Effect.fork(shop.steer("f", "Only the open ones."))
      // Until it is accepted.
      const sql = yield* SqlClient
      yield* Effect.repeat(Effect.delay(sql`SELECT 1 FROM cluster_messages WHERE tag = 'steer'`, "5 millis"), {
        until: (rows) => rows.length > 0
      })
      yield* release
      expect(yield* last.result).toMatchObject({ text: "Done: Do g: pay + Only the open ones." })
      expect(yield* Fiber.join(steering)).toBe(true)
      expect(yield* shop.steer("f", "Too late.")).toBe(false)
    })
  )

  it.scoped("shows each turn once, also to a reader that comes after the end", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.client
      const run = yield* shop.prompt("h", { prompt: "Do h: pay / look" })
      const finished = (event: RunEvent.RunEvent) =>
        event._tag === "TurnFinished" ? Option.some([event.entry, event.text]) : Option.none()
      const turns = Stream.filterMap(run.events, finished).pipe(Stream.runCollect)
      const live = yield* turns
      expect(live.length).toBe(3)
      expect([...(yield* turns)]).toEqual([...live])
    })
  )

  it.scoped("leaves a message of a later version for a process that knows it", () =>
    Effect.gen(function* () {
      const client = yield* (yield* Sharding).makeClient(entityOf("shop"))
      const body = { message: "of another kind" }
      yield* client("i").prompt(new Work({ version: 99, id: "later", attempt: 0, at: 0, body }), { discard: true })
      const shop = yield* Shop.client
      const behind = yield* shop.prompt("i", { prompt: "Do i: pay", promptId: "behind" })
      // Another conversation, sent later, is over before it.
      yield* (yield* shop.prompt("j", { prompt: "Do j: pay" })).result
      const runs = yield* (yield* Runs.Runs).list({ conversation: "i" })
      expect(runs.map(({ state }) => state)).toEqual(["Waiting", "Waiting"])
      expect(runs.map(({ id }) => id).toSorted()).toEqual(["behind", "later"])
      expect(yield* happenedTo("i")).toEqual([])
      expect(behind.id).toBe("behind")
    })
  )

  it.scoped("leaves nothing of a conversation that is forgotten", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.client
      const runs = yield* Runs.Runs
      yield* (yield* shop.prompt("k", { prompt: "Do k: refund" })).result
      yield* runs.forget({ entity: "shop", conversation: "k" })
      const sql = yield* SqlClient
      const left = yield* Effect.all([
        sql`SELECT 1 FROM cluster_messages WHERE entity_id = 'k'`,
        sql`SELECT 1 FROM cluster_replies WHERE request_id NOT IN (SELECT id FROM cluster_messages)`,
        sql`SELECT 1 FROM wield_runs WHERE conversation = 'k'`,
        sql`SELECT 1 FROM wield_calls WHERE run = 'k'`,
        sql`SELECT 1 FROM wield_entries WHERE conversation = 'k'`
      ])
      expect(left.flat()).toEqual([])

      // Of an entity that no one serves any more, no runner has to be asked.
      const store = yield* ConversationStore.ConversationStore
      yield* store.create({ id: "of gone" })
      yield* runs.forget({ entity: "gone", conversation: "of gone" })
      expect(yield* Effect.flip(store.open("of gone"))).toMatchObject({ _tag: "ConversationNotFound" })
    })
  )

  it.scoped("leaves a run that has finished or waits for a person as it is, also where it is retried", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.client
      const { list, retry } = yield* Runs.Runs
      for (const [prompt, state] of [
        ["Do l: pay", "Finished"],
        ["Do l: refund", "Paused"]
      ] as const) {
        const key = { entity: "shop", conversation: "l", id: state }
        const run = yield* shop.prompt("l", { prompt, promptId: state })
        const result = yield* run.result
        const before = yield* list({ conversation: "l" })
        const error = yield* Effect.flip(retry(key))
        expect(error).toMatchObject({ _tag: "RunNotRetried", ...key, state })
        expect(error.message).toContain(
          `The run ${state} in the conversation l of shop is ${state}, and stays as it is`
        )
        expect(yield* list({ conversation: "l" })).toEqual(before)
        expect(yield* run.result).toEqual(result)
      }
      expect(yield* happenedTo("l")).toEqual(["pay l/1/1"])
    })
  )

  it.scoped(
    "has no run of an id that was never sent or is forgotten, and says so; what has not begun is waited for",
    () =>
      Effect.gen(function* () {
        const shop = yield* Shop.client
        const at = Date.now() + 3_600_000
        const later = yield* shop.prompt("x", { prompt: "Do x: look", promptId: "later", at })
        const waiting = yield* Effect.fork(
          Effect.all([later.result, Stream.runDrain(later.events)], { concurrency: 2 })
        )
        const forgotten = yield* shop.prompt("y", { prompt: "Do y: look", promptId: "forgotten", at })
        yield* (yield* Runs.Runs).forget({ entity: "shop", conversation: "y" })
        const never = shop.run("x", "never")
        const endings = [never.result, Stream.runDrain(never.events), forgotten.result]
        const errors = yield* Effect.forEach(endings, (ending) => Effect.flip(ending), { concurrency: "unbounded" })
        const notFound = { _tag: "RunNotFound", entity: "shop", conversation: "x", id: "never" }
        expect(errors).toMatchObject([notFound, notFound, { _tag: "RunNotFound", id: "forgotten" }])
        expect(errors[0]?.message).toMatch(/conversation x of shop has no run never: it was never sent, .*\. Send it/)
        expect(yield* Fiber.poll(waiting)).toEqual(Option.none())
        yield* Fiber.interrupt(waiting)
      })
  )

  it.scoped("is prompted at a time, by a schedule that is sent twice, once", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.client
      const due = { name: "daily", at: Date.now() + 60_000, prompt: "Do m: pay" }
      const [run, again] = yield* Effect.all([Schedule.at(shop, "m", due), Schedule.at(shop, "m", due)])
      expect(run.id).toBe(again.id)
      expect(yield* (yield* Runs.Runs).list({ conversation: "m" })).toMatchObject([{ id: run.id, state: "Waiting" }])
      // What is due now.
      const soon = yield* Schedule.at(shop, "n", { name: "now", at: Date.now(), prompt: "Do n: pay" })
      expect(yield* soon.result).toMatchObject({ _tag: "Finished" })
    })
  )

  it.scoped("refuses names, times and contexts that nothing could be stored or run with, and says why", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.client
      const messageOf = <A, R>(effect: Effect.Effect<A, Runs.ClusterError | Runs.IdReused, R>) =>
        Effect.map(Effect.flip(effect), ({ message }) => message)
      for (const name of ["", " a", "a\0b", "é".repeat(256)]) {
        const expected = /the name of the conversation must have 1 to 255 characters, .* but is "/
        expect(yield* messageOf(shop.prompt(name, { prompt: "Do a: look" }))).toMatch(expected)
        expect(yield* messageOf(shop.answer(name, []))).toMatch(expected)
        expect(yield* messageOf(shop.steer(name, "more"))).toMatch(expected)
        expect(yield* messageOf(shop.cancel(name))).toMatch(expected)
        expect(
          yield* messageOf(Effect.flatMap(Runs.Runs, (runs) => runs.forget({ entity: "shop", conversation: name })))
        ).toMatch(expected)
        expect(() => AgentEntity.make(name)).toThrow(/the name of an entity must have 1 to 255 characters/)
      }
      const run = yield* shop.prompt("é".repeat(255), { prompt: "Do a: look" })
      expect(yield* run.result).toMatchObject({ _tag: "Finished" })
      const at = "tomorrow at noon"
      const expected = 'could not send a prompt: `at` must be a time, such as a Date, but is "tomorrow'
      expect(yield* messageOf(shop.prompt("a", { prompt: "Do a: look", at }))).toContain(expected)
      expect(yield* messageOf(Schedule.at(shop, "a", { name: "a", prompt: "Do a: look", at }))).toContain(expected)

      const named = AgentEntity.make("named", { context: Schema.Struct({ user: Schema.NonEmptyString }) })
      const client = yield* named.client
      const refused = yield* messageOf(client.prompt("a", { prompt: "Do a: look", context: { user: "" } }))
      expect(refused).toMatch(/send a prompt: context\.user: Expected a non empty string, actual ""$/)
      const json = [{ request: {}, response: { _tag: "Approve" } }] as unknown as ReadonlyArray<DeferredCall.Answer>
      expect(yield* messageOf(shop.answer("a", json))).toMatch(/answers: answers\.0\.request\.id: is missing$/)
    })
  )

  it.scoped("is prompted by cron, once for each time", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.client
      const conversation = yield* Deferred.await(reported)
      // A whole second, not when the message was delivered.
      expect(Number(conversation.split(" ")[1]) % 1000).toBe(0)
      const run = yield* Effect.repeat(Effect.delay(shop.status(conversation), "5 millis"), {
        until: (status) => status !== undefined
      })
      expect(run?.id).toBe(`report ${new Date(Number(conversation.split(" ")[1])).toISOString()}`)
    })
  )

  it.scoped("is used from a workflow, whose body runs again", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.client
      const journal = yield* Journal.Journal
      const paid: Array<unknown> = []
      const toolset = yield* Toolset.dynamic([
        { name: "charge", execute: (args) => Effect.sync(() => (paid.push(args), "charged")) }
      ])
      const runner = yield* ToolRunner.make(toolset, { journal })
      const Order = Workflow.make({
        name: "Order",
        payload: { order: Schema.String },
        success: Schema.String,
        idempotencyKey: ({ order }) => order
      })
      const body = Order.toLayer(({ order }) =>
        Effect.gen(function* () {
          const calls = yield* DurableCall.forExecution(runner, {})
          const call = ToolCall.make("charge", "charge", { order })
          const outcomes = [yield* calls.run(call), yield* (yield* DurableCall.forExecution(runner, {})).run(call)]
          const ask = DurableCall.prompt(shop, order, { name: "ask", prompt: `Do ${order}: pay` })
          const text = yield* Activity.make({
            name: "ask",
            success: Schema.String,
            execute: Effect.orDie(Effect.map(Effect.zipRight(ask, ask), (result) => result._tag))
          })
          return `${outcomes.map(({ _tag }) => _tag).join()} ${text}`
        }).pipe(Effect.orDie)
      )
      const result = yield* Order.execute({ order: "o" }).pipe(
        Effect.provide(Layer.provideMerge(body, WorkflowEngine.layerMemory))
      )
      expect(result).toBe("Success,Success Finished")
      expect(paid).toHaveLength(1)
      expect(yield* happenedTo("o")).toEqual(["pay o/1/1"])
    })
  )

  it.scoped("is kept as long as retention says, and longer while it waits", () =>
    Effect.gen(function* () {
      const shop = yield* Shop.client
      const sql = yield* SqlClient
      // The other conversations of the cluster go on meanwhile.
      const prompts = sql<{ id: string; entity_id: string; processed: number }>`
        SELECT CAST(id AS TEXT) AS id, entity_id, processed FROM cluster_messages
        WHERE tag = 'prompt' AND entity_id IN ('p', 'q') ORDER BY id`
      yield* Schedule.at(shop, "p", { name: "later", at: Date.now() + 60_000, prompt: "Do p: pay" })
      const paused = yield* (yield* shop.prompt("q", { prompt: "Do q: refund", promptId: "q" })).result
      expect(yield* Retention.sweep({ keep: "1 hour" })).toBe(0)
      expect(yield* Retention.sweep({ keep: "1 hour", batch: 0 })).toBe(0)
      // A result is there a moment before its message is done.
      const before = yield* Effect.repeat(Effect.delay(prompts, "5 millis"), {
        until: (rows) => rows.some(({ entity_id, processed }) => entity_id === "q" && processed === 1)
      })
      // A millisecond later than all that is over.
      yield* Effect.sleep("2 millis")
      expect(yield* Retention.sweep({ keep: 0, batch: 1 })).toBeGreaterThan(0)
      const waiting = before.filter(({ processed }) => processed === 0)
      expect(waiting.map(({ entity_id }) => entity_id)).toEqual(["p"])
      expect(yield* prompts).toEqual(waiting)
      const ids = before.map(({ id }) => id)
      const replied = yield* sql<{ request: string }>`SELECT CAST(request_id AS TEXT) AS request FROM cluster_replies`
      expect(replied.filter(({ request }) => ids.includes(request))).toEqual([])
      expect(yield* shop.run("q", "q").result).toEqual(paused)
      // A run that took long ended long after it was begun: until its row goes, it can be retried.
      yield* (yield* shop.prompt("r", { prompt: "Do r: pay", promptId: "r" })).result
      const begunWith = sql`SELECT id FROM cluster_messages WHERE tag = 'prompt' AND entity_id = 'r' AND processed = 1`
      yield* Effect.repeat(Effect.delay(begunWith, "5 millis"), { until: (rows) => rows.length > 0 })
      yield* sql`UPDATE wield_runs SET changed = ${Date.now() + 60_000} WHERE conversation = 'r'`
      yield* Retention.sweep({ keep: 0 })
      expect(yield* begunWith).toHaveLength(1)
    })
  )
})

it.scopedLive(
  "a conversation that waits while deploys change its tool is asked again, and a denial is taken at once",
  () =>
    Effect.gen(function* () {
      const path = yield* temporaryPath
      const happened: Array<string> = []
      const version = (refunds: string) => Effect.provide(layerOf(path, { happened, refunds }))
      const requestsOf = (result: { readonly _tag: string }) =>
        "requests" in result ? (result.requests as ReadonlyArray<DeferredCall.DeferredCall>) : []
      const paused = yield* Effect.gen(function* () {
        const shop = yield* Shop.client
        return yield* Effect.forEach(["s", "t"], (name) =>
          Effect.flatMap(shop.prompt(name, { prompt: `Do ${name}: refund` }), ({ result }) => result)
        )
      }).pipe(version("first"))
      const [first, denied] = paused.map(requestsOf)
      const second = yield* Effect.gen(function* () {
        const shop = yield* Shop.client
        const asked = yield* (yield* shop.answer("s", first!.map(DeferredCall.approve))).result
        expect(asked._tag).toBe("Paused")
        expect(requestsOf(asked)[0]?.id).not.toBe(first![0]?.id)
        expect(requestsOf(asked)[0]?.description).toBe("second")
        const answers = denied!.map((request) => DeferredCall.deny(request, "not today"))
        expect(yield* (yield* shop.answer("t", answers)).result).toMatchObject({ _tag: "Finished" })
        return requestsOf(asked)
      }).pipe(version("second"))
      yield* Effect.gen(function* () {
        const shop = yield* Shop.client
        const asked = yield* (yield* shop.answer("s", second.map(DeferredCall.approve))).result
        expect(happened).toEqual([])
        const answers = requestsOf(asked).map(DeferredCall.approve)
        expect(yield* (yield* shop.answer("s", answers)).result).toMatchObject({ _tag: "Finished" })
      }).pipe(version("third"))
      expect(happened).toEqual(["refund s/1/1"])
    })
)

it.scopedLive("a conversation whose request has expired, or was signed by another secret, is asked again", () =>
  Effect.gen(function* () {
    const path = yield* temporaryPath
    const happened: Array<string> = []
    const signed = (secret: string, timeToLive?: Duration.DurationInput) =>
      Effect.provide(
        layerOf(path, {
          happened,
          signing: { secrets: [Redacted.make(secret)], ...(timeToLive === undefined ? {} : { timeToLive }) }
        })
      )
    const requestsOf = (result: { readonly _tag: string }) =>
      "requests" in result ? (result.requests as ReadonlyArray<DeferredCall.DeferredCall>) : []
    const answer = (requests: ReadonlyArray<DeferredCall.DeferredCall>) =>
      Effect.gen(function* () {
        const shop = yield* Shop.client
        return yield* (yield* shop.answer("w", requests.map(DeferredCall.approve))).result
      })
    const paused = yield* Effect.gen(function* () {
      const shop = yield* Shop.client
      return yield* (yield* shop.prompt("w", { prompt: "Do w: refund" })).result
    }).pipe(signed("the secret of yesterday"))
    const renewed = yield* answer(requestsOf(paused)).pipe(signed("the secret of today", 0))
    expect(renewed._tag).toBe("Paused")
    yield* Effect.gen(function* () {
      const again = yield* answer(requestsOf(renewed))
      expect(again._tag).toBe("Paused")
      expect(happened).toEqual([])
      expect(yield* answer(requestsOf(again))).toMatchObject({ _tag: "Finished" })
    }).pipe(signed("the secret of today"))
    expect(happened).toEqual(["refund w/1/1"])
  })
)

it.scopedLive("a cancel before an approved call begins leaves the approval to be given again", () =>
  Effect.gen(function* () {
    const happened: Array<string> = []
    const begun = yield* Deferred.make<void>()
    let asked = 0
    // The rule is asked for the prompt, and stands still when it is asked for the answer.
    const decide = Effect.suspend(() =>
      ++asked === 2 ? Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never) : Effect.void
    )
    yield* Effect.gen(function* () {
      const shop = yield* Shop.client
      const paused = yield* (yield* shop.prompt("u", { prompt: "Do u: refund" })).result
      const answers = "requests" in paused ? paused.requests.map(DeferredCall.approve) : []
      const approved = yield* shop.answer("u", answers)
      yield* Deferred.await(begun)
      expect(yield* shop.cancel("u")).toEqual([approved.id])
      expect(yield* approved.result).toMatchObject({ _tag: "Cancelled", isUntaken: true })
      expect(happened).toEqual([])
      expect(yield* (yield* shop.answer("u", answers)).result).toMatchObject({ _tag: "Finished" })
      expect(yield* (yield* shop.answer("u", answers)).result).toMatchObject({ _tag: "Finished" })
      expect(happened).toEqual(["refund u/1/1"])
    }).pipe(Effect.provide(layerOf(yield* temporaryPath, { happened, decide })))
  })
)

it.scopedLive("a process that closes hands its runs over, and the model does not hear of it", () =>
  Effect.gen(function* () {
    const path = yield* temporaryPath
    const happened: Array<string> = []
    const begun = yield* Deferred.make<void>()
    const { before, left } = yield* watchHandOver
    // The call ends while the process closes.
    const stop = () => Effect.zipRight(Deferred.succeed(begun, undefined), left)
    const prompt = { prompt: "Do r: pay / pay", promptId: "r" }
    yield* Effect.gen(function* () {
      yield* (yield* Shop.client).prompt("r", prompt)
      yield* Deferred.await(begun)
    }).pipe(Effect.provide(layerOf(path, { happened, during: stop, before })))
    expect(happened).toEqual(["pay r/1/1"])
    yield* Effect.gen(function* () {
      const run = yield* (yield* Shop.client).prompt("r", prompt)
      expect(yield* run.result).toMatchObject({ _tag: "Finished" })
      expect(yield* resultsOf("r")).toEqual(["pay of r/1/1 is done", "pay of r/2/1 is done"])
    }).pipe(Effect.provide(layerOf(path, { happened })))
    expect(happened).toEqual(["pay r/1/1", "pay r/2/1"])
  })
)

it.scopedLive("A process that closes waits for no reader that takes nothing more", () =>
  Effect.gen(function* () {
    const path = yield* temporaryPath
    const stuck = yield* Deferred.make<void>()
    yield* Effect.gen(function* () {
      const run = yield* (yield* Shop.client).prompt("s", { prompt: "Do s: pay / pay / pay" })
      const takeOne = Effect.zipRight(Deferred.succeed(stuck, undefined), Effect.never)
      yield* Effect.forkDaemon(Stream.runForEach(run.events, () => takeOne))
      yield* Deferred.await(stuck)
      expect(yield* run.result).toMatchObject({ _tag: "Finished" })
    }).pipe(Effect.provide(layerOf(path, { grace: "1 hour" })))
  })
)

const Account = Schema.Struct({ account: Schema.String })

/** The compiler is told that the context has what the tools need; the schema lets it be forgotten. */
const Loose = AgentEntity.make("loose", { context: Schema.partial(Account) as unknown as typeof Account })

it.scopedLive("an answer without a hidden field fails, and the same answer with it is taken", () =>
  Effect.gen(function* () {
    const path = yield* temporaryPath
    const paid: Array<string> = []
    const Bank = Toolkit.make(
      Tool.make("pay", { parameters: { account: Schema.String }, success: Schema.String }).pipe(
        Hidden.fields("account")
      )
    )
    const agent = Effect.gen(function* () {
      const toolset = yield* Toolset.fromToolkit(Bank)
      const model = yield* ScriptedModel.make([ScriptedModel.call("pay", {}), ScriptedModel.text("Paid.")])
      const policy = { journal: yield* Journal.Journal, approval: () => Approval.ask() }
      return yield* Agent.make({ model, toolset, policy })
    }).pipe(
      Effect.provide(
        Bank.toLayer({ pay: ({ account }) => Effect.sync(() => (paid.push(account), `paid from ${account}`)) })
      )
    )
    const served = Loose.toLayer(agent).pipe(Layer.provideMerge(Cluster.layerFile({ path, synchronous: "normal" })))
    yield* Effect.gen(function* () {
      const client = yield* Loose.client
      const context = { account: "a_1" }
      const prompt = { prompt: "Pay", promptId: "pay", context }
      const paused = yield* (yield* client.prompt("p", prompt)).result
      const ofAnother = { ...prompt, context: { account: "a_2" } }
      expect(yield* Effect.flip(client.prompt("p", ofAnother))).toMatchObject({ _tag: "IdReused", differs: "context" })
      const answers = paused._tag === "Paused" ? paused.requests.map(DeferredCall.approve) : []
      const failed = yield* (yield* client.answer("p", answers, { context: {} as never })).result
      expect(failed).toMatchObject({ _tag: "Failed", error: "IncompleteContext" })
      expect(paid).toEqual([])
      const taken = yield* client.answer("p", answers, { context })
      expect(yield* taken.result).toMatchObject({ _tag: "Finished", output: "Paid." })
      expect((yield* client.answer("p", answers, { context })).id).toBe(taken.id)
      expect(paid).toEqual(["a_1"])
    }).pipe(Effect.provide(served))
  })
)

it.scopedLive("the model, and who follows or answers a run, see no hidden value and no text of a crash", () =>
  Effect.gen(function* () {
    const path = yield* temporaryPath
    const Bank = Toolkit.make(
      Tool.make("pay", { parameters: { account: Schema.String }, success: Schema.String }).pipe(
        Hidden.fields("account")
      )
    )
    const agent = Effect.gen(function* () {
      const toolset = yield* Toolset.fromToolkit(Bank)
      const model = yield* ScriptedModel.make([ScriptedModel.call("pay", {}), ScriptedModel.text("Sorry.")])
      const policy = { journal: yield* Journal.Journal, approval: () => Approval.ask() }
      return yield* Agent.make({ model, toolset, policy })
    }).pipe(
      Effect.provide(
        Bank.toLayer({ pay: ({ account }) => Effect.dieMessage(`no such row ${account}: password hunter2`) })
      )
    )
    const served = Loose.toLayer(agent).pipe(Layer.provideMerge(Cluster.layerFile({ path, synchronous: "normal" })))
    yield* Effect.gen(function* () {
      const client = yield* Loose.client
      const context = { account: "ES91 2100" }
      const first = yield* client.prompt("p", { prompt: "Pay", promptId: "pay", context })
      const paused = yield* first.result
      const answers = paused._tag === "Paused" ? paused.requests.map(DeferredCall.approve) : []
      const second = yield* client.answer("p", answers, { context })
      const result = yield* second.result
      expect(result).toMatchObject({ _tag: "Finished", output: "Sorry." })
      const events = yield* Stream.runCollect(Stream.concat(first.events, second.events))
      const entries = yield* entriesOf("p")
      expect(yield* resultsOf("p")).toEqual([expect.stringMatching(/reference/)])
      const seen = JSON.stringify([paused, result, [...events], entries])
      expect(seen).not.toMatch(/ES91|hunter2/)
      expect(seen).toContain('"pay"')
    }).pipe(Effect.provide(served))
  })
)

const Customer = Schema.Struct({ customer: Schema.String })

const Faulty = AgentEntity.make("faulty", {
  context: Schema.transform(Customer, Customer, {
    strict: true,
    encode: (customer) => customer,
    decode: () => {
      throw new Error("the program is wrong")
    }
  })
})

it.scopedLive("a run that meets a mistake of the program fails, and those after it run", () =>
  Effect.gen(function* () {
    const path = yield* temporaryPath
    const faulty = Faulty.toLayer(makeAgent()).pipe(
      Layer.provide(Layer.succeed(Effects, { happen: () => Effect.void })),
      Layer.provideMerge(Cluster.layerFile({ path, synchronous: "normal" }))
    )
    yield* Effect.gen(function* () {
      const client = yield* Faulty.client
      for (const promptId of ["1", "2"]) {
        const run = yield* client.prompt("f", { prompt: "Do f: look", promptId, context: { customer: "ada" } })
        expect(yield* run.result).toMatchObject({ _tag: "Failed", error: "Defect", message: "the program is wrong" })
      }
      // What has not run makes no conversation.
      const store = yield* ConversationStore.ConversationStore
      expect(yield* Effect.flip(store.open("f"))).toMatchObject({ _tag: "ConversationNotFound" })
    }).pipe(Effect.provide(faulty))
  })
)

it.scopedLive("a run that meets a mistake before its row is written fails too, and is tried again by hand", () =>
  Effect.gen(function* () {
    const path = yield* temporaryPath
    let isWrong = true
    const mistaken = Layer.effect(
      Runs.Runs,
      Effect.map(Runs.Runs, (runs) => ({
        ...runs,
        begin: (...given: Parameters<typeof runs.begin>) => {
          if (!isWrong) return runs.begin(...given)
          isWrong = false
          throw new Error("the program is wrong")
        }
      }))
    )
    const served = Shop.toLayer(makeAgent()).pipe(
      Layer.provide(Layer.succeed(Effects, { happen: () => Effect.void })),
      Layer.provide(mistaken),
      Layer.provideMerge(Cluster.layerFile({ path, synchronous: "normal" }))
    )
    yield* Effect.gen(function* () {
      const client = yield* Shop.client
      const run = yield* client.prompt("s", { prompt: "Do s: look", promptId: "s" })
      expect(yield* run.result).toMatchObject({ _tag: "Failed", error: "Defect", message: "the program is wrong" })
      yield* (yield* Runs.Runs).retry({ entity: "shop", conversation: "s", id: "s" })
      expect(yield* run.result).toMatchObject({ _tag: "Finished" })
    }).pipe(Effect.provide(served))
  })
)

it.scopedLive("a run that failed is retried by hand, and repeats no call that its journal knows", () =>
  Effect.gen(function* () {
    const path = yield* temporaryPath
    yield* Effect.gen(function* () {
      const shop = yield* Shop.client
      const { retry } = yield* Runs.Runs
      const key = { entity: "shop", conversation: "l", id: "retried" }
      const run = yield* shop.prompt("l", { prompt: "Do l: pay / pay", promptId: "retried" })
      expect(yield* run.result).toMatchObject({ _tag: "Failed" })
      yield* retry(key)
      expect(yield* run.result).toMatchObject({ _tag: "Finished" })
      expect(yield* happenedTo("l")).toEqual(["pay l/1/1", "pay l/2/1"])
      expect(yield* shop.status("l")).toMatchObject({ deliveries: 2 })
      expect(yield* Effect.flip(retry({ ...key, id: "another" }))).toMatchObject({ _tag: "RunNotFound" })
    }).pipe(Effect.provide(layerOf(path, { think: failOnce(2) })))
  })
)

it.scopedLive("a run whose message no runner could read fails, and is listed", () =>
  Effect.gen(function* () {
    const path = yield* temporaryPath
    yield* Effect.gen(function* () {
      const client = yield* Shop.client
      const sql = yield* SqlClient
      const runs = yield* Runs.Runs
      const at = Date.now() + 3_600_000
      const run = yield* client.prompt("u", { prompt: "Do u: look", promptId: "u", at })
      // As a program has it that writes into the table.
      const damage = (payload: string) =>
        sql`UPDATE cluster_messages SET payload = ${payload}, deliver_at = 0 WHERE entity_id = 'u'`
      const [row] = yield* sql<{ readonly payload: string }>`SELECT payload FROM cluster_messages WHERE entity_id = 'u'`
      yield* damage(row!.payload.replace(`"version":1`, `"version":"one"`))
      expect(yield* run.result).toMatchObject({ _tag: "Failed", error: "Defect" })
      expect(yield* runs.list({ conversation: "u" })).toMatchObject([{ state: "Failed", deliveries: 0 }])
      yield* damage(row!.payload)
      yield* runs.retry({ entity: "shop", conversation: "u", id: "u" })
      expect(yield* run.result).toMatchObject({ _tag: "Finished" })
    }).pipe(Effect.provide(layerOf(path)))
  })
)

it.scopedLive("a run whose entity no runner serves fails, and says what to do", () =>
  Effect.gen(function* () {
    const path = yield* temporaryPath
    yield* Effect.gen(function* () {
      const client = yield* Shop.client
      const sql = yield* SqlClient
      const run = yield* client.prompt("u", { prompt: "Do u: look", promptId: "u", at: Date.now() + 3_600_000 })
      // As the engine answers a minute after its start.
      const defect = JSON.stringify({ name: "Error", message: "Entity type 'shop' not registered" })
      const payload = JSON.stringify({ _tag: "Failure", cause: { _tag: "Die", defect } })
      yield* sql`INSERT INTO cluster_replies (id, kind, request_id, payload, acked)
        SELECT 1, 0, id, ${payload}, 0 FROM cluster_messages WHERE entity_id = 'u'`
      expect(yield* run.result).toMatchObject({
        _tag: "Failed",
        message: "No runner serves the entity shop: give its layer to each, and retry the run"
      })
    }).pipe(Effect.provide(layerOf(path)))
  })
)

it.scopedLive("a result that this version cannot read fails those who wait for it, and no one else", () =>
  Effect.gen(function* () {
    const path = yield* temporaryPath
    yield* Effect.gen(function* () {
      const client = yield* Shop.client
      const sql = yield* SqlClient
      yield* (yield* client.prompt("v", { prompt: "Do v: look", promptId: "v" })).result
      yield* sql`UPDATE wield_runs SET result = '{"_tag":"OfALaterVersion"}' WHERE conversation = 'v'`
      yield* (yield* client.prompt("w", { prompt: "Do w: look", promptId: "w" })).result
      const [unread, other] = yield* Effect.all(
        [Effect.either(client.run("v", "v").result), client.run("w", "w").result],
        { concurrency: "unbounded" }
      )
      expect(Either.isLeft(unread)).toBe(true)
      expect(other).toMatchObject({ _tag: "Finished" })
    }).pipe(Effect.provide(layerOf(path)))
  })
)
