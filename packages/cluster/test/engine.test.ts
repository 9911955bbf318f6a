/** What the engine does at the worst moment: each test stops it there. */
import * as Message from "@effect/cluster/Message"
import { MessageStorage } from "@effect/cluster/MessageStorage"
import * as Reply from "@effect/cluster/Reply"
import * as RunnerHealth from "@effect/cluster/RunnerHealth"
import * as Runners from "@effect/cluster/Runners"
import * as RunnerStorage from "@effect/cluster/RunnerStorage"
import * as ShardId from "@effect/cluster/ShardId"
import * as Snowflake from "@effect/cluster/Snowflake"
import * as Sharding from "@effect/cluster/Sharding"
import * as ShardingConfig from "@effect/cluster/ShardingConfig"
import * as SqlMessageStorage from "@effect/cluster/SqlMessageStorage"
import { PersistenceError } from "@effect/cluster/ClusterError"
import * as Socket from "@effect/platform/Socket"
import { SqlClient } from "@effect/sql/SqlClient"
import { expect, it } from "@effect/vitest"
import { Conversation, ConversationStore } from "@wield/agent"
import * as FileStore from "@wield/agent/FileStore"
import * as SqlConversationStore from "@wield/agent/SqlConversationStore"
import * as SqlJournal from "@wield/agent/SqlJournal"
import { Cluster, Runs } from "@wield/cluster"
import { ToolCall, Turn } from "@wield/core"
import { Clock, Deferred, Duration, Effect, Either, Fiber, Layer, Logger, Option, Stream, TestClock } from "effect"
import { deliverAgain } from "../src/entity/deliverAgain.js"
import { Happened, layerOf, Shop, temporaryPath } from "./file.js"
import { Effects, failOnce, makeAgent, type ShopOptions } from "./shop.js"
import { findUntrue } from "./story.js"

type Storage = MessageStorage["Type"]

/** The shop over the engine, whose storage of messages is as `plant` has it. */
const served = (plant: (storage: Storage) => Storage, options?: ShopOptions) =>
  Layer.unwrapScoped(
    Effect.map(temporaryPath, (path) =>
      Shop.toLayer(makeAgent(options)).pipe(
        Layer.provide(Layer.succeed(Effects, { happen: () => Effect.void })),
        Layer.merge(deliverAgain("20 millis")),
        Layer.provideMerge(Runs.layer),
        Layer.provideMerge(Layer.merge(SqlConversationStore.layer, SqlJournal.layer)),
        Layer.provideMerge(Sharding.layer),
        Layer.provideMerge(Runners.layerNoop),
        Layer.provideMerge(Layer.effect(MessageStorage, Effect.map(MessageStorage, plant))),
        Layer.provide(SqlMessageStorage.layer),
        Layer.provide([RunnerStorage.layerMemory, RunnerHealth.layerNoop]),
        Layer.provideMerge(ShardingConfig.layer({ entityMessagePollInterval: "50 millis" })),
        Layer.provideMerge(FileStore.layerClient({ path, synchronous: "normal" }))
      )
    )
  )

/** What the engine does around the reply that it stores of a message. */
const aroundReplies =
  (around: (store: Effect.Effect<void, unknown>) => Effect.Effect<void, unknown>) =>
  (storage: Storage): Storage => ({
    ...storage,
    unprocessedMessages: (shards) =>
      Effect.map(storage.unprocessedMessages(shards), (messages) =>
        messages.map((message) =>
          message._tag === "IncomingRequest"
            ? new Message.IncomingRequest({
                ...message,
                respond: (reply) => around(message.respond(reply)) as ReturnType<typeof message.respond>
              })
            : message
        )
      )
  })

const key = { entity: "shop", conversation: "a", id: "a" }

it.scopedLive("a run that is retried before the engine has the reply to its end runs again", () =>
  Effect.gen(function* () {
    const asked = yield* Deferred.make<void>()
    const released = yield* Deferred.make<void>()
    const plant = (storage: Storage): Storage => ({
      ...aroundReplies((store) => Effect.zipRight(Deferred.await(released), store))(storage),
      repliesForUnfiltered: (ids) =>
        Effect.zipLeft(storage.repliesForUnfiltered(ids), Deferred.succeed(asked, undefined))
    })
    yield* Effect.gen(function* () {
      const shop = yield* Shop.client
      const run = yield* shop.prompt("a", { prompt: "Do a: look", promptId: "a" })
      expect(yield* run.result).toMatchObject({ _tag: "Failed" })
      const retrying = yield* Effect.fork(Effect.flatMap(Runs.Runs, ({ retry }) => retry(key)))
      yield* Effect.race(Deferred.await(asked), Fiber.await(retrying))
      expect(yield* Fiber.poll(retrying)).toEqual(Option.none())
      yield* Deferred.succeed(released, undefined)
      yield* Fiber.join(retrying)
      expect(yield* run.result).toMatchObject({ _tag: "Finished" })
      expect(yield* shop.status("a")).toMatchObject({ deliveries: 2 })
    }).pipe(
      Effect.ensuring(Deferred.succeed(released, undefined)),
      Effect.provide(served(plant, { think: failOnce(1) }))
    )
  })
)

it.scopedLive("a run that is retried before the engine has left its end behind runs again", () =>
  Effect.gen(function* () {
    const released = yield* Deferred.make<void>()
    const plant = aroundReplies((store) => Effect.zipLeft(store, Deferred.await(released)))
    yield* Effect.gen(function* () {
      const shop = yield* Shop.client
      const sql = yield* SqlClient
      const run = yield* shop.prompt("a", { prompt: "Do a: look", promptId: "a" })
      expect(yield* run.result).toMatchObject({ _tag: "Failed" })
      yield* Effect.flatMap(Runs.Runs, ({ retry }) => retry(key))
      yield* Effect.repeat(Effect.delay(sql`SELECT 1 FROM cluster_messages WHERE last_read IS NOT NULL`, "5 millis"), {
        until: (rows) => rows.length > 0
      })
      yield* Deferred.succeed(released, undefined)
      expect(yield* run.result).toMatchObject({ _tag: "Finished" })
      expect(yield* shop.status("a")).toMatchObject({ deliveries: 2 })
    }).pipe(
      Effect.ensuring(Deferred.succeed(released, undefined)),
      Effect.provide(served(plant, { think: failOnce(1) }))
    )
  })
)

const mockSharding = (methods: Partial<Sharding.Sharding["Type"]>) =>
  Layer.mock(Sharding.Sharding, {
    getShardId: () => ShardId.make("default", 1),
    hasShardId: () => true,
    ...methods
  })

it.scoped("what the engine took and dropped is delivered again, of the shards that the runner has", () =>
  Effect.gen(function* () {
    const own = new Set(["default:7"])
    const reset: Array<ReadonlyArray<string>> = []
    const storage = {
      resetShards: (shards: Iterable<ShardId.ShardId>) =>
        Effect.suspend(() => {
          reset.push([...shards].map(String))
          return reset.length === 1 ? new PersistenceError({ cause: "the database is away" }) : Effect.void
        })
    }
    yield* Layer.build(
      deliverAgain("5 seconds").pipe(
        Layer.provide(Layer.mock(MessageStorage, storage)),
        Layer.provide(mockSharding({ hasShardId: (shard) => own.has(String(shard)) }))
      )
    )
    yield* TestClock.adjust("4999 millis")
    expect(reset).toEqual([])
    yield* TestClock.adjust("1 millis")
    expect(reset).toEqual([["default:7"]])
    own.add("default:300")
    yield* TestClock.adjust("5 seconds")
    expect(reset).toEqual([["default:7"], ["default:7", "default:300"]])
  })
)

it.scoped("a process over a file delivers again what the engine took and dropped", () =>
  Effect.gen(function* () {
    const path = yield* temporaryPath
    yield* Effect.forkScoped(Effect.forever(TestClock.adjust("1 second")))
    yield* Effect.gen(function* () {
      const shop = yield* Shop.client
      // The shards are there, which are read as a whole then.
      yield* (yield* shop.prompt("a", { prompt: "Do a: look" })).result
      const sql = yield* SqlClient
      yield* sql`CREATE TRIGGER taken AFTER INSERT ON cluster_messages BEGIN
        UPDATE cluster_messages SET last_read = CURRENT_TIMESTAMP WHERE id = NEW.id; END`
      const run = yield* shop.prompt("a", { prompt: "Do b: look" })
      expect(yield* run.result).toMatchObject({ _tag: "Finished" })
    }).pipe(Effect.provide(layerOf(path)))
  })
)

type Send = (payload: unknown, options: unknown) => Effect.Effect<unknown, unknown>

/** The cluster as a client has it whose prompts are sent as `plant` has it. */
const planted = (plant: (send: Send) => Send) =>
  Layer.effect(
    Sharding.Sharding,
    Effect.map(Sharding.Sharding, (sharding) => {
      const makeClient = (entity: never) =>
        Effect.map(sharding.makeClient(entity), (client) => (id: string) => {
          const { prompt, ...others } = client(id) as unknown as { readonly prompt: Send }
          return { ...others, prompt: plant(prompt) }
        })
      // Of the engine's client, only `prompt` is used here.
      return { ...sharding, makeClient } as never
    })
  )

const isAway = new PersistenceError({ cause: "the database is away" })
const breaks = new Socket.SocketGenericError({ reason: "Write", cause: "the runner is gone" })

it.scopedLive("a prompt is sent again where the database or the runner has just gone, and runs once", () =>
  Effect.gen(function* () {
    const path = yield* temporaryPath
    let sent = 0
    const plant =
      (send: Send): Send =>
      (payload, options) =>
        Effect.suspend(() => {
          sent++
          if (sent === 1) return Effect.fail(isAway)
          // The message is stored, and its runner is not told.
          return sent === 2 ? Effect.zipRight(send(payload, options), Effect.die(breaks)) : send(payload, options)
        })
    yield* Effect.gen(function* () {
      const shop = yield* Effect.provide(Shop.client, planted(plant))
      const run = yield* shop.prompt("a", { prompt: "Do a: pay" })
      expect(sent).toBe(3)
      expect(yield* run.result).toMatchObject({ _tag: "Finished" })
      expect(yield* (yield* Runs.Runs).list()).toMatchObject([{ id: run.id, deliveries: 1 }])
      expect(yield* Happened).toEqual(["pay a/1/1"])
    }).pipe(Effect.provide(layerOf(path)))
  })
)

it.scoped("a prompt is sent for five seconds, and once where the program is wrong", () =>
  Effect.gen(function* () {
    let sent = 0
    const sendOver = (outcome: Effect.Effect<never, unknown>) => {
      sent = 0
      const makeClient = () =>
        Effect.succeed(() => ({
          prompt: () =>
            Effect.zipRight(
              Effect.sync(() => sent++),
              outcome
            )
        }))
      const sharding = mockSharding({ makeClient: makeClient as never })
      const prompt = Effect.flatMap(Shop.client, (shop) => shop.prompt("a", { prompt: "Do a: pay" }))
      return Effect.fork(Effect.exit(Effect.provide(prompt, Layer.merge(sharding, Layer.mock(Runs.Runs, {})))))
    }
    for (const outcome of [Effect.fail(isAway), Effect.die(breaks)]) {
      const sending = yield* sendOver(outcome)
      yield* TestClock.adjust("4999 millis")
      expect(sent).toBe(25)
      expect(yield* Fiber.poll(sending)).toEqual(Option.none())
      yield* TestClock.adjust("1 millis")
      expect(sent).toBe(26)
      expect(yield* Fiber.join(sending)).toMatchObject({ cause: { error: { _tag: "ClusterError" } } })
    }
    const wrong = yield* sendOver(Effect.die("the program is wrong"))
    expect(yield* Fiber.join(wrong)).toMatchObject({ cause: { defect: "the program is wrong" } })
    expect(sent).toBe(1)
  })
)

it.scoped("a prompt that is stored is sent, though no runner takes it, and one that is not fails after a minute", () =>
  Effect.gen(function* () {
    const sharding = mockSharding({
      makeClient: (() => Effect.succeed(() => ({ prompt: () => Effect.never }))) as never
    })
    const promptOver = (progress: Runs.Progress) =>
      Effect.flatMap(Shop.client, (shop) => shop.prompt("a", { prompt: "Do a: pay", promptId: "p" })).pipe(
        Effect.provide(Layer.merge(sharding, Layer.mock(Runs.Runs, { progress: () => Effect.succeed(progress) }))),
        Effect.either,
        Effect.fork
      )
    const stored = yield* promptOver("Stored")
    yield* TestClock.adjust("2 seconds")
    expect(yield* Fiber.join(stored)).toMatchObject({ right: { id: "p" } })
    const lost = yield* promptOver("Missing")
    yield* TestClock.adjust("59 seconds")
    expect(yield* Fiber.poll(lost)).toEqual(Option.none())
    yield* TestClock.adjust("1 second")
    expect(yield* Fiber.join(lost)).toMatchObject({
      left: { message: expect.stringMatching(/send a prompt: no runner took it .*: give the layer of shop to each/) }
    })
  })
)

const clock = Clock.make()

/** A minute is over in half a second. */
const fast: Clock.Clock = Object.assign(Object.create(Object.getPrototypeOf(clock)), clock, {
  sleep: (duration: Duration.Duration) => clock.sleep(Duration.times(duration, 1 / 120))
})

it.scopedLive("who cancels, steers or forgets hears of it where no runner takes that", () =>
  Effect.gen(function* () {
    const path = yield* temporaryPath
    const refusals = Effect.gen(function* () {
      const shop = yield* Shop.client
      const { forget } = yield* Runs.Runs
      const attempts = [forget({ entity: "shop", conversation: "a" }), shop.cancel("a"), shop.steer("a", "more")]
      const ended = yield* Effect.forEach(attempts, (attempt) => Effect.either(attempt), {
        concurrency: "unbounded"
      }).pipe(Effect.withClock(fast))
      return ended.map((end) => (Either.isLeft(end) ? end.left.message : end.right))
    })
    const took = "no runner took it in a minute: give the layer of shop to each"
    // The runner of a file without the layer: the engine stores nothing, and there is nothing to forget.
    expect(yield* Effect.provide(refusals, Cluster.layerFile({ path }))).toEqual([
      undefined,
      `The cluster could not cancel: ${took}`,
      `The cluster could not steer: ${took}`
    ])
    const stored = `${took}. It is stored, and the first that comes takes it`
    const unread = served((storage) => ({ ...storage, unprocessedMessages: () => Effect.succeed([]) }))
    yield* Effect.gen(function* () {
      yield* (yield* Shop.client).prompt("a", { prompt: "Do a: look" })
      expect(yield* refusals).toEqual([
        `The cluster could not forget a conversation: ${stored}`,
        `The cluster could not cancel: ${stored}`,
        `The cluster could not steer: ${stored}`
      ])
      // As the engine answers a minute after its start.
      const steering = yield* Effect.fork((yield* Shop.client).steer("a", "more", { id: "s" }))
      const messages = yield* MessageStorage
      const sql = yield* SqlClient
      const find = sql<{ readonly id: string }>`SELECT CAST(id AS TEXT) AS id FROM cluster_messages
        WHERE message_id = 'shop/a/steer/0:s'`
      const [row] = yield* Effect.repeat(Effect.delay(find, "1 millis"), { until: (rows) => rows.length > 0 })
      const defect = new Error("Entity type 'shop' not registered")
      const requestId = Snowflake.Snowflake(row?.id ?? "")
      yield* messages.saveReply(Reply.ReplyWithContext.fromDefect({ id: Snowflake.Snowflake(1n), requestId, defect }))
      expect(yield* Effect.flip(Fiber.join(steering))).toMatchObject({
        message: "The cluster could not steer: No runner serves the entity shop: give its layer to each"
      })
    }).pipe(Effect.provide(unread))
  })
)

it.scopedLive("a context that no schema describes is refused, and not stored", () =>
  Effect.gen(function* () {
    const given = { prompt: "Do a: look", context: { token: "not for the database" } }
    const error = yield* Effect.flip((yield* Shop.client).prompt("a", given as never))
    expect(error.message).toContain("`context` is kept by a schema: give `AgentEntity.make` of shop the one")
    expect(yield* (yield* SqlClient)`SELECT payload FROM cluster_messages`).toEqual([])
  }).pipe(Effect.provide(served((storage) => storage)))
)

it.scopedLive("a message that comes again after its run is over leaves a conversation deleted", () =>
  Effect.gen(function* () {
    const run = yield* (yield* Shop.client).prompt("a", { prompt: "Do a: look", promptId: "a" })
    const result = yield* run.result
    const messages = yield* MessageStorage
    const sql = yield* SqlClient
    const [row] = yield* sql<{ readonly id: string }>`SELECT CAST(id AS TEXT) AS id FROM cluster_messages`
    const request = Snowflake.Snowflake(row?.id ?? "")
    const reply = Effect.repeat(Effect.delay(messages.repliesForUnfiltered([request]), "1 millis"), {
      until: (replies) => replies.length > 0
    })
    yield* reply
    const store = yield* ConversationStore.ConversationStore
    yield* store.delete("a")
    yield* messages.clearReplies(request)
    yield* Effect.flatMap(Sharding.Sharding, ({ pollStorage }) => pollStorage)
    yield* reply
    expect((yield* store.list()).conversations).toEqual([])
    expect(yield* run.result).toEqual(result)
  }).pipe(Effect.provide(served((storage) => storage)))
)

it.scopedLive("a runner that stands still where it begins takes nothing from what others did meanwhile", () =>
  Effect.gen(function* () {
    const path = yield* temporaryPath
    const standingStill = Layer.effect(
      Runs.Runs,
      Effect.gen(function* () {
        const runs = yield* Runs.Runs
        const store = yield* ConversationStore.ConversationStore
        const begin: Runs.Service["begin"] = (key, options) =>
          Effect.gen(function* () {
            // Long enough to have made the conversation, if it does so before it knows that it may.
            yield* Effect.sleep("300 millis")
            const conversation = yield* store.openOrCreate("a")
            const last = (yield* conversation.entries).at(-1)?.id
            const parts = [{ _tag: "Text", text: "Done." }] as const
            const entry = yield* Conversation.entry({ _tag: "Assistant", parts, native: undefined }, { id: "theirs" })
            yield* conversation.append([entry], last)
            yield* runs.begin(key, { ...options, owner: "another" })
            const result = { _tag: "Cancelled", conversation: "a", id: "a" } as const
            yield* runs.finish(key, result, { request: options.request, value: {} })
            return yield* runs.begin(key, options)
          }).pipe(Effect.orDie)
        return { ...runs, begin }
      })
    )
    yield* Effect.gen(function* () {
      const run = yield* (yield* Shop.client).prompt("a", { prompt: "Do a: look", promptId: "a" })
      expect((yield* run.result)._tag).toBe("Cancelled")
      const store = yield* ConversationStore.ConversationStore
      // The runner is done with it.
      yield* Effect.sleep("300 millis")
      const entries = yield* Effect.flatMap(store.open("a"), (conversation) => conversation.entries)
      expect(entries.map(({ id }) => id)).toContain("theirs")
    }).pipe(Effect.provide(layerOf(path, { before: standingStill })))
  })
)

it.scopedLive("a reader hears of a turn that another process has recorded first, and the log of no error", () => {
  const logged: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => void logged.push(`${logLevel.label} ${String(message)}`))
  return Effect.gen(function* () {
    const path = yield* temporaryPath
    const asked = yield* Deferred.make<void>()
    const released = yield* Deferred.make<void>()
    const think = Effect.zipRight(Deferred.succeed(asked, undefined), Deferred.await(released))
    yield* Effect.gen(function* () {
      const run = yield* (yield* Shop.client).prompt("a", { prompt: "Do a: reserve", promptId: "a" })
      const reading = yield* Effect.fork(Stream.runCollect(run.events))
      yield* Deferred.await(asked)
      // Another process that believes it has the conversation.
      const turn = { model: "model", usage: Turn.unknownUsage, finish: "calls", isComplete: true } as const
      const call = ToolCall.make("call a/1/1", "reserve", { item: "a/1/1" })
      yield* Effect.gen(function* () {
        const conversation = yield* (yield* ConversationStore.ConversationStore).open("a")
        const parts = [
          { _tag: "Call", call, executedBy: "application", nativeName: "reserve", nativeId: undefined }
        ] as const
        const entry = yield* Conversation.entry({ _tag: "Assistant", parts, native: undefined }, { id: "theirs", turn })
        yield* conversation.append([entry], "a")
      }).pipe(Effect.provide(FileStore.layer({ path })))
      yield* Deferred.succeed(released, undefined)
      expect((yield* run.result)._tag).toBe("Finished")
      const events = [...(yield* Fiber.join(reading))]
      const conversation = yield* (yield* ConversationStore.ConversationStore).open("a")
      expect(findUntrue(events, yield* conversation.entries)).toEqual([])
      expect(events.some((event) => event._tag === "TurnFinished" && event.entry === "theirs")).toBe(true)
    }).pipe(Effect.provide(layerOf(path, { think })))
    expect(logged.filter((line) => /reserve|ERROR/.test(line))).toEqual([
      "INFO A call of reserve was not run: another process has gone on with its conversation"
    ])
  }).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
})
