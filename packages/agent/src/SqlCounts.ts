/**
 * The sums of quotas in SQLite or Postgres, for several processes. It is imported
 * by its path, `@wield/agent/SqlCounts`, and needs the optional peer `@effect/sql`.
 */
import { SqlClient } from "@effect/sql/SqlClient"
import * as Quota from "@wield/core/Quota"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { StoreError } from "./ConversationError.js"
import { asStoreError, storeErrors } from "./store/attempt.js"
import { migrate, toStored } from "./SqlOperation.js"

const counts = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { integer, real, text } = sql.onDialectOrElse({
    pg: () => ({
      text: sql.literal(`TEXT COLLATE "C"`),
      integer: sql.literal("BIGINT"),
      real: sql.literal("DOUBLE PRECISION")
    }),
    orElse: () => ({ text: sql.literal("TEXT"), integer: sql.literal("INTEGER"), real: sql.literal("REAL") })
  })
  yield* sql`CREATE TABLE wield_counts (
    key ${text} NOT NULL,
    duration ${integer} NOT NULL,
    start ${integer} NOT NULL,
    used ${real} NOT NULL,
    PRIMARY KEY (key, duration)
  )`
})

/**
 * Counts quotas in the database. Makes its table.
 *
 * @category layers
 */
export const layer: Layer.Layer<Quota.CurrentCounts, StoreError, SqlClient> = Layer.effect(
  Quota.CurrentCounts,
  Effect.gen(function* () {
    const sql = (yield* SqlClient).withoutTransforms()
    yield* asStoreError("migrate")(migrate({ "0001_counts": counts }, "wield_counts_migrations"))
    // One statement: of two processes that add at once, each sees what the other has added.
    const add: Quota.Counts["add"] = (key, window, amount, limit) =>
      amount > limit
        ? Effect.succeed(false)
        : Effect.gen(function* () {
            const start = Quota.startOf(window, yield* Clock.currentTimeMillis)
            const most = Math.min(limit, Number.MAX_VALUE)
            const rows = yield* sql`INSERT INTO wield_counts (key, duration, start, used)
              VALUES (${toStored(key)}, ${window}, ${start}, ${amount})
              ON CONFLICT (key, duration) DO UPDATE SET
                used = CASE WHEN wield_counts.start < excluded.start THEN excluded.used ELSE wield_counts.used + excluded.used END,
                start = CASE WHEN wield_counts.start < excluded.start THEN excluded.start ELSE wield_counts.start END
              WHERE wield_counts.start < excluded.start OR wield_counts.used + excluded.used <= ${most}
              RETURNING 1 AS added`
            return rows.length > 0
          }).pipe(storeErrors("count a quota"))
    return {
      add,
      sum: (key, window) =>
        Effect.gen(function* () {
          const start = Quota.startOf(window, yield* Clock.currentTimeMillis)
          const [row] = yield* sql<{
            readonly used: number
          }>`SELECT used FROM wield_counts WHERE key = ${toStored(key)} AND duration = ${window} AND start >= ${start}`
          return Number(row?.used ?? 0)
        }).pipe(storeErrors("read a quota"))
    }
  })
)
