/**
 * The search in Postgres: its text search for English, and the distance between
 * vectors by pgvector where the database has it, otherwise in this process, over
 * the vectors of the users who asked last.
 *
 * Postgres ranks a text by how often a word stands in it, and knows nothing of
 * how rare the word is: that is multiplied in here.
 */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import { reason, toStored } from "@wield/agent/SqlOperation"
import * as Effect from "effect/Effect"
import type { Backend } from "./Backend.js"
import { makeNearestOf } from "./heldVectors.js"
import { byNearness, hasExtension, keepNearness, prepare } from "./pgvector.js"
import {
  candidateOf,
  commonBackend,
  markChange,
  countsOf,
  itemColumns,
  type ItemRow,
  nearestFirst,
  searchable,
  filterItems
} from "./rows.js"
import { removeMarks } from "./terms.js"

/** Postgres refuses a text with a megabyte of different words: of a longer text its beginning is found. */
const mostOfText = 100_000
const mostOfTitle = 10_000

const indexText = (text: string, most: number): string => removeMarks(searchable(text.slice(0, most))).slice(0, most)

/** `vectorMemory`: how many bytes of vectors are held; nothing where there will be no search by meaning. */
export const postgresBackend = (sql: SqlClient, vectorMemory: number | undefined): Effect.Effect<Backend> =>
  Effect.flatMap(inProcess(sql, vectorMemory ?? 0), (backend) =>
    vectorMemory !== undefined
      ? Effect.map(isNearnessThere(sql), (isThere) => (isThere ? withNearness(sql, backend) : backend))
      : Effect.succeed(backend)
  )

/** A role that may not make the table of the extension is no reason not to search. */
const isNearnessThere = (sql: SqlClient): Effect.Effect<boolean> =>
  hasExtension(sql).pipe(
    Effect.tap((isThere) => Effect.when(prepare(sql), () => isThere)),
    Effect.catchAll((error) =>
      Effect.as(
        Effect.logWarning("pgvector cannot be used; vectors are compared in this process", reason(error)),
        false
      )
    )
  )

const withNearness = (sql: SqlClient, backend: Backend): Backend => ({
  ...backend,
  keep: (model, embedded) =>
    sql.withTransaction(Effect.zipRight(backend.keep(model, embedded), keepNearness(sql, model, embedded))),
  byMeaning: byNearness(sql)
})

const inProcess = (sql: SqlClient, vectorMemory: number): Effect.Effect<Backend> =>
  Effect.map(makeNearestOf(sql, vectorMemory), (nearestOf) => {
    const { upsert, ...same } = commonBackend(sql)
    const query = (word: string): Fragment => sql`plainto_tsquery('english', ${word})`
    return {
      ...same,
      put: (user, items) =>
        Effect.zipRight(
          markChange(sql, toStored(user)),
          upsert(
            user,
            items,
            ({ text, title }) =>
              sql`setweight(to_tsvector('english', ${indexText(title, mostOfTitle)}), 'A') ||
                setweight(to_tsvector('english', ${indexText(text, mostOfText)}), 'B')`
          )
        ),
      remove: (user, type, ids) =>
        Effect.gen(function* () {
          if (ids.length === 0) return
          const gone = yield* sql`DELETE FROM wield_assistant_items
            WHERE user_id = ${toStored(user)} AND type = ${type} AND id IN ${sql.in(ids)} RETURNING item`
          if (gone.length > 0) yield* markChange(sql, toStored(user))
        }),
      frequencies: (user, words, types) =>
        countsOf(
          sql,
          user,
          types,
          words,
          (word) => sql`SELECT COUNT(*) FROM wield_assistant_items i
          WHERE ${filterItems(sql, user, { types, without: [] })} AND i.words @@ ${query(word)}`
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
            WHERE ${filterItems(sql, user, wanted)}
              AND i.words @@ (${sql.join(" || ", false)(words.map(({ word }) => query(word)))})
            ORDER BY rank DESC, i.item DESC LIMIT ${wanted.limit}`,
          (rows) => rows.map(candidateOf)
        )
      },
      byMeaning: (user, model, vector, wanted) =>
        Effect.gen(function* () {
          const most = wanted.limit + wanted.without.length
          const near = yield* nearestOf(toStored(user), model, wanted.types, vector, most)
          if (near.size === 0) return []
          const rows = yield* sql<ItemRow>`SELECT ${itemColumns(sql)} FROM wield_assistant_items i
            WHERE ${filterItems(sql, user, wanted)} AND i.item IN ${sql.in([...near.keys()])}`
          return nearestFirst(rows, near, wanted.limit)
        })
    }
  })
