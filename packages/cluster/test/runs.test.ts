import { Snowflake } from "@effect/cluster/Snowflake"
import { SqlClient } from "@effect/sql/SqlClient"
import { expect, it } from "@effect/vitest"
import { Cluster, Runs } from "@wield/cluster"
import { Effect, Fiber, Layer } from "effect"
import * as Postgres from "../../../test/postgres/Postgres.js"
import { temporaryPath } from "./file.js"

const key = { entity: "shop", conversation: "order 12", id: "request 1" }

const client = Layer.provideMerge(
  Layer.fresh(Cluster.layerClient()),
  Layer.provide(Postgres.client, Layer.fresh(Postgres.layer))
)

const begin = Effect.flatMap(Runs.Runs, (runs) =>
  runs.begin(key, { owner: "localhost:34431", request: Snowflake(1n), start: "" })
)
const stuck = Effect.flatMap(Runs.Runs, (runs) => runs.list({ state: "Stuck", patience: 0 }))

it.scopedLive("a run that a killed process had begun over a file is stuck until the next process begins it", () =>
  Effect.gen(function* () {
    const path = yield* temporaryPath
    const inProcess = Effect.provide(Layer.fresh(Cluster.layerFile({ path })))
    expect(yield* inProcess(Effect.zipRight(begin, stuck))).toEqual([])
    yield* inProcess(
      Effect.gen(function* () {
        expect(yield* stuck).toMatchObject([{ ...key, state: "Running", deliveries: 1 }])
        yield* begin
        expect(yield* stuck).toEqual([])
      })
    )
  })
)

it.scopedLive("a run that is to be tried again is stuck once that is late, and one that was retried as well", () =>
  Effect.gen(function* () {
    const runs = yield* Runs.Runs
    const sql = yield* SqlClient
    yield* begin
    yield* sql`INSERT INTO cluster_runners (address, runner, healthy, last_heartbeat)
      VALUES ('localhost:34431', '{}', TRUE, NOW())`
    yield* runs.retry(key)
    expect(yield* runs.list()).toMatchObject([{ state: "Running" }])
    const at = Date.now() + 60_000
    yield* sql`INSERT INTO cluster_messages (id, rowid, request_id, message_id, shard_id, entity_type, entity_id, kind, tag, payload, deliver_at)
      VALUES (1, 1, 1, 'one', 'default:1', 'shop', 'order 12', 0, 'prompt', '{"id":"request 1","attempt":1}', ${at})`
    yield* runs.again(key, { tag: "prompt", attempt: 1 })
    yield* Effect.sleep("5 millis")
    expect(yield* stuck).toEqual([])
    yield* sql`UPDATE cluster_messages SET deliver_at = ${at - 61_000}`
    expect(yield* stuck).toMatchObject([{ state: "Again" }])
    yield* begin
    expect(yield* stuck).toEqual([])
    yield* sql`UPDATE wield_runs SET state = 'Failed', result = '{}' WHERE id = 'request 1'`
    yield* sql`INSERT INTO cluster_replies (id, kind, request_id, payload, acked) VALUES (1, 0, 1, '{}', FALSE)`
    yield* runs.retry(key)
    expect(yield* runs.list({ state: "Stuck" })).toEqual([])
    yield* Effect.sleep("5 millis")
    expect(yield* stuck).toMatchObject([{ state: "Waiting" }])
  }).pipe(Effect.provide(client))
)

it.scopedLive(
  "a run is stuck whose runner has been silent for a minute, or for its takeover where that is longer",
  () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* begin
      const isStuckBy = (runner: object, silence: number) =>
        Effect.gen(function* () {
          yield* sql`DELETE FROM cluster_runners`
          yield* sql`INSERT INTO cluster_runners (address, runner, healthy, last_heartbeat) VALUES
          ('localhost:34431', ${JSON.stringify(runner)}, TRUE, NOW() - ${silence} * INTERVAL '1 second')`
          return (yield* stuck).length > 0
        })
      expect(yield* isStuckBy({}, 50)).toBe(false)
      expect(yield* isStuckBy({}, 70)).toBe(true)
      expect(yield* isStuckBy({ takeover: 10_000 }, 50)).toBe(false)
      expect(yield* isStuckBy({ takeover: 300_000 }, 290)).toBe(false)
      expect(yield* isStuckBy({ takeover: 300_000 }, 310)).toBe(true)
    }).pipe(Effect.provide(client))
)

it.scopedLive("who waits for a run whose name no database can hold keeps no one else from theirs", () =>
  Effect.gen(function* () {
    const inProcess = Effect.provide(Layer.fresh(Cluster.layerClient()))
    const finish = Effect.flatMap(Runs.Runs, (runs) =>
      runs.finish(
        key,
        { _tag: "Cancelled", conversation: key.conversation, id: key.id },
        { request: Snowflake(1n), value: {} }
      )
    )
    yield* inProcess(begin)
    yield* inProcess(
      Effect.gen(function* () {
        const runs = yield* Runs.Runs
        const waiting = yield* Effect.fork(runs.result(key))
        for (const part of ["entity", "conversation", "id"]) {
          const unnameable = { ...key, [part]: "a\0b" }
          expect(yield* Effect.flip(runs.result(unnameable))).toMatchObject({ _tag: "RunNotFound", ...unnameable })
        }
        yield* inProcess(finish)
        expect(yield* Fiber.join(waiting)).toMatchObject({ _tag: "Cancelled" })
      })
    )
  }).pipe(Effect.provide(Layer.provide(Postgres.client, Layer.fresh(Postgres.layer))))
)
