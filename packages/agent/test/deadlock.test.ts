import { SqlClient } from "@effect/sql/SqlClient"
import { expect, layer } from "@effect/vitest"
import { Conversation, ConversationStore } from "@wield/agent"
import * as SqlConversationStore from "@wield/agent/SqlConversationStore"
import * as SqlJournal from "@wield/agent/SqlJournal"
import * as SqlOperation from "@wield/agent/SqlOperation"
import { Journal } from "@wield/core"
import { Deferred, Effect, Fiber, Layer } from "effect"
import * as Postgres from "../../../test/postgres/Postgres.js"
import { joinedWrites } from "../src/store/together.js"

const stores = Layer.provideMerge(Layer.merge(SqlConversationStore.layer, SqlJournal.layer), Postgres.client)

layer(Layer.provideMerge(stores, Postgres.layer), { excludeTestServices: true })("in Postgres", (it) => {
  it.effect("a turn with the begin of its call is written again where a deadlock took it back", () =>
    Effect.gen(function* () {
      const conversation = yield* (yield* ConversationStore.ConversationStore).create()
      const entry = yield* Conversation.entry(Conversation.user("Go on"))
      // An answer that was lost: what is appended again goes by a transaction.
      yield* conversation.append([entry], undefined)
      const writes = joinedWrites(conversation, yield* Journal.Journal)
      if (writes === undefined) return expect.unreachable()
      const key: Journal.Key = { run: conversation.id, call: "call_1", digest: "d1" }

      const hasCall = yield* Deferred.make<number>()
      const mayGoOn = yield* Deferred.make<void>()
      const other = Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* sql`SET LOCAL deadlock_timeout = '1h'`
        yield* sql`INSERT INTO wield_calls (run, call, digest, state, begins, changed)
          VALUES (${key.run}, ${key.call}, ${key.digest}, 'begun', 1, 0)`
        const [row] = yield* sql<{ readonly pid: number }>`SELECT pg_backend_pid() AS pid`
        yield* Deferred.succeed(hasCall, row?.pid ?? 0)
        yield* Deferred.await(mayGoOn)
        yield* sql`UPDATE wield_conversations SET size = size WHERE id = ${conversation.id}`
        return yield* Effect.fail("taken back")
      })
      const rival = yield* Effect.flatMap(SqlClient, (sql) => sql.withTransaction(other)).pipe(
        Effect.provide(Postgres.client),
        Effect.fork
      )
      const pid = yield* Deferred.await(hasCall)
      const sql = yield* SqlClient
      const isWaiting = Effect.map(
        Effect.orDie(sql`SELECT 1 FROM pg_locks WHERE pid = ${pid} AND NOT granted`),
        (rows) => rows.length > 0 || rival.unsafePoll() !== null
      )
      let tries = 0
      const begin = writes.beginOf(key, "pay")
      const write = Effect.suspend(() => {
        tries += 1
        return Deferred.succeed(mayGoOn, undefined)
      }).pipe(Effect.zipRight(Effect.repeat(isWaiting, { until: (waits) => waits })), Effect.zipRight(begin.write))
      const known = yield* writes.append([entry], undefined, { ...begin, write })
      expect([known._tag, tries]).toEqual(["Fresh", 2])
      expect(yield* Effect.flip(Fiber.join(rival))).toBe("taken back")
      expect(yield* sql`SELECT begins FROM wield_calls`).toEqual([{ begins: "1" }])
      yield* begin.undo
    })
  )

  it.effect("what a transaction does is not tried again within it, and the transaction is", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      let tries = 0
      const step = SqlOperation.attempt(
        Effect.suspend(() => {
          tries += 1
          return sql`DO $$ BEGIN RAISE EXCEPTION 'in the way' USING ERRCODE = '40001'; END $$`
        })
      )
      const once = yield* Effect.flip(sql.withTransaction(step))
      expect([SqlOperation.reason(once), tries]).toEqual(["in the way", 1])
      const twice = Effect.suspend(() => (tries < 3 ? Effect.asVoid(step) : Effect.void))
      yield* SqlOperation.attempt(sql.withTransaction(twice))
      expect(tries).toBe(3)
    })
  )
})
