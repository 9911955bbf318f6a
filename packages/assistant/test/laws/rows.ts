/** All that the database has of a user, table by table. */
import { SqlClient } from "@effect/sql/SqlClient"
import * as SqlOperation from "@wield/agent/SqlOperation"
import { type Owner, SearchIndex } from "@wield/assistant"
import { Effect } from "effect"

/** Tables without a column `user_id`: by which column they refer to which table's. */
const owners: { readonly [table: string]: readonly [column: string, owner: string, referred: string] } = {
  wield_assistant_goal_updates: ["goal_id", "wield_assistant_goals", "id"],
  wield_assistant_excerpts: ["document_id", "wield_assistant_documents", "id"],
  wield_assistant_nearness: ["item", "wield_assistant_items", "item"]
}

/** Tables of nobody: what was migrated, and the words that SQLite keeps for the items. */
const ofNobody = /^(wield_assistant_migrations|wield_assistant_words.*)$/

/** Every table of the assistant, also those that nobody has told this file of. */
export const tables = Effect.flatMap(SqlClient, (sql) =>
  Effect.map(
    sql.onDialectOrElse({
      pg: () =>
        sql<{ name: string }>`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
      orElse: () => sql<{ name: string }>`SELECT name FROM sqlite_master WHERE type = 'table'`
    }),
    (rows) =>
      rows
        .map(({ name }) => name)
        .filter((name) => name.startsWith("wield_assistant_") && !ofNobody.test(name))
        .sort()
  )
)

export type Rows = { readonly [table: string]: ReadonlyArray<unknown> }

/** A table that has neither a column `user_id` nor an owner above fails here. */
export const rowsOf = (user: Owner.UserId) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const owner = SqlOperation.toStored(user)
    const rows: Record<string, ReadonlyArray<unknown>> = {}
    for (const table of yield* tables) {
      const name = sql.literal(table)
      const [column, parent, referred] = owners[table] ?? []
      const read =
        column === undefined || parent === undefined || referred === undefined
          ? sql`SELECT * FROM ${name} WHERE user_id = ${owner}`
          : sql`SELECT * FROM ${name} WHERE ${sql.literal(column)} IN
            (SELECT ${sql.literal(referred)} FROM ${sql.literal(parent)} WHERE user_id = ${owner})`
      rows[table] = [...(yield* read)].sort((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1))
    }
    const rowsByTable: Rows = rows
    return rowsByTable
  })

/** What the search has of a user, by the words of SQLite too. */
export const foundOf = (user: Owner.UserId, text: string) =>
  Effect.flatMap(SearchIndex.SearchIndex, (index) =>
    Effect.map(index.search(user, { text, limit: 50 }), ({ hits }) => hits.map(({ id, title }) => ({ id, title })))
  )
