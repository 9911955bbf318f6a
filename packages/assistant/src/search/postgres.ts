/**
 * The search in Postgres: its text search for English, and the distance between
 * vectors by pgvector where the database has it, otherwise in this process, over
 * the vectors of the users who asked last.
 *
 * Postgres ranks a text by how often a word stands in it, and knows nothing of
 * how rare the word is: that is multiplied in here.
 */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import * as SqlOperation from "@wield/agent/SqlOperation"
import * as Cache from "effect/Cache"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Backend } from "./Backend.js"
import { byNearness, hasExtension, keepNearness, prepare } from "./pgvector.js"
import { candidateOf, common, countChange, countsOf, itemColumns, type ItemRow, searchable, wantedOf } from "./rows.js"
import { unmarked } from "./terms.js"
import { fromBytes, products, unit } from "./vector.js"

/**
 * Postgres refuses a text whose different words come to a megabyte, some of them taken apart and counted again. A
 * longer text is found by the words of its beginning. In code units.
 */
const mostOfText = 100_000
const mostOfTitle = 10_000

const worded = (text: string, most: number): string => unmarked(searchable(text.slice(0, most))).slice(0, most)

/** All vectors that a model has made for a user, each of length 1, one behind the other. */
interface Matrix {
  readonly keys: ReadonlyArray<number>
  readonly values: Float32Array
}

class User extends Data.Class<{
  readonly user: string
  readonly model: string
  readonly types: string
  readonly dimensions: number
  readonly version: number
}> {}

/** Of so many users the vectors are kept in memory: 100,000 vectors of 1,000 dimensions are 400 MB. */
const usersInMemory = 8

/** `isNearnessWanted`: whether anything will be searched by meaning. */
export const postgresBackend = (sql: SqlClient, isNearnessWanted: boolean): Effect.Effect<Backend> =>
  Effect.flatMap(inProcess(sql), (backend) =>
    isNearnessWanted
      ? Effect.map(isNearnessThere(sql), (isThere) => (isThere ? near(sql, backend) : backend))
      : Effect.succeed(backend)
  )

/** A role that may not make the table of the extension is no reason not to search. */
const isNearnessThere = (sql: SqlClient): Effect.Effect<boolean> =>
  hasExtension(sql).pipe(
    Effect.tap((isThere) => Effect.when(prepare(sql), () => isThere)),
    Effect.catchAll((error) =>
      Effect.as(
        Effect.logWarning("pgvector cannot be used; vectors are compared in this process", SqlOperation.reason(error)),
        false
      )
    )
  )

const near = (sql: SqlClient, backend: Backend): Backend => ({
  ...backend,
  keep: (model, embedded) =>
    sql.withTransaction(Effect.zipRight(backend.keep(model, embedded), keepNearness(sql, model, embedded))),
  byMeaning: byNearness(sql)
})

const inProcess = (sql: SqlClient): Effect.Effect<Backend> =>
  Effect.map(matrices(sql), (matrixOf) => {
    const { upsert, ...same } = common(sql)
    const query = (word: string): Fragment => sql`plainto_tsquery('english', ${word})`
    return {
      ...same,
      put: (user, items) =>
        Effect.zipRight(
          countChange(sql, SqlOperation.toStored(user)),
          upsert(
            user,
            items,
            ({ text, title }) =>
              sql`setweight(to_tsvector('english', ${worded(title, mostOfTitle)}), 'A') ||
                setweight(to_tsvector('english', ${worded(text, mostOfText)}), 'B')`
          )
        ),
      remove: (user, type, ids) =>
        Effect.gen(function* () {
          if (ids.length === 0) return
          const gone = yield* sql`DELETE FROM wield_assistant_items
            WHERE user_id = ${SqlOperation.toStored(user)} AND type = ${type} AND id IN ${sql.in(ids)} RETURNING item`
          if (gone.length > 0) yield* countChange(sql, SqlOperation.toStored(user))
        }),
      frequencies: (user, words, types) =>
        countsOf(
          sql,
          user,
          types,
          words,
          (word) => sql`SELECT COUNT(*) FROM wield_assistant_items i
          WHERE ${wantedOf(sql, user, { types, without: [] })} AND i.words @@ ${query(word)}`
        ),
      byWords: (user, words, wanted) => {
        if (words.length === 0) return Effect.succeed([])
        // 1: the length of a text counts by its logarithm.
        const ranked = sql.join(
          " + ",
          false
        )(words.map(({ rarity, word }) => sql`${rarity}::float8 * ts_rank(i.words, ${query(word)}, 1)`))
        return Effect.map(
          sql<ItemRow & { readonly rank: number }>`
            SELECT ${itemColumns(sql)}, (${ranked}) AS rank FROM wield_assistant_items i
            WHERE ${wantedOf(sql, user, wanted)}
              AND i.words @@ (${sql.join(" || ", false)(words.map(({ word }) => query(word)))})
            ORDER BY rank DESC, i.item DESC LIMIT ${wanted.limit}`,
          (rows) => rows.map(candidateOf)
        )
      },
      byMeaning: (user, model, vector, wanted) =>
        Effect.gen(function* () {
          const matrix = yield* matrixOf(SqlOperation.toStored(user), model, wanted.types, vector.length)
          const near = nearest(matrix, vector, wanted.limit + wanted.without.length)
          if (near.size === 0) return []
          const rows = yield* sql<ItemRow>`SELECT ${itemColumns(sql)} FROM wield_assistant_items i
            WHERE ${wantedOf(sql, user, wanted)} AND i.item IN ${sql.in([...near.keys()])}`
          return rows
            .map((row) => candidateOf({ ...row, rank: near.get(Number(row.item)) ?? 0 }))
            .sort((left, right) => right.rank - left.rank)
            .slice(0, wanted.limit)
        })
    }
  })

/** The vectors of a user, read again when they have changed. */
const matrices = (
  sql: SqlClient
): Effect.Effect<
  (user: string, model: string, types: ReadonlyArray<string>, dimensions: number) => Effect.Effect<Matrix, SqlError>
> =>
  Effect.map(
    Cache.make({
      capacity: usersInMemory,
      timeToLive: Duration.infinity,
      lookup: ({ dimensions, model, types, user }: User) =>
        Effect.map(
          sql<{ readonly item: string; readonly vector: Uint8Array }>`
            SELECT v.item, v.vector FROM wield_assistant_vectors v
            WHERE v.user_id = ${user} AND v.model = ${model} AND v.dimensions = ${dimensions}
              AND v.type IN ${sql.in(types.split(" "))}`,
          (rows): Matrix => {
            const values = new Float32Array(rows.length * dimensions)
            rows.forEach(({ vector }, row) => values.set(unit(fromBytes(vector)), row * dimensions))
            return { keys: rows.map(({ item }) => Number(item)), values }
          }
        )
    }),
    (cache) => (user, model, types, dimensions) =>
      Effect.flatMap(
        sql<{ readonly version: string }>`SELECT version FROM wield_assistant_versions WHERE user_id = ${user}`,
        ([row]) =>
          cache.get(
            new User({
              user,
              model,
              types: [...types].sort().join(" "),
              dimensions,
              version: Number(row?.version ?? 0)
            })
          )
      )
  )

const nearest = (
  { keys, values }: Matrix,
  vector: ReadonlyArray<number>,
  limit: number
): ReadonlyMap<number, number> => {
  const ranks = products(unit(Float32Array.from(vector)), values, keys.length)
  // Sorting numbers is a tenth of the work of sorting items by them.
  const least = ranks.length <= limit ? Number.NEGATIVE_INFINITY : (ranks.slice().sort().at(-limit) ?? 0)
  const near = keys.flatMap((key, row) => {
    const rank = ranks[row] ?? 0
    return rank < least ? [] : [{ key, rank }]
  })
  near.sort((left, right) => right.rank - left.rank)
  return new Map(near.slice(0, limit).map(({ key, rank }) => [key, rank]))
}
