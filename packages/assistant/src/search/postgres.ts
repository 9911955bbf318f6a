/**
 * The search in Postgres: its text search for English, and the distance between
 * vectors in this process, over the vectors of the users who asked last.
 *
 * Postgres ranks a text by how often a word stands in it, and knows nothing of
 * how rare the word is: that is asked for and counted in here.
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
import { candidateOf, common, countChange, itemColumns, type ItemRow, searchable, wantedOf } from "./rows.js"
import { cosine, fromBytes } from "./vector.js"

/** All vectors that a model has made for a user, one behind the other. */
interface Matrix {
  readonly keys: ReadonlyArray<number>
  readonly dimensions: number
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

export const postgresBackend = (sql: SqlClient): Effect.Effect<Backend> =>
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
              sql`setweight(to_tsvector('english', ${searchable(title)}), 'A') ||
                setweight(to_tsvector('english', ${searchable(text)}), 'B')`
          )
        ),
      remove: (user, type, ids) =>
        Effect.gen(function* () {
          if (ids.length === 0) return
          const gone = yield* sql`DELETE FROM wield_assistant_items
            WHERE user_id = ${SqlOperation.toStored(user)} AND type = ${type} AND id IN ${sql.in(ids)} RETURNING item`
          if (gone.length > 0) yield* countChange(sql, SqlOperation.toStored(user))
        }),
      byWords: (user, words, wanted) =>
        Effect.gen(function* () {
          if (words.length === 0) return []
          const owner = SqlOperation.toStored(user)
          const counted = yield* sql<{ readonly total: string }>`${sql.join(
            " UNION ALL ",
            false
          )(
            [sql``, ...words.map((word) => sql`AND words @@ ${query(word)}`)].map(
              (having, position) =>
                sql`SELECT ${position}::int AS position, COUNT(*) AS total FROM wield_assistant_items
                  WHERE user_id = ${owner} ${having}`
            )
          )} ORDER BY position`
          const [all = 0, ...having] = counted.map(({ total }) => Number(total))
          const rare = words.map((_, index) => Math.log(1 + (all + 0.5) / ((having[index] ?? 0) + 0.5)))
          // 1: the length of a text counts by its logarithm.
          const ranked = sql.join(
            " + ",
            false
          )(words.map((word, index) => sql`${rare[index] ?? 0}::float8 * ts_rank(i.words, ${query(word)}, 1)`))
          const rows = yield* sql<ItemRow & { readonly rank: number }>`
            SELECT ${itemColumns(sql)}, (${ranked}) AS rank FROM wield_assistant_items i
            WHERE ${wantedOf(sql, user, wanted)} AND i.words @@ (${sql.join(" || ", false)(words.map(query))})
            ORDER BY rank DESC, i.item DESC LIMIT ${wanted.limit}`
          return rows.map(candidateOf)
        }),
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
            JOIN wield_assistant_items i ON i.item = v.item AND i.hash = v.hash
            WHERE v.user_id = ${user} AND v.model = ${model} AND v.dimensions = ${dimensions}
              AND i.type IN ${sql.in(types.split(" "))}`,
          (rows): Matrix => {
            const values = new Float32Array(rows.length * dimensions)
            rows.forEach(({ vector }, row) => values.set(fromBytes(vector), row * dimensions))
            return { keys: rows.map(({ item }) => Number(item)), dimensions, values }
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
  { dimensions, keys, values }: Matrix,
  vector: ReadonlyArray<number>,
  limit: number
): ReadonlyMap<number, number> => {
  const wanted = Float32Array.from(vector)
  const ranked = keys.map((key, row) => ({ key, rank: cosine(wanted, values, row * dimensions) }))
  ranked.sort((left, right) => right.rank - left.rank)
  return new Map(ranked.slice(0, limit).map(({ key, rank }) => [key, rank]))
}
