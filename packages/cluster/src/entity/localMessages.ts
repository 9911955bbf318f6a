/**
 * The engine reads each message back from the database, and marks it there, also where the process that sends it has the
 * conversation. Here such a message is stored as read, and goes on from memory. And a reply is one statement, where the
 * engine takes the four round trips of a transaction, or a part of the statement that ends the run.
 */
import { PersistenceError } from "@effect/cluster/ClusterError"
import * as DeliverAt from "@effect/cluster/DeliverAt"
import * as Envelope from "@effect/cluster/Envelope"
import * as Message from "@effect/cluster/Message"
import * as MessageStorage from "@effect/cluster/MessageStorage"
import * as Reply from "@effect/cluster/Reply"
import type { ShardId } from "@effect/cluster/ShardId"
import { Sharding } from "@effect/cluster/Sharding"
import type * as Snowflake from "@effect/cluster/Snowflake"
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type * as Statement from "@effect/sql/Statement"
import type * as Rpc from "@effect/rpc/Rpc"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"

type Storage = MessageStorage.MessageStorage["Type"]

/** How long a message may wait in memory. Then it is left to the process that has its shard. */
const longest = "200 millis"

/** How often the database is read while messages come from memory: those of other processes wait in it. */
const pause = "100 millis"

/** Open from when messages came from memory until the database is read. */
class DatabaseDue extends Context.Tag("@wield/cluster/DatabaseDue")<DatabaseDue, Effect.Latch>() {}

/** A reply that is stored before the engine stores it. */
export interface EarlyReply {
  readonly request: Snowflake.Snowflake
  readonly id: Snowflake.Snowflake
  /** What the handler then answers with: this very object. */
  readonly value: object
}

/** Runs a statement and, where it gives a row, stores a reply by the same statement. */
export class ReplyWith extends Context.Tag("@wield/cluster/ReplyWith")<
  ReplyWith,
  <A extends object>(reply: EarlyReply, statement: Statement.Statement<A>) => Effect.Effect<ReadonlyArray<A>, SqlError>
>() {}

/** Over the storage in a Postgres. */
export const localMessages: Layer.Layer<
  MessageStorage.MessageStorage | DatabaseDue | ReplyWith,
  never,
  MessageStorage.MessageStorage | SqlClient
> = Layer.effectContext(
  Effect.gen(function* () {
    const storage = yield* MessageStorage.MessageStorage
    const sql = (yield* SqlClient).withoutTransforms()
    const databaseDue = Effect.unsafeMakeLatch()

    /** Shards of this process all of whose messages so far were read. A later one may pass by the database. */
    let upToDate = new Set<string>()
    /** Shards whose messages were stored for a read that is still to come. */
    const stored = new Set<string>()
    /** Messages that are stored as read, in the order they were stored. */
    const waiting = new Set<Message.IncomingRequest<Rpc.Any>>()

    /** What the replies say that are stored already. */
    const early = new WeakSet<object>()

    const replyWith = <A extends object>(reply: EarlyReply, statement: Statement.Statement<A>) =>
      sql<A>`WITH done AS (${statement}),
        ${replyOf(sql, String(reply.id), String(reply.request), { _tag: "Success", value: reply.value })}
        SELECT * FROM done`.pipe(Effect.tap((rows) => Effect.sync(() => rows.length > 0 && early.add(reply.value))))

    const saveReply: Storage["saveReply"] = (given) => {
      if (given.reply._tag === "Chunk") return storage.saveReply(given)
      const { exit } = given.reply
      if (Exit.isSuccess(exit) && typeof exit.value === "object" && early.has(exit.value)) return Effect.void
      return Effect.flatMap(Reply.serialize(given), (reply) =>
        sql`WITH done AS (SELECT 1),
          ${replyOf(sql, reply.id, reply.requestId, reply._tag === "WithExit" ? reply.exit : undefined)} SELECT 1`.pipe(
          Effect.asVoid,
          PersistenceError.refail,
          Effect.withTracerEnabled(false)
        )
      )
    }

    const saveForRead: Storage["saveRequest"] = (message) => {
      const shard = message.envelope.address.shardId.toString()
      const note = Effect.sync(() => {
        upToDate.delete(shard)
        stored.add(shard)
      })
      // A read that has begun before it is stored may not see it.
      return Effect.zipRight(note, Effect.zipLeft(storage.saveRequest(message), note))
    }

    /** The process that has the shard reads it. */
    const giveUp = (message: Message.IncomingRequest<Rpc.Any>) =>
      Effect.suspend(() => {
        if (!waiting.delete(message)) return Effect.void
        upToDate.delete(message.envelope.address.shardId.toString())
        return Effect.retry(storage.resetAddress(message.envelope.address), { times: 3 })
      }).pipe(Effect.ignore)

    const saveRequest: Storage["saveRequest"] = (message) => {
      const { address, requestId } = message.envelope
      const shard = address.shardId.toString()
      const key = Envelope.primaryKey(message.envelope)
      const at = DeliverAt.toMillis(message.envelope.payload)
      if (!upToDate.has(shard) || key === null || key.length > 255) return saveForRead(message)
      return Effect.gen(function* () {
        if (at !== null && at > (yield* Effect.clock).unsafeCurrentTimeMillis()) return yield* saveForRead(message)
        const envelope = yield* Message.serializeRequest(message)
        const row = rowOf(message.envelope, envelope, String(requestId), key, at)
        const names = sql.literal(Object.keys(row).join(", "))
        const made = yield* sql`INSERT INTO cluster_messages (${names}, last_read)
          VALUES (${sql.join(", ", false)(Object.values(row).map((value) => sql`${value}`))}, NOW())
          ON CONFLICT (message_id) DO NOTHING RETURNING id`.pipe(
          PersistenceError.refail,
          Effect.withTracerEnabled(false)
        )
        if (made.length === 0) {
          // It was sent before, perhaps a moment ago by this same message, whose shard has gone meanwhile.
          const own = [...waiting].find((other) => other.envelope.requestId === requestId)
          if (own !== undefined) yield* giveUp(own)
          return yield* saveForRead(message)
        }
        const incoming = new Message.IncomingRequest<Rpc.Any>({
          envelope,
          // The engine has two types for the same reply.
          lastSentReply: message.lastReceivedReply as never,
          respond
        })
        waiting.add(incoming)
        yield* Effect.forkDaemon(Effect.delay(giveUp(incoming), longest))
        return MessageStorage.SaveResult.Success()
      })
    }

    /** When the database was read. */
    let readAt = Number.NEGATIVE_INFINITY

    /** The shards that this process has, as last read, and their names: hundreds, and seldom others. */
    let had: ReadonlyArray<ShardId> = []
    let here: ReadonlySet<string> = new Set()

    const read: Storage["unprocessedMessages"] = (shardIds) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const shards = [...shardIds]
        if (shards.length !== had.length || shards.some((shard, index) => shard !== had[index])) {
          had = shards
          here = new Set(shards.map(String))
          for (const shard of upToDate) if (!here.has(shard)) upToDate.delete(shard)
        }
        const takeLocal = (): Array<Message.Incoming<Rpc.Any>> => {
          const local = [...waiting].filter(({ envelope }) => here.has(envelope.address.shardId.toString()))
          for (const message of local) waiting.delete(message)
          return local
        }
        // The system's clock may be set back.
        const local = Math.abs(now - readAt) < Duration.toMillis(pause) ? takeLocal() : []
        if (local.length > 0) {
          databaseDue.unsafeOpen()
          return Effect.succeed(local)
        }
        databaseDue.unsafeClose()
        stored.clear()
        readAt = now
        return Effect.map(storage.unprocessedMessages(shards), (messages) => {
          upToDate = new Set([...here].filter((shard) => !stored.has(shard)))
          return [...takeLocal(), ...messages.map(withRespond)]
        })
      })

    const withRespond = <R extends Rpc.Any>(message: Message.Incoming<R>): Message.Incoming<R> =>
      message._tag === "IncomingRequest" ? new Message.IncomingRequest<R>({ ...message, respond }) : message

    const outer: Storage = yield* MessageStorage.make({
      ...storage,
      saveReply,
      saveRequest,
      unprocessedMessages: read,
      unprocessedMessagesById: (ids) =>
        Effect.map(storage.unprocessedMessagesById(ids), (messages) => messages.map(withRespond))
    })
    const respond: Storage["saveReply"] = (reply) => outer.saveReply(reply)
    return Context.make(MessageStorage.MessageStorage, outer).pipe(
      Context.add(DatabaseDue, databaseDue),
      Context.add(ReplyWith, replyWith)
    )
  })
)

/** A reply for each row of `done`. The first reply to a message stands. */
const replyOf = (sql: SqlClient, id: string, requestId: string, exit: unknown) => sql`reply AS (
    INSERT INTO cluster_replies (id, kind, request_id, payload)
    SELECT CAST(${id} AS BIGINT), 0, CAST(${requestId} AS BIGINT), ${JSON.stringify(exit)} FROM done
    ON CONFLICT (request_id, kind) DO NOTHING RETURNING id
  ), replied AS (
    UPDATE cluster_messages SET processed = TRUE, last_reply_id = reply.id FROM reply
    WHERE cluster_messages.request_id = ${requestId}
  )`

/** A message as the engine's own storage writes it. */
const rowOf = (
  envelope: Pick<Envelope.Request<Rpc.Any>, "address" | "sampled" | "spanId" | "traceId"> & { readonly tag: string },
  { headers, payload }: { readonly headers: unknown; readonly payload: unknown },
  id: string,
  key: string,
  at: number | null
) => ({
  id,
  message_id: key,
  shard_id: envelope.address.shardId.toString(),
  entity_type: envelope.address.entityType,
  entity_id: envelope.address.entityId,
  kind: 0,
  tag: envelope.tag,
  payload: JSON.stringify(payload),
  headers: JSON.stringify(headers),
  trace_id: envelope.traceId ?? null,
  span_id: envelope.spanId ?? null,
  sampled: envelope.sampled ?? null,
  request_id: id,
  deliver_at: at
})

/** Has the database read after messages came from memory. */
export const pollAfterLocal: Layer.Layer<never, never, Sharding | DatabaseDue> = Layer.scopedDiscard(
  Effect.gen(function* () {
    const sharding = yield* Sharding
    const databaseDue = yield* DatabaseDue
    yield* databaseDue.await.pipe(
      Effect.zipRight(Effect.sleep(pause)),
      // The engine reads a moment later: left open, it would have the database read twice.
      Effect.zipRight(databaseDue.close),
      Effect.zipRight(sharding.pollStorage),
      Effect.forever,
      Effect.forkScoped
    )
  })
)
