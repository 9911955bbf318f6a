/** Items as rows, and back. What every backend has in common stands here. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import * as SqlOperation from "@wield/agent/SqlOperation"
import * as Effect from "effect/Effect"
import type { UserId } from "../Owner.js"
import type { Item, ItemType } from "../SearchIndex.js"
import type { Backend, Candidate, Embedded, Hashed, Pending } from "./Backend.js"
import { fromBytes, toBytes } from "./vector.js"

export interface ItemRow {
  readonly item: number | string
  readonly type: ItemType
  readonly id: string
  readonly title: string
  readonly body: string
  readonly importance: number | string
  readonly changed: number | string
}

export const itemOf = (row: ItemRow): Item => ({
  type: row.type,
  id: row.id,
  title: SqlOperation.fromStored(row.title),
  text: SqlOperation.fromStored(row.body),
  importance: Number(row.importance),
  changed: Number(row.changed)
})

export const candidateOf = (row: ItemRow & { readonly rank: number | string }): Candidate => ({
  ...itemOf(row),
  key: Number(row.item),
  rank: Number(row.rank)
})

export const rowOf = (user: UserId, item: Item, hash: string) => ({
  user_id: SqlOperation.toStored(user),
  type: item.type,
  id: item.id,
  title: SqlOperation.toStored(item.title),
  body: SqlOperation.toStored(item.text),
  importance: item.importance,
  changed: item.changed,
  hash
})

/** What can be looked for in a text: no character that an index cannot hold. */
export const searchable = (text: string): string => text.replace(unspeakable, " ")

// A control character is what this is about.
// oxlint-disable-next-line no-control-regex
const unspeakable = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g

/** The condition that items are the user's, of the wanted types, and none of those that are not wanted. */
export const wantedOf = (
  sql: SqlClient,
  user: UserId,
  { types, without }: { readonly types: ReadonlyArray<ItemType>; readonly without: ReadonlyArray<string> }
): Fragment =>
  sql.and([
    sql`i.user_id = ${SqlOperation.toStored(user)}`,
    sql`i.type IN ${sql.in(types)}`,
    ...(without.length === 0 ? [] : [sql`i.id NOT IN ${sql.in(without)}`])
  ])

export const itemColumns = (sql: SqlClient): Fragment =>
  sql.literal("i.item, i.type, i.id, i.title, i.body, i.importance, i.changed")

/** Counts a change of a user's vectors, and waits for whoever is changing them. */
export const countChange = (sql: SqlClient, user: string) =>
  sql`INSERT INTO wield_assistant_versions ${sql.insert({ user_id: user, version: 1 })}
    ON CONFLICT (user_id) DO UPDATE SET version = wield_assistant_versions.version + 1`

/** What is the same in every database. */
export const common = (
  sql: SqlClient
): Pick<Backend, "pending" | "known" | "keep" | "count" | "all"> & {
  /** Gives the items with the keys that they have. `words` is what the column of this name is to hold. */
  readonly upsert: (
    user: UserId,
    items: ReadonlyArray<Hashed>,
    words?: (item: Item) => Fragment
  ) => Effect.Effect<ReadonlyArray<{ readonly item: Item; readonly key: number }>, SqlError>
} => ({
  upsert: (user, items, words) =>
    Effect.gen(function* () {
      const values = items.map(({ hash, item }) => {
        const row = rowOf(user, item, hash)
        return sql`(${row.user_id}, ${row.type}, ${row.id}, ${row.title}, ${row.body}, ${row.importance},
          ${row.changed}, ${row.hash}${words === undefined ? sql`` : sql`, ${words(item)}`})`
      })
      const rows = yield* sql<Pick<ItemRow, "item" | "type" | "id">>`INSERT INTO wield_assistant_items
        (user_id, type, id, title, body, importance, changed, hash${words === undefined ? sql`` : sql`, words`})
        VALUES ${sql.join(", ", false)(values)}
        ON CONFLICT (user_id, type, id) DO UPDATE SET title = excluded.title, body = excluded.body,
          importance = excluded.importance, changed = excluded.changed, hash = excluded.hash
          ${words === undefined ? sql`` : sql`, words = excluded.words`}
        RETURNING item, type, id`
      // A database may give them in any order.
      const keys = new Map(rows.map(({ id, item, type }) => [`${type} ${id}`, Number(item)]))
      return items.flatMap(({ item }) => {
        const key = keys.get(`${item.type} ${item.id}`)
        return key === undefined ? [] : [{ item, key }]
      })
    }),
  pending: (model, limit, user) =>
    Effect.map(
      sql<{
        readonly item: number | string
        readonly user_id: string
        readonly hash: string
        readonly title: string
        readonly body: string
      }>`
        SELECT i.item, i.user_id, i.hash, i.title, i.body FROM wield_assistant_items i
        LEFT JOIN wield_assistant_vectors v ON v.item = i.item AND v.model = ${model} AND v.hash = i.hash
        WHERE v.item IS NULL ${user === undefined ? sql`` : sql`AND i.user_id = ${SqlOperation.toStored(user)}`}
        ORDER BY i.item LIMIT ${limit}`,
      (rows) =>
        rows.map((row): Pending => ({
          key: Number(row.item),
          user: row.user_id,
          hash: row.hash,
          title: SqlOperation.fromStored(row.title),
          text: SqlOperation.fromStored(row.body)
        }))
    ),
  known: (model, hashes) =>
    hashes.length === 0
      ? Effect.succeed(new Map())
      : Effect.map(
          sql<{ readonly hash: string; readonly vector: Uint8Array }>`
            SELECT hash, vector FROM wield_assistant_vectors WHERE model = ${model} AND hash IN ${sql.in(hashes)}`,
          (rows) => new Map(rows.map(({ hash, vector }) => [hash, [...fromBytes(vector)]]))
        ),
  keep: (model, embedded) =>
    sql.withTransaction(
      Effect.gen(function* () {
        for (const user of new Set(embedded.map(({ user }) => user))) yield* countChange(sql, user)
        for (const one of embedded) yield* keepOne(sql, model, one)
      })
    ),
  count: (model) =>
    Effect.map(
      sql<{ readonly done: number | string; readonly total: number | string }>`SELECT
        (SELECT COUNT(*) FROM wield_assistant_items) AS total,
        (SELECT COUNT(*) FROM wield_assistant_items i JOIN wield_assistant_vectors v
          ON v.item = i.item AND v.model = ${model} AND v.hash = i.hash) AS done`,
      ([row]) => ({ done: Number(row?.done ?? 0), total: Number(row?.total ?? 0) })
    ),
  all: (user, type, model, limit) =>
    Effect.map(
      sql<ItemRow & { readonly vector: Uint8Array | null }>`
        SELECT ${itemColumns(sql)}, v.vector FROM wield_assistant_items i
        LEFT JOIN wield_assistant_vectors v ON v.item = i.item AND v.hash = i.hash AND v.model = ${model ?? ""}
        WHERE ${wantedOf(sql, user, { types: [type], without: [] })}
        ORDER BY i.changed DESC, i.item DESC LIMIT ${limit}`,
      (rows) =>
        rows.map((row) => ({ item: itemOf(row), vector: row.vector === null ? undefined : fromBytes(row.vector) }))
    )
})

const keepOne = (sql: SqlClient, model: string, { hash, key, user, vector }: Embedded) =>
  sql`INSERT INTO wield_assistant_vectors (item, user_id, model, dimensions, hash, vector)
    SELECT i.item, i.user_id, ${model}, ${vector.length}, i.hash, ${toBytes(vector)} FROM wield_assistant_items i
    WHERE i.item = ${key} AND i.user_id = ${user} AND i.hash = ${hash}
    ON CONFLICT (item) DO UPDATE SET model = excluded.model, dimensions = excluded.dimensions, hash = excluded.hash,
      vector = excluded.vector`
