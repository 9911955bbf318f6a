/** Deletes a memory for good, as part of the transaction that is open. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as SqlOperation from "@wield/agent/SqlOperation"
import * as Effect from "effect/Effect"
import type { UserId } from "../Owner.js"

/**
 * What it was before it was updated, and what it was made of, says the same:
 * that goes with it, unless a memory that is told was made of it too. A source
 * is known by its name.
 */
export const deleteWithPast = (sql: SqlClient, user: UserId, id: string): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const owner = SqlOperation.toStored(user)
    const seen = new Set<string>()
    for (let ids: ReadonlyArray<string> = [id]; ids.length > 0;) {
      const names = yield* sql<{ readonly name: string }>`SELECT DISTINCT name FROM wield_assistant_sources
        WHERE user_id = ${owner} AND type = 'Memory' AND memory_id IN ${sql.in(ids)}`
      yield* sql`DELETE FROM wield_assistant_sources WHERE user_id = ${owner} AND memory_id IN ${sql.in(ids)}`
      yield* sql`DELETE FROM wield_assistant_memories WHERE user_id = ${owner} AND id IN ${sql.in(ids)}`
      const next = names.map(({ name }) => name).filter((name) => !seen.has(name))
      for (const name of next) seen.add(name)
      if (next.length === 0) return
      const past = yield* sql<{ readonly id: string }>`SELECT m.id FROM wield_assistant_memories m
        WHERE m.user_id = ${owner} AND m.state <> 'active' AND m.name IN ${sql.in(next)} AND m.name NOT IN (
          SELECT s.name FROM wield_assistant_sources s JOIN wield_assistant_memories told ON told.id = s.memory_id
          WHERE s.user_id = ${owner} AND s.type = 'Memory' AND told.state = 'active')`
      ids = past.map((row) => row.id)
    }
  })
