/**
 * The laws of durable conversations, each over a cluster that keeps it and over one with a planted fault: a law's test
 * that does not see its fault shows nothing.
 */
import * as ClusterMetrics from "@effect/cluster/ClusterMetrics"
import { Sharding } from "@effect/cluster/Sharding"
import { SqlClient } from "@effect/sql/SqlClient"
import { expect, it } from "@effect/vitest"
import { Conversation, ConversationStore } from "@wield/agent"
import * as FileStore from "@wield/agent/FileStore"
import { Runs } from "@wield/cluster"
import { Journal, ToolResult } from "@wield/core"
import { Chunk, Deferred, Effect, Layer, Metric, type Scope, Stream } from "effect"
import { Happened, layerOf, Shop, temporaryPath, watchHandOver } from "./file.js"
import { findUntrue } from "./story.js"

interface Law {
  readonly law: string
  readonly fault: string
  /** What is wrong. */
  readonly check: (isPlanted: boolean) => Effect.Effect<ReadonlyArray<string>, unknown, Scope.Scope>
}

const laws: Array<Law> = []
const add = (law: string, fault: string, check: Law["check"]) => void laws.push({ law, fault, check })

type Options = NonNullable<Parameters<typeof layerOf>[1]>

const inCluster = <A, E, R>(options: Options, effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(temporaryPath, (path) => Effect.provide(effect, layerOf(path, options)))

/** A call that stands still in its handler, where the first call comes to it. */
const makeGate = Effect.gen(function* () {
  const begun = yield* Deferred.make<void>()
  const released = yield* Deferred.make<void>()
  return {
    during: () => Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(released)),
    begun: Deferred.await(begun),
    release: Deferred.succeed(released, undefined)
  }
})

const entriesOf = (conversation: string) =>
  Effect.gen(function* () {
    const store = yield* ConversationStore.ConversationStore
    return yield* (yield* store.open(conversation)).entries
  })

const resultsIn = (entries: Effect.Effect.Success<ReturnType<typeof entriesOf>>) =>
  entries.flatMap(({ message }) => (message._tag === "Results" ? message.results : []))

const promptsIn = (entries: Effect.Effect.Success<ReturnType<typeof entriesOf>>) =>
  entries.flatMap(({ message }) => (message._tag === "User" ? [JSON.stringify(message.content)] : []))

/** Until every message has its reply. */
const settle = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* Effect.repeat(Effect.delay(sql`SELECT 1 FROM cluster_messages WHERE processed = 0`, "20 millis"), {
    until: (rows) => rows.length === 0
  })
})

const unless = (holds: boolean, text: string): ReadonlyArray<string> => (holds ? [] : [text])

add("a prompt id is run once", "a client that delivers twice under two ids", (isPlanted) =>
  inCluster(
    {},
    Effect.gen(function* () {
      const shop = yield* Shop.client
      const runs = yield* Effect.forEach([1, 2, 3], (time) =>
        shop.prompt("a", { prompt: "Do a: pay", promptId: isPlanted ? `a ${time}` : "a" })
      )
      yield* Effect.forEach(runs, ({ result }) => result)
      const prompts = promptsIn(yield* entriesOf("a"))
      return unless(prompts.length === 1, `${prompts.length} prompts`)
    })
  )
)

/** Of every call, that it was never begun. */
const forgetful = Layer.effect(
  Journal.Journal,
  Effect.map(Journal.Journal, (journal) => ({
    ...journal,
    look: () => Effect.succeed({ _tag: "Fresh" as const }),
    begin: (key: Journal.Key, tool: string) => Effect.as(journal.begin(key, tool), { _tag: "Fresh" as const })
  }))
)

add("a call that may not be repeated happens at most once", "a journal that forgets", (isPlanted) =>
  Effect.gen(function* () {
    const path = yield* temporaryPath
    const happened: Array<string> = []
    const { begun, during } = yield* makeGate
    const before = isPlanted ? { before: forgetful } : {}
    // The process ends inside the call.
    yield* Effect.gen(function* () {
      yield* (yield* Shop.client).prompt("b", { prompt: "Do b: pay", promptId: "b" })
      yield* begun
    }).pipe(Effect.provide(layerOf(path, { happened, during, grace: "1 millis", ...before })))
    const results = yield* Effect.gen(function* () {
      yield* (yield* Shop.client).run("b", "b").result
      return resultsIn(yield* entriesOf("b")).map(ToolResult.toText)
    }).pipe(Effect.provide(layerOf(path, { happened, ...before })))
    return [
      ...unless(happened.length === 1, `it happened ${happened.length} times`),
      ...unless(results.join().includes("may already have taken effect"), `the model read ${results}`)
    ]
  })
)

add("every prompt that was accepted ends", "a table of runs that loses their ends", (isPlanted) =>
  inCluster(
    isPlanted
      ? {
          before: Layer.effect(
            Runs.Runs,
            Effect.map(Runs.Runs, (runs) => ({
              ...runs,
              finish: (_: Runs.Key, result: Parameters<Runs.Service["finish"]>[1]) => Effect.succeed(result)
            }))
          )
        }
      : {},
    Effect.gen(function* () {
      const shop = yield* Shop.client
      yield* shop.prompt("c", { prompt: "Do c: pay" })
      yield* settle
      const run = yield* shop.status("c")
      return unless(run?.state === "Finished", `it is ${run?.state}`)
    })
  )
)

/** Appends after whatever is there. */
const withoutFence = <E>(conversation: Conversation.Conversation<E>): Conversation.Conversation<E> => ({
  ...conversation,
  append: (entries) => Effect.flatMap(conversation.entries, (all) => conversation.append(entries, all.at(-1)?.id))
})

const fenceless = Layer.effect(
  ConversationStore.ConversationStore,
  Effect.map(ConversationStore.ConversationStore, (store) => ({
    ...store,
    create: (conversation?: ConversationStore.NewConversation) => Effect.map(store.create(conversation), withoutFence),
    openOrCreate: (id: string) => Effect.map(store.openOrCreate(id), withoutFence)
  }))
)

add("a conversation has one writer", "a store that forgets its fence", (isPlanted) =>
  Effect.gen(function* () {
    const path = yield* temporaryPath
    const { begun, during, release } = yield* makeGate
    return yield* Effect.gen(function* () {
      const run = yield* (yield* Shop.client).prompt("d", { prompt: "Do d: pay", promptId: "d" })
      yield* begun
      // Another process that believes it has the conversation.
      yield* Effect.gen(function* () {
        const conversation = yield* (yield* ConversationStore.ConversationStore).open("d")
        const last = (yield* conversation.entries).at(-1)?.id
        const content = [{ _tag: "Text" as const, text: "of the other process" }]
        const result = { id: "call d/1/1", name: "pay", isError: false, content }
        yield* conversation.append(
          [yield* Conversation.entry({ _tag: "Results", results: [result], native: undefined })],
          last
        )
      }).pipe(Effect.provide(FileStore.layer({ path })))
      yield* release
      yield* run.result
      const results = resultsIn(yield* entriesOf("d"))
      return unless(results.length === 1, `the call has ${results.length} results`)
    }).pipe(Effect.provide(layerOf(path, { during, ...(isPlanted ? { before: fenceless } : {}) })))
  })
)

add("a deploy is not told to the model", "a process that cancels its runs when it closes", (isPlanted) =>
  Effect.gen(function* () {
    const path = yield* temporaryPath
    const { before, left } = yield* watchHandOver
    const begun = yield* Deferred.make<void>()
    const during = () => Effect.zipRight(Deferred.succeed(begun, undefined), left)
    yield* Effect.gen(function* () {
      const shop = yield* Shop.client
      yield* shop.prompt("e", { prompt: "Do e: pay / look", promptId: "e" })
      yield* Deferred.await(begun)
      if (isPlanted) yield* shop.cancel("e")
    }).pipe(Effect.provide(layerOf(path, { during, before })))
    return yield* Effect.gen(function* () {
      const result = yield* (yield* Shop.client).run("e", "e").result
      return unless(result._tag === "Finished", `it is ${result._tag}`)
    }).pipe(Effect.provide(layerOf(path)))
  })
)

const entities = Metric.value(ClusterMetrics.entities.pipe(Metric.tagged("type", "shop")))

add("a paused run holds no memory, over a takeover", "entities that never leave", (isPlanted) =>
  Effect.gen(function* () {
    const path = yield* temporaryPath
    const pause = (names: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const shop = yield* Shop.client
        yield* Effect.forEach(names, (name) =>
          Effect.flatMap(shop.prompt(name, { prompt: `Do ${name}: refund` }), ({ result }) => result)
        )
      })
    yield* Effect.provide(pause(["f1", "f2"]), layerOf(path))
    return yield* Effect.gen(function* () {
      yield* pause(["f3", "f4"])
      // It is counted each second.
      yield* Effect.sleep("3 seconds")
      const left = Effect.map(entities, ({ value }) => Number(value))
      const count = isPlanted
        ? yield* left
        : yield* Effect.repeat(Effect.delay(left, "100 millis"), { until: (count) => count === 0 })
      return unless(count === 0, `${count} entities`)
    }).pipe(Effect.provide(layerOf(path, { idle: isPlanted ? "1 hour" : "1 second" })))
  })
)

add("no call begins after a cancel", "a client whose cancel is not sent", (isPlanted) =>
  Effect.flatMap(makeGate, ({ begun, during, release }) =>
    inCluster(
      { during },
      Effect.gen(function* () {
        const shop = yield* Shop.client
        yield* shop.prompt("g", { prompt: "Do g: pay / pay" })
        yield* begun
        if (!isPlanted) yield* shop.cancel("g")
        yield* release
        yield* settle
        const happened = yield* Happened
        return unless(happened.length === 1, happened.join())
      })
    )
  )
)

interface Joining {
  readonly after: { readonly delivery: number; readonly number: number }
}

/** The events of the cluster, over a connection that is lost once; where it is `astray`, the reader's place moves on. */
const loseOnce = (isAstray: boolean, joined: Effect.Effect<unknown>) =>
  Layer.effect(
    Sharding,
    Effect.map(Sharding, (sharding) => {
      let isLost = false
      const makeClient = (entity: never) =>
        Effect.map(sharding.makeClient(entity), (client) => (id: string) => {
          const given = client(id) as unknown as { events: (payload: Joining) => Stream.Stream<object> }
          const events = (payload: Joining) => {
            if (!isLost) {
              isLost = true
              return Stream.concat(Stream.take(given.events(payload), 3), Stream.fail("the connection is lost"))
            }
            const { delivery, number } = payload.after
            const after = { delivery, number: isAstray ? number + 12 : number }
            return Stream.onStart(given.events({ ...payload, after }), joined)
          }
          return new Proxy(given, { get: (client, name) => (name === "events" ? events : Reflect.get(client, name)) })
        })
      return { ...sharding, makeClient } as never
    })
  )

add("events are those of the conversation", "a runner that skips events", (isPlanted) =>
  Effect.flatMap(makeGate, ({ during, release }) =>
    inCluster(
      { during },
      Effect.gen(function* () {
        const run = yield* (yield* Shop.client).prompt("h", { prompt: "Do h: pay / look" })
        const events = Chunk.toReadonlyArray(yield* Stream.runCollect(run.events))
        return findUntrue(events, yield* entriesOf("h"))
      }).pipe(Effect.provide(loseOnce(isPlanted, release)))
    )
  )
)

add("prompts are taken in the order sent", "a client that holds one back", (isPlanted) =>
  inCluster(
    {},
    Effect.gen(function* () {
      const shop = yield* Shop.client
      const names = ["one", "two", "three"]
      const sent = isPlanted ? names.toReversed() : names
      yield* Effect.forEach(sent, (name) => shop.prompt("i", { prompt: `Do ${name}: look` }))
      yield* settle
      const order = promptsIn(yield* entriesOf("i")).map((prompt) => /Do (\w+)/.exec(prompt)?.[1])
      return unless(order.join() === names.join(), order.join())
    })
  )
)

add("nothing of a forgotten conversation is left", "a database that keeps messages", (isPlanted) =>
  inCluster(
    {},
    Effect.gen(function* () {
      const shop = yield* Shop.client
      const sql = yield* SqlClient
      yield* (yield* shop.prompt("k", { prompt: "Do k: refund" })).result
      if (isPlanted) {
        yield* sql`CREATE TRIGGER kept BEFORE DELETE ON cluster_messages BEGIN SELECT RAISE(IGNORE); END`
      }
      yield* (yield* Runs.Runs).forget({ entity: "shop", conversation: "k" })
      const left = yield* Effect.all([
        sql`SELECT 1 FROM cluster_messages WHERE entity_id = 'k'`,
        sql`SELECT 1 FROM wield_runs WHERE conversation = 'k'`,
        sql`SELECT 1 FROM wield_calls WHERE run = 'k'`,
        sql`SELECT 1 FROM wield_entries WHERE conversation = 'k'`
      ])
      return unless(left.flat().length === 0, `${left.map((rows) => rows.length)} rows`)
    })
  )
)

it.scopedLive.each(laws)("$law", ({ check }) => Effect.map(check(false), (wrong) => expect(wrong).toEqual([])))

it.scopedLive.each(laws)("the test that $law sees $fault", ({ check }) =>
  Effect.map(check(true), (wrong) => expect(wrong).not.toEqual([]))
)
