/** The search in SQLite: FTS5, and the distance between vectors that libsql has built in. */
import type { SqlClient } from "@effect/sql/SqlClient"
import { toStored } from "@wield/agent/SqlOperation"
import * as Effect from "effect/Effect"
import { makeBreathe } from "@wield/core/Time"
import type { UserId } from "../Owner.js"
import type { ItemType } from "../SearchIndex.js"
import type { Backend } from "./Backend.js"
import * as Digest from "@wield/core/Digest"
import { candidateOf, commonBackend, filterItems, itemColumns, type ItemRow, searchable } from "./searchRows.js"
import { makeNearest, toBytes } from "./vector.js"

/** One word by which the index knows whose an item is, and of which type. */
const ownerOf = (user: UserId, type: ItemType): string => `u${Digest.ofText(user).slice(0, 32)}${type}`

/** In quotation marks a word is no operator of FTS5, whatever it is. */
const quoteWord = (word: string): string => `"${word.replaceAll('"', '""')}"`

const anyOf = (words: ReadonlyArray<string>): string => `(${words.map(quoteWord).join(" OR ")})`

const matchExpression = (user: UserId, types: ReadonlyArray<ItemType>, words: ReadonlyArray<string>): string =>
  `owner : ${anyOf(types.map((type) => ownerOf(user, type)))} AND {title body} : ${anyOf(words)}`

/** As many bytes of vectors as are compared in one statement: libsql blocks the thread of the program. */
const pageBytes = 1_000_000

export const sqliteBackend = (sql: SqlClient): Backend => {
  const { candidates, ...same } = commonBackend(sql, {
    put: (user, keyed) =>
      Effect.gen(function* () {
        yield* sql`DELETE FROM wield_assistant_words WHERE rowid IN ${sql.in(keyed.map(({ key }) => key))}`
        yield* sql`INSERT INTO wield_assistant_words ${sql.insert(
          keyed.map(({ item, key }) => ({
            rowid: key,
            owner: ownerOf(user, item.type),
            title: searchable(item.title),
            body: searchable(item.text)
          }))
        )}`
      }),
    remove: (keys) => sql`DELETE FROM wield_assistant_words WHERE rowid IN ${sql.in(keys)}`,
    having: (user, types, word) => sql`SELECT COUNT(*) FROM wield_assistant_words
      WHERE wield_assistant_words MATCH ${matchExpression(user, types, [word])}`
  })
  return {
    ...same,
    byWords: (user, words, wanted) => {
      if (words.length === 0) return Effect.succeed([])
      const match = matchExpression(
        user,
        wanted.types,
        words.map(({ word }) => word)
      )
      return Effect.map(
        // The texts are read of those only that are given. bm25 is the smaller the better; a word of the title counts
        // twice, the owner nothing.
        sql<ItemRow & { readonly rank: number }>`
          SELECT ${itemColumns(sql)}, n.rank FROM (
            SELECT rowid AS found, -bm25(wield_assistant_words, 0.0, 2.0, 1.0) AS rank FROM wield_assistant_words
            WHERE wield_assistant_words MATCH ${match}
            ORDER BY rank DESC, rowid DESC LIMIT ${wanted.limit + wanted.without.length}
          ) n CROSS JOIN wield_assistant_items i ON i.item = n.found
          WHERE ${filterItems(sql, user, wanted)} ORDER BY n.rank DESC, i.item DESC LIMIT ${wanted.limit}`,
        (rows) => rows.map(candidateOf)
      )
    },
    byMeaning: (user, model, vector, wanted) =>
      Effect.gen(function* () {
        const own = sql`v.user_id = ${toStored(user)} AND v.model = ${model}`
        const sought = toBytes(vector)
        const page = Math.max(1, Math.floor(pageBytes / Math.max(1, sought.length)))
        const most = wanted.limit + wanted.without.length
        const near = makeNearest(most)
        const breathe = yield* makeBreathe
        let after = 0
        while (true) {
          const [last] = yield* sql<{ readonly item: number }>`SELECT v.item FROM wield_assistant_vectors v
            WHERE ${own} AND v.item > ${after} ORDER BY v.item LIMIT 1 OFFSET ${page - 1}`
          const upTo = last === undefined ? sql`` : sql`AND v.item <= ${last.item}`
          // A vector of zeros has no distance to anything. A condition on it inside would have it worked out twice.
          const rows = yield* sql<{ readonly item: number; readonly distance: number | null }>`
            SELECT v.item, vector_distance_cos(v.vector, ${sought}) AS distance FROM wield_assistant_vectors v
            WHERE ${own} AND v.item > ${after} ${upTo} AND v.dimensions = ${vector.length}
              AND v.type IN ${sql.in(wanted.types)}
            ORDER BY distance NULLS LAST LIMIT ${most}`
          for (const { distance, item } of rows) if (distance !== null) near.add(item, 1 - distance)
          if (last === undefined) break
          after = last.item
          yield* breathe
        }
        return yield* candidates(user, near.take(), wanted)
      })
  }
}
