import { Snowflake } from "@effect/cluster/Snowflake"
import { SqlClient } from "@effect/sql/SqlClient"
import { expect, it } from "@effect/vitest"
import { Cluster, Runs } from "@wield/cluster"
import { Effect, Fiber, Layer } from "effect"
import * as Postgres from "../../../test/postgres/Postgres.js"
import { temporaryPath } from "./file.js"

const key = { entity: "shop", conversation: "order 12", id: "request 1" }

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
    }).pipe(
      Effect.provide(
        Layer.provideMerge(
          Layer.fresh(Cluster.layerClient()),
          Layer.provide(Postgres.client, Layer.fresh(Postgres.layer))
        )
      )
    )
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
