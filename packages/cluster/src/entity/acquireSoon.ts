/**
 * The engine asks for its shards once a second, also while a runner that leaves frees them one after the other. So an
 * attempt goes on for a moment while others have some. It looks before it takes, for who tries to take a lock that
 * another has makes that one wait.
 */
import { PersistenceError } from "@effect/cluster/ClusterError"
import type { RunnerAddress } from "@effect/cluster/RunnerAddress"
import type { ShardId } from "@effect/cluster/ShardId"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { overRunners } from "./overRunners.js"

const interval = "50 millis"

/** How often it looks again, before the engine does what else it has to. */
const most = 20

/** How often once it has taken some: conversations that end together are taken together. */
const mostAfterSome = 3

/** Over the storage whose locks are rows, which expire after `takeover`. */
export const acquireSoon = (takeover: Duration.DurationInput) =>
  overRunners((storage, sql) => {
    const seconds = Math.ceil(Duration.toSeconds(takeover))

    const findTaken = ({ host, port }: RunnerAddress) =>
      sql<{ readonly shard_id: string }>`SELECT shard_id FROM cluster_locks
          WHERE address <> ${`${host}:${port}`} AND acquired_at >= NOW() - ${seconds} * INTERVAL '1 second'`.pipe(
        Effect.map((rows) => new Set(rows.map(({ shard_id }) => shard_id))),
        PersistenceError.refail
      )

    return {
      acquire: (address, shards) =>
        Effect.gen(function* () {
          const missing = new Map([...shards].map((shard) => [shard.toString(), shard]))
          const acquired: Array<ShardId> = []
          for (let left = most; ; left--) {
            const taken = yield* findTaken(address)
            const free = [...missing].filter(([name]) => !taken.has(name)).map(([, shard]) => shard)
            if (free.length > 0) {
              for (const shard of yield* storage.acquire(address, free)) {
                missing.delete(shard.toString())
                acquired.push(shard)
              }
              left = Math.min(left, mostAfterSome)
            }
            if (missing.size === 0 || left === 0) return acquired
            yield* Effect.sleep(interval)
          }
        })
    }
  })
