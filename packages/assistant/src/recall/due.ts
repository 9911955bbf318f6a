/** Whose memories are to be consolidated. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as SqlOperation from "@wield/agent/SqlOperation"
import * as Effect from "effect/Effect"
import { sinceConsolidation } from "../memories/insert.js"
import type { UserId } from "../Owner.js"

export const dueUsers = (sql: SqlClient, every: number): Effect.Effect<ReadonlyArray<string>, SqlError> =>
  Effect.map(
    sql<{ readonly user_id: string }>`SELECT user_id FROM wield_assistant_counters
      WHERE name = ${sinceConsolidation} AND value >= ${every} ORDER BY user_id`,
    (rows) => rows.map(({ user_id }) => SqlOperation.fromStored(user_id))
  )

/**
 * Begins to count anew; false where there are not so many new ones any more. It
 * comes first, so that of two processes one asks the language model, and what is
 * new meanwhile counts for the next time. After a failure of the model, too, the
 * next few memories are another occasion.
 */
export const claimed = (sql: SqlClient, user: UserId, every: number): Effect.Effect<boolean, SqlError> =>
  Effect.map(
    sql`UPDATE wield_assistant_counters SET value = 0
      WHERE user_id = ${SqlOperation.toStored(user)} AND name = ${sinceConsolidation} AND value >= ${every}
      RETURNING value`,
    (rows) => rows.length > 0
  )

/** What was made of other memories is nothing new. */
export const uncounted = (sql: SqlClient, user: UserId, made: number): Effect.Effect<void, SqlError> =>
  sql`UPDATE wield_assistant_counters SET value = value - ${made}
    WHERE user_id = ${SqlOperation.toStored(user)} AND name = ${sinceConsolidation} AND value >= ${made}`
