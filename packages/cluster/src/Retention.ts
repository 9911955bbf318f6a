/**
 * Deletes what the cluster keeps of runs that are long over: messages, replies,
 * rows of `wield_runs`. Conversations and their journal stay; `Runs.forget`
 * deletes those.
 */
import { MachineId } from "@effect/cluster/MachineId"
import type { Sharding } from "@effect/cluster/Sharding"
import * as Singleton from "@effect/cluster/Singleton"
import * as Snowflake from "@effect/cluster/Snowflake"
import * as SqlClient from "@effect/sql/SqlClient"
import { aCountOrZero, aDuration, aDurationOrZero, type Checks, fields, orThrow } from "@wield/core/Options"
import { ofStore } from "@wield/core/Traces"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { ClusterError } from "./Runs.js"

/**
 * What is kept, and how it is deleted.
 *
 * @category models
 */
export interface Options {
  /**
   * How long what is over is kept. A prompt that is sent again later than that is no longer the same run; its entry is
   * found in the conversation.
   */
  readonly keep: Duration.DurationInput
  /** How many messages a statement deletes; 1,000 unless given. */
  readonly batch?: number | undefined
}

/**
 * Deletes everything that is over for longer than `keep`, in batches, and gives
 * the number of messages deleted. What is not processed is never deleted, nor
 * what a conversation waits for a person with, nor what a run was begun with that ended later.
 *
 * @category sweeping
 */
export const sweep = (options: Options): Effect.Effect<number, ClusterError, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    orThrow(checkOptions(options), "What `Retention.sweep` takes")
    const { batch = 1000, keep } = options
    const sql = (yield* SqlClient.SqlClient).withoutTransforms()
    const before = (yield* Clock.currentTimeMillis) - Duration.toMillis(keep)
    const oldest = Snowflake.make({ machineId: MachineId.make(0), sequence: 0, timestamp: Math.max(before, 0) })
    const yes = sql.onDialectOrElse({ pg: () => sql.literal("TRUE"), orElse: () => sql.literal("1") })

    const deleteSome = Effect.gen(function* () {
      const rows = yield* sql<{ readonly id: string }>`SELECT CAST(id AS TEXT) AS id FROM cluster_messages
        WHERE processed = ${yes} AND id < ${sql.literal(String(oldest))}
          AND (deliver_at IS NULL OR deliver_at < ${before})
          AND NOT EXISTS (SELECT 1 FROM wield_runs r WHERE r.request = cluster_messages.id AND r.changed >= ${before})
        ORDER BY cluster_messages.id LIMIT ${batch}`
      if (rows.length === 0) return 0
      // Ids are numbers of the database itself: no text from outside.
      const ids = sql.literal(rows.map(({ id }) => id).join(","))
      yield* sql`DELETE FROM cluster_replies WHERE request_id IN (${ids})`
      yield* sql`DELETE FROM cluster_messages WHERE id IN (${ids})`
      return rows.length
    }).pipe(sql.withTransaction)

    let count = 0
    while (true) {
      const deleted = yield* deleteSome
      count += deleted
      if (deleted === 0 || deleted < batch) break
    }
    yield* sql`DELETE FROM wield_runs WHERE result IS NOT NULL AND changed < ${before}
      AND NOT (state = 'Paused' AND NOT EXISTS (SELECT 1 FROM wield_runs later
        WHERE later.entity = wield_runs.entity AND later.conversation = wield_runs.conversation
          AND later.created > wield_runs.created))`
    return count
  }).pipe(
    ofStore,
    Effect.mapError((cause) => new ClusterError({ operation: "delete what is over", detail: cause.message, cause }))
  )

const checks = { keep: aDurationOrZero, batch: aCountOrZero } satisfies Checks<Options>

// Effect takes NaN for no time at all: everything that is over would be deleted.
const checkOptions = fields(checks, ["keep"])

/**
 * Sweeps again and again, in one process of the cluster at a time. Give it to
 * all runners.
 *
 * @category layers
 */
export const layer = (
  options: Options & {
    /** 1 hour unless given. */
    readonly every?: Duration.DurationInput | undefined
  }
): Layer.Layer<never, never, Sharding | SqlClient.SqlClient> => {
  orThrow(fields({ ...checks, every: aDuration }, ["keep"])(options), "What `Retention.layer` takes")
  const { batch, every = "1 hour", keep } = options
  return Singleton.make(
    "@wield/cluster/Retention",
    sweep({ batch, keep }).pipe(
      Effect.tap((count) => Effect.logDebug(`Deleted ${count} messages`)),
      Effect.catchAll((error) => Effect.logWarning(error)),
      Effect.zipRight(Effect.sleep(every)),
      Effect.forever
    )
  )
}
