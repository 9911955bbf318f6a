/**
 * The tables of the assistant. Each room has its own; a migration that was
 * published is never changed, the next one is added after it.
 */
import * as Migrator from "@effect/sql/Migrator"
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type * as Effect from "effect/Effect"

export type Migration = Effect.Effect<void, SqlError, SqlClient.SqlClient>

/** By their numbers: `0001_search`, `0002_goals`, … */
export const migrations: { readonly [name: string]: Migration } = {}

export const run = Migrator.make({})({
  loader: Migrator.fromRecord(migrations),
  table: "wield_assistant_migrations"
})
