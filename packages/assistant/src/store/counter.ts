/** Counts of a user, as part of a transaction: whoever counts first has the others wait. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as SqlOperation from "@wield/agent/SqlOperation"
import * as Effect from "effect/Effect"
import type { UserId } from "../Owner.js"

export const counted = (sql: SqlClient, user: UserId, name: string, by = 1): Effect.Effect<number, SqlError> =>
  Effect.map(
    sql<{ readonly value: number | string }>`INSERT INTO wield_assistant_counters ${sql.insert({
      user_id: SqlOperation.toStored(user),
      name,
      value: by
    })} ON CONFLICT (user_id, name) DO UPDATE SET value = wield_assistant_counters.value + ${by} RETURNING value`,
    ([row]) => Number(row?.value)
  )

export const reset = (sql: SqlClient, user: UserId, name: string): Effect.Effect<void, SqlError> =>
  sql`DELETE FROM wield_assistant_counters WHERE user_id = ${SqlOperation.toStored(user)} AND name = ${name}`
