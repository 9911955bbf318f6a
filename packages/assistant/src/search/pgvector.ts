/**
 * The distance between vectors by the extension `vector` (pgvector), which an administrator makes. It has a table of
 * its own with the same vectors; without it they are compared in this process.
 */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { toStored } from "@wield/agent/SqlOperation"
import * as Effect from "effect/Effect"
import type { Backend, EmbeddedItem } from "./Backend.js"
import { candidateOf, itemColumns, type ItemRow, filterItems } from "./searchRows.js"
import { fromBytes } from "./vector.js"

const literal = (vector: ArrayLike<number>): string => `[${Array.from(vector).join(",")}]`

const atOnce = 200

export const hasExtension = (sql: SqlClient): Effect.Effect<boolean, SqlError> =>
  Effect.map(sql`SELECT 1 FROM pg_extension WHERE extname = 'vector'`, (rows) => rows.length > 0)

export const prepare = (sql: SqlClient): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const made = yield* sql`SELECT 1 FROM pg_tables WHERE tablename = 'wield_assistant_nearness'`
    if (made.length === 0) {
      yield* sql`CREATE TABLE IF NOT EXISTS wield_assistant_nearness (
        item BIGINT NOT NULL PRIMARY KEY REFERENCES wield_assistant_items (item) ON DELETE CASCADE,
        hash TEXT NOT NULL,
        model TEXT NOT NULL,
        nearness VECTOR NOT NULL
      )`
    }
    while (true) {
      const missing = yield* sql<{
        readonly item: string
        readonly hash: string
        readonly model: string
        readonly vector: Uint8Array
      }>`SELECT v.item, v.hash, v.model, v.vector FROM wield_assistant_vectors v
        LEFT JOIN wield_assistant_nearness n ON n.item = v.item AND n.hash = v.hash AND n.model = v.model
        WHERE n.item IS NULL AND v.dimensions > 0 LIMIT ${atOnce}`
      if (missing.length === 0) return
      yield* write(
        sql,
        missing.map(({ hash, item, model, vector }) => ({ key: Number(item), hash, model, vector: fromBytes(vector) }))
      )
    }
  })

const write = (
  sql: SqlClient,
  vectors: ReadonlyArray<{
    readonly key: number
    readonly hash: string
    readonly model: string
    readonly vector: ArrayLike<number>
  }>
) =>
  sql`INSERT INTO wield_assistant_nearness (item, hash, model, nearness)
    SELECT made.column1, made.column2, made.column3, made.column4
    FROM (VALUES ${sql.join(
      ", ",
      false
    )(
      vectors.map(
        ({ hash, key, model, vector }) =>
          sql`(${key}::bigint, ${hash}::text, ${model}::text, ${literal(vector)}::vector)`
      )
    )}) made
    JOIN wield_assistant_vectors v ON v.item = made.column1 AND v.hash = made.column2 AND v.model = made.column3
    ON CONFLICT (item) DO UPDATE SET hash = excluded.hash, model = excluded.model, nearness = excluded.nearness`

/** As part of the transaction in which the vectors are kept. */
export const keepNearness = (
  sql: SqlClient,
  model: string,
  embedded: ReadonlyArray<EmbeddedItem>
): Effect.Effect<void, SqlError> => {
  // The extension has no vector of no dimensions.
  const vectors = embedded.filter(({ vector }) => vector.length > 0)
  return vectors.length === 0
    ? Effect.void
    : write(
        sql,
        vectors.map(({ hash, key, vector }) => ({ key, hash, model, vector }))
      )
}

export const byNearness =
  (sql: SqlClient): Backend["byMeaning"] =>
  (user, model, vector, wanted) =>
    Effect.map(
      sql<ItemRow & { readonly rank: number }>`
        SELECT ${itemColumns(sql)}, 1 - (n.nearness <=> ${literal(vector)}::vector) AS rank
        FROM wield_assistant_vectors v
        JOIN wield_assistant_nearness n ON n.item = v.item AND n.hash = v.hash AND n.model = v.model
        JOIN wield_assistant_items i ON i.item = v.item
        WHERE v.user_id = ${toStored(user)} AND v.model = ${model} AND v.dimensions = ${vector.length}
          AND ${filterItems(sql, user, wanted)}
        ORDER BY n.nearness <=> ${literal(vector)}::vector, i.item DESC LIMIT ${wanted.limit}`,
      // A vector of zeros is near to nothing; the extension has no number for it.
      (rows) => rows.map((row) => candidateOf({ ...row, rank: Number.isFinite(row.rank) ? row.rank : 0 }))
    )
