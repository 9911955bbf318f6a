/** Items as rows, and back. What every backend has in common stands here. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import { fromStored, toStored } from "@wield/agent/SqlOperation"
import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type { UserId } from "../Owner.js"
import type { Item, ItemType } from "../SearchIndex.js"
import type { Backend, Candidate, EmbeddedItem, Filter, Pending } from "./Backend.js"
import { addSpaces } from "./terms.js"
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

const itemOf = (row: ItemRow): Item => ({
  type: row.type,
  id: row.id,
  title: fromStored(row.title),
  text: fromStored(row.body),
  importance: Number(row.importance),
  changed: Number(row.changed)
})

export const candidateOf = (row: ItemRow & { readonly rank: number | string }): Candidate => ({
  ...itemOf(row),
  key: Number(row.item),
  rank: Number(row.rank)
})

/** What can be looked for in a text: words with spaces between them, no character that an index cannot hold. */
export const searchable = (text: string): string => addSpaces(text.replace(unindexable, " "))

// A control character is what this is about.
// oxlint-disable-next-line no-control-regex
const unindexable = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g

/** The condition that items are the user's, of the wanted types, and none of those that are not wanted. */
export const filterItems = (
  sql: SqlClient,
  user: UserId,
  { types, without }: { readonly types: ReadonlyArray<ItemType>; readonly without: ReadonlyArray<string> }
): Fragment =>
  sql.and([
    sql`i.user_id = ${toStored(user)}`,
    sql`i.type IN ${sql.in(types)}`,
    ...(without.length === 0 ? [] : [sql`i.id NOT IN ${sql.in(without)}`])
  ])

export const itemColumns = (sql: SqlClient): Fragment =>
  sql.literal("i.item, i.type, i.id, i.title, i.body, i.importance, i.changed")

/** A number that was never there: a reader may hold vectors of a user who was forgotten, or of a change that was undone. */
const newVersion = Random.nextIntBetween(1, 2 ** 50)

/** Waits for others who change a user's vectors, and marks it. */
const markChange = (sql: SqlClient, user: string): Effect.Effect<unknown, SqlError> =>
  Effect.flatMap(
    newVersion,
    (version) => sql`INSERT INTO wield_assistant_versions ${sql.insert({ user_id: user, version })}
      ON CONFLICT (user_id) DO UPDATE SET version = excluded.version`
  )

interface WordIndex {
  /** What the column `words` is to hold, where there is one. */
  readonly column?: (item: Item) => Fragment
  readonly put: (
    user: UserId,
    items: ReadonlyArray<{ readonly item: Item; readonly key: number }>
  ) => Effect.Effect<unknown, SqlError>
  readonly remove: (keys: ReadonlyArray<number>) => Effect.Effect<unknown, SqlError>
  /** Counts the items of a user that have a word. */
  readonly having: (user: UserId, types: ReadonlyArray<ItemType>, word: string) => Fragment
}

/** What is the same in every database; `candidates` are items with how near they are, the nearest first. */
export const commonBackend = (
  sql: SqlClient,
  { column, having, put, remove }: WordIndex
): Omit<Backend, "byWords" | "byMeaning"> & {
  readonly candidates: (
    user: UserId,
    nearness: ReadonlyMap<number, number>,
    wanted: Filter
  ) => Effect.Effect<ReadonlyArray<Candidate>, SqlError>
} => ({
  put: (user, items) =>
    Effect.gen(function* () {
      yield* markChange(sql, toStored(user))
      const values = items.map(({ hash, item }) => {
        const { changed, id, importance, text, title, type } = item
        return sql`(${toStored(user)}, ${type}, ${id}, ${toStored(title)}, ${toStored(text)}, ${importance},
          ${changed}, ${hash}${column === undefined ? sql`` : sql`, ${column(item)}`})`
      })
      const rows = yield* sql<Pick<ItemRow, "item" | "type" | "id">>`INSERT INTO wield_assistant_items
        (user_id, type, id, title, body, importance, changed, hash${column === undefined ? sql`` : sql`, words`})
        VALUES ${sql.join(", ", false)(values)}
        ON CONFLICT (user_id, type, id) DO UPDATE SET title = excluded.title, body = excluded.body,
          importance = excluded.importance, changed = excluded.changed, hash = excluded.hash,
          embedded = CASE WHEN wield_assistant_items.hash = excluded.hash THEN wield_assistant_items.embedded END
          ${column === undefined ? sql`` : sql`, words = excluded.words`}
        RETURNING item, type, id`
      // The vector of another text does not count.
      yield* sql`DELETE FROM wield_assistant_vectors WHERE item IN (
        SELECT item FROM wield_assistant_items
        WHERE item IN ${sql.in(rows.map(({ item }) => item))} AND embedded IS NULL)`
      // A database may give them in any order.
      const keys = new Map(rows.map(({ id, item, type }) => [`${type} ${id}`, Number(item)]))
      const keyed = items.flatMap(({ item }) => {
        const key = keys.get(`${item.type} ${item.id}`)
        return key === undefined ? [] : [{ item, key }]
      })
      yield* put(user, keyed)
    }),
  remove: (user, type, ids) =>
    Effect.gen(function* () {
      if (ids.length === 0) return
      const gone = yield* sql<{ readonly item: number | string }>`DELETE FROM wield_assistant_items
        WHERE user_id = ${toStored(user)} AND type = ${type} AND id IN ${sql.in(ids)} RETURNING item`
      if (gone.length === 0) return
      yield* markChange(sql, toStored(user))
      yield* remove(gone.map(({ item }) => Number(item)))
    }),
  frequencies: (user, words, types) =>
    words.length === 0
      ? Effect.succeed({ total: 0, having: [] })
      : Effect.map(
          // `position` comes first: the order of what a union gives is not promised.
          sql<{ readonly position: number; readonly amount: number | string }>`SELECT 0 AS position, (
              SELECT COUNT(*) FROM wield_assistant_items i WHERE ${filterItems(sql, user, { types, without: [] })}
            ) AS amount
            ${sql.join(
              " ",
              false
            )(words.map((word, index) => sql`UNION ALL SELECT ${index + 1}, (${having(user, types, word)})`))}
            ORDER BY position`,
          (rows) => {
            const [total = 0, ...amounts] = rows.map(({ amount }) => Number(amount))
            return { total, having: amounts }
          }
        ),
  candidates: (user, nearness, wanted) =>
    nearness.size === 0
      ? Effect.succeed([])
      : Effect.map(
          sql<ItemRow>`SELECT ${itemColumns(sql)} FROM wield_assistant_items i
            WHERE ${filterItems(sql, user, wanted)} AND i.item IN ${sql.in([...nearness.keys()])}`,
          (rows) =>
            rows
              .map((row) => candidateOf({ ...row, rank: nearness.get(Number(row.item)) ?? 0 }))
              .sort((left, right) => right.rank - left.rank || right.key - left.key)
              .slice(0, wanted.limit)
        ),
  ...vectorsOf(sql),
  count: (model) =>
    Effect.map(
      sql<{ readonly done: number | string; readonly total: number | string }>`SELECT
        (SELECT COUNT(*) FROM wield_assistant_items) AS total,
        (SELECT COUNT(*) FROM wield_assistant_items WHERE embedded = ${model}) AS done`,
      ([row]) => ({ done: Number(row?.done ?? 0), total: Number(row?.total ?? 0) })
    ),
  all: (user, type, model, limit) =>
    Effect.map(
      sql<ItemRow & { readonly vector: Uint8Array | null }>`
        SELECT ${itemColumns(sql)}, v.vector FROM wield_assistant_items i
        LEFT JOIN wield_assistant_vectors v ON v.item = i.item AND v.model = ${model ?? ""}
        WHERE ${filterItems(sql, user, { types: [type], without: [] })}
        ORDER BY i.changed DESC, i.item DESC LIMIT ${limit}`,
      (rows) =>
        rows.map((row) => ({ item: itemOf(row), vector: row.vector === null ? undefined : fromBytes(row.vector) }))
    )
})

/** Which items wait for a vector, and which have one. */
const vectorsOf = (sql: SqlClient): Pick<Backend, "pending" | "known" | "keep" | "discardOthers"> => ({
  pending: (model, limit, user) =>
    Effect.map(
      sql<{
        readonly item: number | string
        readonly user_id: string
        readonly hash: string
        readonly title: string
        readonly body: string
      }>`
        SELECT i.item, i.user_id, i.hash, i.title, i.body FROM wield_assistant_items i WHERE i.item IN (
          ${sql.join(
            " UNION ALL ",
            false
          )(
            // What has another model's vector is on both sides of this one's in the index.
            [sql`IS NULL`, sql`< ${model}`, sql`> ${model}`].map(
              (isOther) =>
                sql`SELECT item FROM (SELECT item FROM wield_assistant_items WHERE embedded ${isOther}
                  ${user === undefined ? sql`` : sql`AND user_id = ${toStored(user)}`} LIMIT ${limit}) part`
            )
          )}
        ) LIMIT ${limit}`,
      (rows) =>
        rows.map((row): Pending => ({
          key: Number(row.item),
          user: row.user_id,
          hash: row.hash,
          title: fromStored(row.title),
          text: fromStored(row.body)
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
        // In one order, so that no two processes wait for each other. Who has no row was forgotten meanwhile, and gets none.
        for (const user of [...new Set(embedded.map(({ user }) => user))].sort()) {
          const version = yield* newVersion
          yield* sql`UPDATE wield_assistant_versions SET version = ${version} WHERE user_id = ${user}`
        }
        yield* keepVectors(sql, model, embedded)
        yield* sql`UPDATE wield_assistant_items SET embedded = ${model}
          WHERE item IN ${sql.in(embedded.map(({ key }) => key))} AND EXISTS (
            SELECT 1 FROM wield_assistant_vectors v
            WHERE v.item = wield_assistant_items.item AND v.model = ${model} AND v.hash = wield_assistant_items.hash
          )`
      })
    ),
  discardOthers: (model, dimensions) =>
    sql.withTransaction(
      Effect.gen(function* () {
        // Those of no dimensions are of texts that the model has refused.
        const gone = yield* sql<{ readonly item: number | string }>`DELETE FROM wield_assistant_vectors
          WHERE model = ${model} AND dimensions NOT IN (0, ${dimensions}) RETURNING item`
        yield* Effect.forEach(
          Array.chunksOf(gone, itemsAtOnce),
          (items) =>
            sql`UPDATE wield_assistant_items SET embedded = NULL WHERE item IN ${sql.in(items.map(({ item }) => item))}`,
          { discard: true }
        )
        return gone.length > 0
      })
    )
})

const itemsAtOnce = 500

const keepVectors = (sql: SqlClient, model: string, embedded: ReadonlyArray<EmbeddedItem>) => {
  const rows = embedded.map(({ hash, key, vector }) =>
    sql.onDialectOrElse({
      pg: () => sql`(${key}::bigint, ${hash}::text, ${vector.length}::bigint, ${toBytes(vector)}::bytea)`,
      orElse: () => sql`(${key}, ${hash}, ${vector.length}, ${toBytes(vector)})`
    })
  )
  return sql`INSERT INTO wield_assistant_vectors (item, user_id, type, model, dimensions, hash, vector)
    SELECT i.item, i.user_id, i.type, ${model}, made.column3, i.hash, made.column4
    FROM (VALUES ${sql.join(", ", false)(rows)}) made
    JOIN wield_assistant_items i ON i.item = made.column1 AND i.hash = made.column2 WHERE true
    ON CONFLICT (item) DO UPDATE SET model = excluded.model, dimensions = excluded.dimensions, hash = excluded.hash,
      vector = excluded.vector`
}
