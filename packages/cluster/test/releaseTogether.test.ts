import { Runner } from "@effect/cluster/Runner"
import { RunnerAddress } from "@effect/cluster/RunnerAddress"
import { RunnerStorage } from "@effect/cluster/RunnerStorage"
import * as ShardId from "@effect/cluster/ShardId"
import * as ShardingConfig from "@effect/cluster/ShardingConfig"
import * as SqlRunnerStorage from "@effect/cluster/SqlRunnerStorage"
import { SqlClient } from "@effect/sql/SqlClient"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Postgres from "../../../test/postgres/Postgres.js"
import { recordSpans } from "../../core/test/recording/Spans.js"
import { releaseTogether } from "../src/entity/releaseTogether.js"

const storage = releaseTogether("30 seconds").pipe(
  Layer.provide(SqlRunnerStorage.layer),
  Layer.provide(ShardingConfig.layer({ shardLockDisableAdvisory: true })),
  Layer.provideMerge(Layer.provide(Postgres.client, Postgres.layer))
)

layer(storage, { excludeTestServices: true })("a runner that leaves", (it) => {
  it.effect("releases its own shards, all of a moment by one statement, and those that follow by another", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const storage = yield* RunnerStorage
      const [leaves, stays] = [1, 2].map((port) => RunnerAddress.make({ host: "localhost", port }))
      const shards = Array.from({ length: 150 }, (_, index) => ShardId.make("default", index + 1))
      for (const address of [leaves!, stays!]) {
        yield* storage.register(Runner.make({ address, groups: ["default"], weight: 1 }), true)
      }
      yield* storage.acquire(leaves!, shards.slice(0, 100))
      yield* storage.acquire(stays!, shards.slice(100))
      const release = (some: ReadonlyArray<ShardId.ShardId>) =>
        Effect.forEach(some, (shard) => storage.release(leaves!, shard), { concurrency: "unbounded", discard: true })
      const { spans } = yield* recordSpans(Effect.zipRight(release(shards.slice(1)), release(shards.slice(0, 1))))
      expect(spans.filter(({ name }) => name.startsWith("sql."))).toHaveLength(2)
      const left = yield* sql`SELECT address, count(*)::int AS count FROM cluster_locks GROUP BY address`
      expect(left).toEqual([{ address: "localhost:2", count: 50 }])
    })
  )
})
