import * as EntityAddress from "@effect/cluster/EntityAddress"
import * as EntityId from "@effect/cluster/EntityId"
import { EntityType } from "@effect/cluster/EntityType"
import * as Envelope from "@effect/cluster/Envelope"
import * as Message from "@effect/cluster/Message"
import { MessageStorage } from "@effect/cluster/MessageStorage"
import * as Reply from "@effect/cluster/Reply"
import * as ShardId from "@effect/cluster/ShardId"
import * as ShardingConfig from "@effect/cluster/ShardingConfig"
import * as Snowflake from "@effect/cluster/Snowflake"
import * as SqlMessageStorage from "@effect/cluster/SqlMessageStorage"
import * as Headers from "@effect/platform/Headers"
import { SqlClient } from "@effect/sql/SqlClient"
import { expect, layer } from "@effect/vitest"
import { Clock, Context, Effect, Exit, Layer, Option } from "effect"
import * as Postgres from "../../../test/postgres/Postgres.js"
import { localMessages, ReplyWith } from "../src/entity/localMessages.js"
import { refuseReuse } from "../src/entity/refuseReuse.js"
import { entityOf, Work } from "../src/entity/rpcs.js"

const engine = SqlMessageStorage.layer.pipe(
  Layer.provide(ShardingConfig.layer()),
  Layer.provideMerge(Layer.provide(Postgres.client, Postgres.layer)),
  Layer.provideMerge(Snowflake.layerGenerator)
)

const rpc = entityOf("shop").protocol.requests.get("prompt")!

const makeMessage = (id: string, shard: number, at = 0, message = id) =>
  Effect.map(Snowflake.Generator, (generator) => {
    const address = EntityAddress.make({
      shardId: ShardId.make("default", shard),
      entityType: EntityType.make("shop"),
      entityId: EntityId.make("a")
    })
    return new Message.OutgoingRequest({
      envelope: Envelope.makeRequest({
        requestId: generator.unsafeNext(),
        address,
        tag: rpc._tag as never,
        payload: new Work({ version: 1, id, attempt: 0, at, body: { id, message } }) as never,
        headers: Headers.empty
      }),
      lastReceivedReply: Option.none(),
      rpc,
      context: Context.empty() as never,
      respond: () => Effect.void
    })
  })

const clock = Clock.make()

/** A message that waits in memory is not given up, however slow the machine is. */
const still: Clock.Clock = Object.assign(Object.create(Object.getPrototypeOf(clock)), clock, {
  sleep: () => Effect.never
})

/** The storage of a process. Each test has a shard of its own. */
const makeProcess = Effect.gen(function* () {
  const [storage, replyWith] = yield* Effect.provide(Effect.all([MessageStorage, ReplyWith]), localMessages)
  const read = (shard: number) =>
    Effect.map(storage.unprocessedMessages([ShardId.make("default", shard)]), (messages) =>
      messages.flatMap((message) => (message._tag === "IncomingRequest" ? [message] : []))
    )
  const readIds = (shard: number) =>
    Effect.map(read(shard), (messages) => messages.map(({ envelope }) => (envelope.payload as Work).id))
  const send = (id: string, shard: number, at?: number) =>
    Effect.flatMap(makeMessage(id, shard, at), (message) => storage.saveRequest(message))
  return { storage, read, readIds, replyWith, send }
})

const rowOf = (id: string) =>
  Effect.map(
    Effect.flatMap(
      SqlClient,
      (sql) => sql<{ readonly isRead: boolean; readonly processed: boolean; readonly replies: number }>`
        SELECT last_read IS NOT NULL AS "isRead", processed,
          (SELECT count(*)::int FROM cluster_replies r WHERE r.request_id = m.id AND r.id = m.last_reply_id) AS replies
        FROM cluster_messages m WHERE message_id = ${`shop/a/prompt/0:${id}`}`
    ),
    ([row]) => row
  )

layer(engine, { excludeTestServices: true })("a message to a conversation of the process that sends it", (it) => {
  it.effect("comes from memory, stored as read, and its reply is stored", () =>
    Effect.gen(function* () {
      const { read, readIds, send } = yield* makeProcess
      expect(yield* readIds(1)).toEqual([])
      expect(yield* Effect.withClock(send("one", 1), still)).toMatchObject({ _tag: "Success" })
      expect(yield* rowOf("one")).toEqual({ isRead: true, processed: false, replies: 0 })
      const [message] = yield* read(1)
      expect(message?.envelope.payload).toMatchObject({ id: "one", body: { id: "one" } })
      expect(yield* readIds(1)).toEqual([])

      const { requestId } = message!.envelope
      const id = (yield* Snowflake.Generator).unsafeNext()
      const reply = new Reply.WithExit({ id, requestId, exit: Exit.succeed({ ending: "Finished" }) as never })
      yield* message!.respond(new Reply.ReplyWithContext({ reply, rpc, context: Context.empty() as never }))
      expect(yield* rowOf("one")).toEqual({ isRead: true, processed: true, replies: 1 })
      expect(yield* send("one", 1)).toMatchObject({
        _tag: "Duplicate",
        originalId: requestId,
        lastReceivedReply: Option.some({ exit: Exit.succeed({ ending: "Finished" }) })
      })
    })
  )

  it.effect("is refused where another was sent under its id, by this process or another", () =>
    Effect.gen(function* () {
      const { readIds, storage } = yield* Effect.provide(makeProcess, refuseReuse)
      const other = yield* makeProcess
      yield* readIds(9)
      yield* Effect.withClock(Effect.flatMap(makeMessage("own", 9), storage.saveRequest), still)
      yield* other.send("foreign", 9)
      for (const id of ["own", "foreign"]) {
        const send = (message?: string) => Effect.flatMap(makeMessage(id, 9, 0, message), storage.saveRequest)
        expect(yield* send()).toMatchObject({ _tag: "Duplicate" })
        const reused = { _tag: "IdReused", entity: "shop", conversation: "a", id, differs: "message" }
        expect(yield* Effect.exit(send("another"))).toMatchObject({ cause: { _tag: "Die", defect: reused } })
      }
    })
  )

  it.effect("has the reply that is stored with the end of its run, and no other", () =>
    Effect.gen(function* () {
      const { read, readIds, replyWith, send } = yield* makeProcess
      const sql = yield* SqlClient
      const generator = yield* Snowflake.Generator
      yield* readIds(8)
      yield* Effect.withClock(send("ended", 8), still)
      const [message] = yield* read(8)
      const { requestId: request } = message!.envelope
      const value = { ending: "Finished" }
      const end = (count: number) =>
        replyWith({ request, id: generator.unsafeNext(), value }, sql`SELECT 1 AS one LIMIT ${count}`)
      expect(yield* end(0)).toEqual([])
      expect(yield* rowOf("ended")).toMatchObject({ processed: false, replies: 0 })
      expect(yield* end(1)).toEqual([{ one: 1 }])
      expect(yield* rowOf("ended")).toMatchObject({ processed: true, replies: 1 })

      const reply = new Reply.WithExit({
        id: generator.unsafeNext(),
        requestId: request,
        exit: Exit.succeed(value) as never
      })
      yield* message!.respond(new Reply.ReplyWithContext({ reply, rpc, context: Context.empty() as never }))
      // Nor does a process take its place that has lost the conversation without knowing it.
      const late = { request, id: generator.unsafeNext(), value: { ending: "Cancelled" } }
      yield* (yield* makeProcess).replyWith(late, sql`SELECT 1 AS one`)
      expect(yield* rowOf("ended")).toMatchObject({ processed: true, replies: 1 })
      const rows = yield* sql`SELECT payload FROM cluster_replies WHERE request_id = ${String(request)}`
      expect(rows).toEqual([{ payload: JSON.stringify({ _tag: "Success", value }) }])
    })
  )

  it.effect("does not overtake one that stands in the database", () =>
    Effect.gen(function* () {
      const { readIds, send, storage } = yield* makeProcess
      yield* send("two", 2)
      yield* send("three", 2)
      expect(yield* readIds(2)).toEqual(["two", "three"])
      // Another process stores one, of which this one hears at its next read.
      yield* (yield* makeProcess).send("four", 2)
      yield* send("five", 2, Date.now() + 3_600_000)
      yield* send("six", 2)
      expect(yield* readIds(2)).toEqual(["four", "six"])
      expect(yield* storage.unprocessedMessages([])).toEqual([])
    })
  )

  it.effect("does not overtake one that is stored while the database is read", () =>
    Effect.gen(function* () {
      const engine = yield* MessageStorage
      let during: Effect.Effect<unknown, unknown, Snowflake.Generator | SqlClient> = Effect.void
      const generator = yield* Snowflake.Generator
      const sql = yield* SqlClient
      const slow = Layer.succeed(MessageStorage, {
        ...engine,
        unprocessedMessages: (shards) =>
          Effect.zipLeft(
            engine.unprocessedMessages(shards),
            during.pipe(
              Effect.provide(Context.make(Snowflake.Generator, generator).pipe(Context.add(SqlClient, sql))),
              Effect.orDie
            )
          )
      })
      const { readIds, send } = yield* Effect.provide(makeProcess, slow)
      during = send("seven", 3)
      expect(yield* readIds(3)).toEqual([])
      during = Effect.void
      yield* send("eight", 3)
      expect(yield* readIds(3)).toEqual(["seven", "eight"])
    })
  )

  it.effect("keeps none from being read that another process sends, however many there are", () =>
    Effect.gen(function* () {
      const { readIds, send } = yield* makeProcess
      const other = yield* makeProcess
      let now = yield* Clock.currentTimeMillis
      const clockThen: Clock.Clock = Object.assign(Object.create(Object.getPrototypeOf(still)), still, {
        currentTimeMillis: Effect.sync(() => now)
      })
      const readThen = Effect.withClock(readIds(7), clockThen)
      const sendThen = (id: string) => Effect.withClock(send(id, 7), clockThen)
      expect(yield* readThen).toEqual([])
      yield* sendThen("eleven")
      yield* other.send("twelve", 7)
      now += 50
      expect(yield* readThen).toEqual(["eleven"])
      yield* sendThen("thirteen")
      now += 50
      expect(yield* readThen).toEqual(["thirteen", "twelve"])
    })
  )

  it.effect("goes to the process that has its shard by then", () =>
    Effect.gen(function* () {
      const { readIds, send } = yield* makeProcess
      const next = yield* makeProcess
      expect(yield* readIds(4)).toEqual([])
      yield* send("nine", 4)
      // Its own process reads nothing of that shard any more.
      expect(yield* readIds(5)).toEqual([])
      yield* Effect.repeat(rowOf("nine"), { until: (row) => row?.isRead === false })
      expect(yield* next.readIds(4)).toEqual(["nine"])
      expect(yield* readIds(4)).toEqual([])
    })
  )

  it.effect("is left to the process that has its shard where it is sent again at once", () =>
    Effect.gen(function* () {
      const { readIds, storage } = yield* makeProcess
      const next = yield* makeProcess
      expect(yield* readIds(6)).toEqual([])
      const message = yield* makeMessage("ten", 6)
      expect(yield* storage.saveRequest(message)).toMatchObject({ _tag: "Success" })
      expect(yield* storage.saveRequest(message)).toMatchObject({ _tag: "Duplicate" })
      expect(yield* next.readIds(6)).toEqual(["ten"])
      expect(yield* readIds(6)).toEqual([])
    })
  )
})
