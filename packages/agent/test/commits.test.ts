import { Tool, Toolkit } from "@effect/ai"
import { SqlClient } from "@effect/sql/SqlClient"
import { describe, expect, it, layer } from "@effect/vitest"
import { Agent, Conversation, ConversationStore, DeferredCall } from "@wield/agent"
import * as FileStore from "@wield/agent/FileStore"
import * as SqlConversationStore from "@wield/agent/SqlConversationStore"
import * as SqlJournal from "@wield/agent/SqlJournal"
import { Approval, Journal, Toolset, Traces } from "@wield/core"
import { ScriptedModel } from "@wield/testing"
import { Deferred, Effect, Fiber, Layer, Schema, Stream } from "effect"
import Database from "libsql"
import { vi } from "vitest"
import * as Postgres from "../../../test/postgres/Postgres.js"
import { recordSpans } from "../../core/test/recording/Spans.js"
import { temporaryFile } from "./store/temporaryFile.js"

const Bank = Toolkit.make(
  Tool.make("pay", { success: Schema.String }),
  Tool.make("look", { success: Schema.String }).annotate(Tool.Readonly, true)
)
const BankLive = Bank.toLayer({ pay: () => Effect.succeed("paid"), look: () => Effect.succeed("12") })

const stores = Layer.merge(SqlConversationStore.layer, SqlJournal.layer)

const file = Layer.unwrapScoped(
  Effect.map(temporaryFile, (path) =>
    Layer.provideMerge(stores, FileStore.layerClient({ path, synchronous: "normal" }))
  )
)

const steps = 5

/** How many commits a run of so many turns with these calls takes, beside its begin, its prompt, its last answer and its end. */
const commitsOf = (calls: ReadonlyArray<keyof typeof Bank.tools>, how: "run" | "stream", isWrapped = false) =>
  Effect.gen(function* () {
    const store = yield* ConversationStore.ConversationStore
    const journal = yield* Journal.Journal
    const turn = ScriptedModel.turn(
      ...calls.map((name, place) => ScriptedModel.call(name, {}, { id: `call_${place}` }))
    )
    const model = yield* ScriptedModel.make([...Array.from({ length: steps }, () => turn), ScriptedModel.text("Done.")])
    const agent = yield* Agent.make({
      model,
      toolset: yield* Toolset.fromToolkit(Bank),
      policy: { journal: isWrapped ? { ...journal } : journal, repeatGuard: false }
    })
    const conversation = yield* store.create()
    const exec = vi.spyOn(Database.prototype, "exec")
    const input = { conversation, prompt: "Go on" }
    yield* how === "run" ? Agent.run(agent, input) : Stream.runDrain(Agent.stream(agent, input))
    const commits = exec.mock.calls.filter(([text]) => text === "COMMIT").length
    exec.mockRestore()
    expect(Conversation.unanswered(yield* conversation.entries)).toBeUndefined()
    const sql = yield* SqlClient
    const open = yield* sql`SELECT state FROM wield_calls WHERE state <> 'finished'`
    expect(open).toEqual([])
    return (commits - 4) / steps
  }).pipe(Effect.provide(Layer.merge(file, BankLive)))

const whoAnswered = Effect.gen(function* () {
  const store = yield* ConversationStore.ConversationStore
  const model = yield* ScriptedModel.make([
    ScriptedModel.turn(ScriptedModel.call("pay", {}, { id: "a" }), ScriptedModel.call("pay", {}, { id: "b" })),
    ScriptedModel.call("pay", {}, { id: "c" }),
    ScriptedModel.text("Done.")
  ])
  const agent = yield* Agent.make({
    model,
    toolset: yield* Toolset.fromToolkit(Bank),
    policy: {
      journal: yield* Journal.Journal,
      approval: ({ call }) => (call.id === "c" ? Approval.allow : Approval.ask())
    }
  })
  const conversation = yield* store.create()
  const paused = yield* Agent.run(agent, { conversation, prompt: "Pay" })
  const [one, other] = paused._tag === "Paused" ? paused.requests : []
  if (one === undefined || other === undefined) return expect.unreachable()
  const answers = [
    DeferredCall.withBy(DeferredCall.approve(one), { who: "ada@example.com", way: "page" }),
    DeferredCall.approve(other)
  ]
  yield* Agent.run(agent, { conversation, answers })
  const sql = yield* SqlClient
  const rows = yield* sql<{ readonly call: string }>`SELECT call, answered_by FROM wield_calls`
  const ofCalls = rows.map((row) => ({ ...row, call: row.call.at(-1) }))
  expect(ofCalls.sort((a, b) => (a.call ?? "").localeCompare(b.call ?? ""))).toEqual([
    { call: "a", answered_by: "ada@example.com (page)" },
    { call: "b", answered_by: null },
    { call: "c", answered_by: null }
  ])
}).pipe(Effect.provide(BankLive))

describe("the journal writes down who answered", () => {
  it.scopedLive("in a file", () => Effect.provide(whoAnswered, file))
  it.scopedLive("in Postgres", () =>
    Effect.provide(whoAnswered, Layer.provideMerge(stores, Layer.provide(Postgres.client, Layer.fresh(Postgres.layer))))
  )
})

describe("a turn with its calls, in a file", () => {
  for (const how of ["run", "stream"] as const) {
    it.scopedLive(`takes two commits with one call: the turn with its begin, its end with the results (${how})`, () =>
      Effect.map(commitsOf(["pay"], how), (commits) => expect(commits).toBe(2))
    )
  }

  it.scopedLive("takes two commits with calls that change nothing", () =>
    Effect.map(commitsOf(["look", "look"], "run"), (commits) => expect(commits).toBe(2))
  )

  it.scopedLive("takes three commits with a call of which the journal hears nothing before its turn is recorded", () =>
    Effect.map(commitsOf(["pay", "look"], "run"), (commits) => expect(commits).toBe(3))
  )

  it.scopedLive("writes begin and end by themselves where the journal is another one", () =>
    Effect.map(commitsOf(["pay"], "run", true), (commits) => expect(commits).toBe(4))
  )
})

const postgres = Layer.provideMerge(stores, Layer.provide(Postgres.client, Postgres.layer))

layer(postgres, { excludeTestServices: true })("in Postgres", (it) => {
  it.effect("results and the end of the last call are of one transaction", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const model = yield* ScriptedModel.make([
        ScriptedModel.turn(ScriptedModel.call("pay"), ScriptedModel.call("look")),
        ScriptedModel.text("Done.")
      ])
      const toolset = yield* Toolset.fromToolkit(Bank)
      const agent = yield* Agent.make({ model, toolset, policy: { journal: yield* Journal.Journal } })
      const conversation = yield* (yield* ConversationStore.ConversationStore).create()
      yield* Agent.run(agent, { conversation, prompt: "Go on" })
      const [results] = yield* sql`SELECT CAST(xmin AS TEXT) AS xmin FROM wield_entries WHERE id LIKE '%/results'`
      const ends = yield* sql`SELECT CAST(xmin AS TEXT) AS xmin FROM wield_calls WHERE state = 'finished'`
      expect(ends).toEqual([results])
    }).pipe(Effect.provide(BankLive))
  )

  it.effect("an entry writes no index of its conversation's row", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const conversation = yield* (yield* ConversationStore.ConversationStore).create()
      const entry = yield* Conversation.entry(Conversation.user("Go on"))
      const [updates] = yield* sql.withTransaction(
        Effect.zipRight(
          conversation.append([entry], undefined),
          sql<{
            readonly all: number
            readonly hot: number
          }>`SELECT pg_stat_get_xact_tuples_updated('wield_conversations'::regclass)::int AS all,
            pg_stat_get_xact_tuples_hot_updated('wield_conversations'::regclass)::int AS hot`
        )
      )
      expect(updates?.all).toBeGreaterThan(0)
      expect(updates?.hot).toBe(updates?.all)
    })
  )

  it.effect("a step is one statement, and none is a transaction of several", () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make([
        ...Array.from({ length: steps }, (_, place) =>
          ScriptedModel.turn(ScriptedModel.call("pay", {}, { id: `call_${place}` }))
        ),
        ScriptedModel.text("Done.")
      ])
      const toolset = yield* Toolset.fromToolkit(Bank)
      const policy = { journal: yield* Journal.Journal, repeatGuard: false } as const
      const agent = yield* Agent.make({ model, toolset, policy })
      const conversation = yield* (yield* ConversationStore.ConversationStore).create()
      const { spans } = yield* recordSpans(
        Effect.provideService(Agent.run(agent, { conversation, prompt: "Go on" }), Traces.StoreSpans, true)
      )
      const statements = spans.filter(({ name }) => name.startsWith("sql."))
      expect(statements.map(({ name }) => name)).not.toContain("sql.transaction")
      // The run begins and ends, the entries are read, the prompt and the last turn written; a turn with its call's begin, and its end with the result.
      expect(statements).toHaveLength(5 + 2 * steps)
    }).pipe(Effect.provide(BankLive))
  )

  it.effect("entries within a transaction come and go with it, and one whose id is taken leaves it open", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const conversation = yield* (yield* ConversationStore.ConversationStore).create()
      const first = yield* Conversation.entry(Conversation.user("one"), { id: "one" })
      const other = yield* Conversation.entry(Conversation.user("another"), { id: "one" })
      const second = yield* Conversation.entry(Conversation.user("two"), { id: "two" })
      yield* conversation.append([first], undefined)
      const taken = yield* sql.withTransaction(
        Effect.zipLeft(Effect.flip(conversation.append([other], "one")), conversation.append([second], "one"))
      )
      expect(taken._tag).toBe("EntryIdTaken")
      const third = yield* Conversation.entry(Conversation.user("three"), { id: "three" })
      yield* Effect.flip(sql.withTransaction(Effect.zipRight(conversation.append([third], "two"), Effect.fail("no"))))
      expect(yield* conversation.entries).toEqual([first, second])
      expect((yield* Effect.flip(conversation.append([other], "two")))._tag).toBe("EntryIdTaken")
      expect((yield* Effect.flip(conversation.append([third, third], "two")))._tag).toBe("EntryIdTaken")
      expect(yield* conversation.entries).toEqual([first, second])
    })
  )
})

it.scopedLive(
  "a turn is recorded while an approval rule thinks about its call, and a reader hears of the call when it begins",
  () =>
    Effect.gen(function* () {
      const model = yield* ScriptedModel.make([ScriptedModel.call("pay"), ScriptedModel.text("Done.")])
      const conversation = yield* (yield* ConversationStore.ConversationStore).create()
      const isRecorded = Effect.map(Effect.orDie(conversation.entries), (entries) => entries.length >= 2)
      const agent = yield* Agent.make({
        model,
        toolset: yield* Toolset.fromToolkit(Bank),
        policy: {
          journal: yield* Journal.Journal,
          approval: {
            pay: () =>
              Effect.as(
                Effect.repeat(Effect.delay(isRecorded, "1 millis"), { until: (isThere) => isThere }),
                Approval.allow
              )
          }
        }
      })
      const heard: Array<boolean> = []
      yield* Stream.runForEach(Agent.stream(agent, { conversation, prompt: "Go on" }), ({ _tag }) =>
        _tag === "CallStarted" ? Effect.map(isRecorded, (isThere) => heard.push(isThere)) : Effect.void
      )
      expect(heard).toEqual([true])
    }).pipe(Effect.provide(Layer.merge(file, BankLive)))
)

it.scopedLive("a turn and the begin of its call are recorded before the call does anything", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const conversation = yield* (yield* ConversationStore.ConversationStore).create()
    const found: Array<number> = []
    const handlers = Bank.toLayer({
      pay: () =>
        Effect.gen(function* () {
          const begun = yield* sql`SELECT 1 FROM wield_calls WHERE state = 'begun' AND tool = 'pay'`
          found.push((yield* conversation.entries).length, begun.length)
          return "paid"
        }).pipe(Effect.orDie),
      look: () => Effect.succeed("12")
    })
    const agent = yield* Agent.make({
      model: yield* ScriptedModel.make([ScriptedModel.call("pay"), ScriptedModel.text("Done.")]),
      toolset: yield* Effect.provide(Toolset.fromToolkit(Bank), handlers),
      policy: { journal: yield* Journal.Journal }
    })
    yield* Agent.run(agent, { conversation, prompt: "Go on" })
    expect(found).toEqual([2, 1])
  }).pipe(Effect.provide(file))
)

it.scopedLive(
  "the end of a call is written at once while another call still runs, also one that no journal knows",
  () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const looked = yield* Deferred.make<void>()
      const handlers = Bank.toLayer({
        pay: () => Effect.succeed("paid"),
        look: () => Effect.as(Deferred.await(looked), "12")
      })
      const model = yield* ScriptedModel.make([
        ScriptedModel.turn(ScriptedModel.call("pay"), ScriptedModel.call("look")),
        ScriptedModel.text("Done.")
      ])
      const toolset = yield* Effect.provide(Toolset.fromToolkit(Bank), handlers)
      const agent = yield* Agent.make({ model, toolset, policy: { journal: yield* Journal.Journal } })
      const conversation = yield* (yield* ConversationStore.ConversationStore).create()
      const fiber = yield* Effect.fork(Agent.run(agent, { conversation, prompt: "Go on" }))
      const finished = Effect.zipRight(
        Effect.sleep("5 millis"),
        sql`SELECT 1 FROM wield_calls WHERE state = 'finished'`
      )
      yield* Effect.repeat(finished, { until: (rows) => rows.length > 0 || fiber.unsafePoll() !== null })
      expect(Conversation.unanswered(yield* conversation.entries)?.calls).toHaveLength(2)
      yield* Deferred.succeed(looked, undefined)
      expect((yield* Fiber.join(fiber)).text).toBe("Done.")
    }).pipe(Effect.provide(file))
)
