import { Runner } from "@effect/cluster/Runner"
import { RunnerAddress } from "@effect/cluster/RunnerAddress"
import { RunnerStorage } from "@effect/cluster/RunnerStorage"
import * as ShardId from "@effect/cluster/ShardId"
import * as ShardingConfig from "@effect/cluster/ShardingConfig"
import * as SqlRunnerStorage from "@effect/cluster/SqlRunnerStorage"
import { SqlClient } from "@effect/sql/SqlClient"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as Postgres from "../../../test/postgres/Postgres.js"
import { acquireSoon } from "../src/entity/acquireSoon.js"

const storage = SqlRunnerStorage.layer.pipe(
  Layer.provide(ShardingConfig.layer({ shardLockDisableAdvisory: true, shardLockExpiration: "30 seconds" })),
  Layer.provideMerge(Layer.provide(Postgres.client, Postgres.layer))
)

const [leaves, next] = [1, 2].map((port) => RunnerAddress.make({ host: "localhost", port })) as [
  RunnerAddress,
  RunnerAddress
]
const shards = Array.from({ length: 30 }, (_, index) => ShardId.make("default", index + 1))

/** One runner has 20 of 30 shards, and another asks for all; `afterFirst` runs once it has taken its first ones. */
const acquireAll = (afterFirst: Effect.Effect<unknown, unknown, RunnerStorage | SqlClient>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const storage = yield* RunnerStorage
    yield* sql`DELETE FROM cluster_locks`
    for (const address of [leaves, next]) {
      yield* storage.register(Runner.make({ address, groups: ["default"], weight: 1 }), true)
    }
    yield* storage.acquire(leaves, shards.slice(0, 20))
    let isFirst = true
    const planted: RunnerStorage["Type"] = {
      ...storage,
      acquire: (address, some) =>
        Effect.tap(storage.acquire(address, some), () => {
          if (!isFirst) return Effect.void
          isFirst = false
          const services = Context.make(RunnerStorage, storage).pipe(Context.add(SqlClient, sql))
          return Effect.orDie(Effect.provide(afterFirst, services))
        })
    }
    const soon = Layer.provide(acquireSoon("30 seconds"), Layer.succeed(RunnerStorage, planted))
    return yield* Effect.flatMap(RunnerStorage, ({ acquire }) => acquire(next, shards)).pipe(Effect.provide(soon))
  })

layer(storage, { excludeTestServices: true })("a runner that asks for its shards", (it) => {
  it.effect("gets those that another frees a moment later", () =>
    Effect.gen(function* () {
      const acquired = yield* acquireAll(Effect.flatMap(RunnerStorage, ({ releaseAll }) => releaseAll(leaves)))
      expect(acquired).toHaveLength(30)
    })
  )

  it.effect("gets those of one that is silent", () =>
    Effect.gen(function* () {
      const silence = Effect.flatMap(
        SqlClient,
        (sql) => sql`UPDATE cluster_locks SET acquired_at = NOW() - INTERVAL '31 seconds' WHERE address = 'localhost:1'`
      )
      expect(yield* acquireAll(silence)).toHaveLength(30)
    })
  )

  it.effect("leaves alone those that another keeps", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      expect(yield* acquireAll(Effect.void)).toHaveLength(10)
      const locked = yield* sql`SELECT shard_id FROM cluster_locks WHERE address = 'localhost:1' AND xmax <> 0`
      expect(locked).toEqual([])
    })
  )
})
