/**
 * The engine releases each shard by a statement of its own, all over one connection, and each has to come to its end in
 * time. Where the database is busy they fail again and again, and other runners wait for a runner that leaves. So shards
 * that are released at the same moment are released by one statement.
 */
import { PersistenceError } from "@effect/cluster/ClusterError"
import type { RunnerAddress } from "@effect/cluster/RunnerAddress"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import { overRunners } from "./overRunners.js"

interface Batch {
  readonly shards: Set<string>
  readonly over: Deferred.Deferred<void, PersistenceError>
}

/** Over the storage whose locks are rows. The engine tries again what is not released within the limit. */
export const releaseTogether = (limit: Duration.DurationInput) =>
  overRunners((storage, sql) => {
    let open: Batch | undefined

    const releaseAll = ({ host, port }: RunnerAddress, { over, shards }: Batch) =>
      sql`DELETE FROM cluster_locks WHERE address = ${`${host}:${port}`} AND ${sql.in("shard_id", [...shards])}`.pipe(
        Effect.asVoid,
        // A connection that hangs has no end, also where it is interrupted.
        Effect.disconnect,
        Effect.timeout(limit),
        PersistenceError.refail,
        Effect.intoDeferred(over)
      )

    return {
      release: (address, shard) =>
        Effect.gen(function* () {
          if (open === undefined) {
            const batch: Batch = { shards: new Set(), over: Deferred.unsafeMake(FiberId.none) }
            open = batch
            yield* Effect.sleep("5 millis").pipe(
              Effect.zipRight(Effect.sync(() => void (open = undefined))),
              Effect.zipRight(Effect.suspend(() => releaseAll(address, batch))),
              // For all that wait for it, not only for the first.
              Effect.forkDaemon
            )
          }
          open.shards.add(shard.toString())
          yield* Deferred.await(open.over)
        })
    }
  })
