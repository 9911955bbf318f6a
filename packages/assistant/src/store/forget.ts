/** Deletes everything of a user, as part of the transaction that is open. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as SqlOperation from "@wield/agent/SqlOperation"
import * as Effect from "effect/Effect"
import type { UserId } from "../Owner.js"

/** With a goal, memory, document or item goes what refers to it, but for the words of SQLite, which are no table. */
const tables = [
  "wield_assistant_context",
  "wield_assistant_goals",
  "wield_assistant_memories",
  "wield_assistant_documents",
  "wield_assistant_items",
  "wield_assistant_versions",
  "wield_assistant_profiles",
  "wield_assistant_counters"
]

export const forgetRows = (sql: SqlClient, user: UserId): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const owner = SqlOperation.toStored(user)
    yield* sql.onDialectOrElse({
      pg: () => Effect.void,
      orElse: () => sql`DELETE FROM wield_assistant_words WHERE rowid IN
        (SELECT item FROM wield_assistant_items WHERE user_id = ${owner})`
    })
    for (const table of tables) yield* sql`DELETE FROM ${sql.literal(table)} WHERE user_id = ${owner}`
  })
