/**
 * The tables of the assistant. Each room has its own; a migration that was
 * published is never changed, the next one is added after it.
 */
import * as Migrator from "@effect/sql/Migrator"
import * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { migration as context } from "../context/migration.js"
import { migration as documents } from "../documents/migration.js"
import { migration as goals } from "../goals/migration.js"
import { migration as memories } from "../memories/migration.js"
import { migration as search } from "../search/migration.js"
import { migration as user } from "../user/migration.js"
import type { StoreError } from "../StoreError.js"
import { stored } from "./stored.js"

/** By their numbers: `0001_search`, `0002_goals`, … */
const migrations: { readonly [name: string]: Effect.Effect<void, SqlError, SqlClient.SqlClient> } = {
  "0001_search": search,
  "0002_context": context,
  "0003_memories": memories,
  "0004_goals": goals,
  "0005_user": user,
  "0006_documents": documents
}

const run = Migrator.make({})({
  loader: Migrator.fromRecord(migrations),
  table: "wield_assistant_migrations"
})

/** A migration that fails is a defect to the migrator; it is an error here. */
const failed = (cause: unknown) => new SqlError({ cause, message: "Failed to migrate" })

const latest = Object.keys(migrations).length

/** Where nothing is missing, nothing needs to be locked, and no right to make tables. */
const isCurrent = (sql: SqlClient.SqlClient): Effect.Effect<boolean, SqlError> =>
  Effect.gen(function* () {
    const known = yield* sql.onDialectOrElse({
      pg: () => sql`SELECT 1 WHERE to_regclass('wield_assistant_migrations') IS NOT NULL`,
      orElse: () => sql`SELECT 1 FROM sqlite_master WHERE name = 'wield_assistant_migrations'`
    })
    if (known.length === 0) return false
    const made = yield* sql`SELECT 1 FROM wield_assistant_migrations WHERE migration_id = ${latest}`
    return made.length > 0
  })

/** Makes what tables are missing. Processes that start at once may all run it. */
export const migrate: Effect.Effect<void, StoreError, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const isKnown = sql.onDialectOrElse({ pg: () => true, sqlite: () => true, orElse: () => false })
  if (!isKnown) {
    return yield* failed(
      new Error("the dialect is neither SQLite nor Postgres, the only ones that there are tables for")
    )
  }
  if (yield* isCurrent(sql)) return
  yield* run.pipe(
    Effect.catchAllDefect((defect) => Effect.fail(failed(defect))),
    Effect.catchTag("MigrationError", (error) => Effect.fail(failed(error))),
    // Two that make the same table at once: one of them finds it made on its next attempt.
    Effect.retry({ times: 5 })
  )
}).pipe(stored("make its tables"))
