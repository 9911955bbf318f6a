import { ClusterSchema, Entity, SingleRunner } from "@effect/cluster"
import { Rpc } from "@effect/rpc"
import { SafeIntegers, SqlClient } from "@effect/sql/SqlClient"
import { expect, it } from "@effect/vitest"
import * as FileStore from "@wield/agent/FileStore"
import { Effect, Layer, Schema } from "effect"
import { temporaryFile } from "./store/temporaryFile.js"

const file = Layer.unwrapScoped(
  Effect.map(temporaryFile, (path) => FileStore.layerClient({ path, synchronous: "normal" }))
)

const big = 9_007_199_254_740_993n

it.scopedLive("gives integers of 64 bits as they are where they are asked for, and numbers otherwise", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* sql`CREATE TABLE things (id INTEGER NOT NULL)`
    const asked = <A, E>(effect: Effect.Effect<A, E>) => Effect.provideService(effect, SafeIntegers, true)
    expect(yield* asked(sql`INSERT INTO things (id) VALUES (${big}) RETURNING id`)).toEqual([{ id: big }])
    expect(yield* asked(sql`SELECT id FROM things WHERE id = ${big}`)).toEqual([{ id: big }])
    expect(yield* asked(sql`SELECT id FROM things`.values)).toEqual([[big]])
    expect(yield* asked(sql.withTransaction(sql`SELECT id FROM things`))).toEqual([{ id: big }])
    expect(yield* sql`SELECT COUNT(*) AS count FROM things`).toEqual([{ count: 1 }])
  }).pipe(Effect.provide(file))
)

const Counter = Entity.make("Counter", [
  Rpc.make("add", {
    payload: { id: Schema.String, by: Schema.Number },
    success: Schema.Number,
    primaryKey: ({ id }) => id
  })
]).annotateRpcs(ClusterSchema.Persisted, true)

const counter = Counter.toLayer(
  Effect.gen(function* () {
    let count = 0
    return { add: ({ payload }) => Effect.sync(() => (count += payload.by)) }
  })
)

it.scopedLive("keeps the messages, replies and runners of a cluster", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const client = (yield* Counter.client)("one")
    expect(yield* client.add({ id: "first", by: 2 })).toBe(2)
    expect(yield* client.add({ id: "second", by: 3 })).toBe(5)
    expect(yield* client.add({ id: "first", by: 2 })).toBe(2)
    expect(yield* sql`SELECT processed, count(*) AS count FROM cluster_messages GROUP BY processed`).toEqual([
      { processed: 1, count: 2 }
    ])
    const rows = yield* sql`SELECT id FROM cluster_replies r
      WHERE NOT EXISTS (SELECT 1 FROM cluster_messages m WHERE m.id = r.request_id AND m.last_reply_id = r.id)`
    expect(rows).toEqual([])
  }).pipe(Effect.provide(Layer.provideMerge(counter, Layer.provideMerge(SingleRunner.layer(), file))))
)
