/** Whose memories are to be consolidated. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as SqlOperation from "@wield/agent/SqlOperation"
import * as Effect from "effect/Effect"
import { sinceConsolidation } from "../memories/insert.js"
import type { UserId } from "../Owner.js"
import { reset } from "../store/counter.js"

export const dueUsers = (sql: SqlClient, every: number): Effect.Effect<ReadonlyArray<string>, SqlError> =>
  Effect.map(
    sql<{ readonly user_id: string }>`SELECT user_id FROM wield_assistant_counters
      WHERE name = ${sinceConsolidation} AND value >= ${every} ORDER BY user_id`,
    (rows) => rows.map(({ user_id }) => SqlOperation.fromStored(user_id))
  )

/** Also after a failure of the language model: the next few memories are another occasion. */
export const settled = (sql: SqlClient, user: UserId): Effect.Effect<void, SqlError> =>
  reset(sql, user, sinceConsolidation)
