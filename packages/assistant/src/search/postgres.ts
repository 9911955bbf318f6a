/**
 * The search in Postgres: its text search for English, which knows nothing of how rare a word is, times the rarity; and
 * the distance between vectors, by pgvector or in this process.
 */
import * as Effect from "effect/Effect"
import * as Array from "effect/Array"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import { reason, toStored } from "@wield/agent/SqlOperation"
import type { Backend } from "./Backend.js"
import { byNearness, hasExtension, keepNearness, prepare } from "./pgvector.js"
import { candidateOf, commonBackend, filterItems, itemColumns, type ItemRow, searchable } from "./searchRows.js"
import { removeMarks } from "./terms.js"
import { makeBreathe } from "@wield/core/Time"
import type { ItemType } from "../SearchIndex.js"
import { dotProduct, fromBytes, makeNearest, toUnit } from "./vector.js"

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
    const query = (word: string): Fragment => sql`plainto_tsquery('english', ${word})`
    const { candidates, ...same } = commonBackend(sql, {
      column: ({ text, title }) =>
        sql`setweight(to_tsvector('english', ${indexText(title, mostOfTitle)}), 'A') ||
          setweight(to_tsvector('english', ${indexText(text, mostOfText)}), 'B')`,
      put: () => Effect.void,
      remove: () => Effect.void,
      having: (user, types, word) => sql`SELECT COUNT(*) FROM wield_assistant_items i
        WHERE ${filterItems(sql, user, { types, without: [] })} AND i.words @@ ${query(word)}`
    })
    return {
      ...same,
      byWords: (user, words, wanted) => {
        if (words.length === 0) return Effect.succeed([])
        // 1: the length of a text counts by its logarithm.
        const ranks = words.map(({ rarity, word }) => sql`${rarity}::float8 * ts_rank(i.words, ${query(word)}, 1)`)
        const ranked = sql.join(" + ", false)(ranks)
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
        Effect.flatMap(
          nearestOf(toStored(user), model, wanted.types, vector, wanted.limit + wanted.without.length),
          (near) => candidates(user, near, wanted)
        )
    }
  })

interface Held {
  readonly version: number
  readonly vectors: ReadonlyMap<number, HeldVector>
  readonly bytes: number
}

interface HeldVector {
  readonly type: ItemType
  readonly hash: string
  readonly vector: Float32Array
}

interface VectorRow {
  readonly item: string
  readonly type: ItemType
  readonly hash: string
}

/** What a vector takes besides its numbers: its key, its hash and the objects around them. */
const besides = 400

/** As many bytes of vectors as are read at once, and as many vectors. */
const pageBytes = 1_000_000
const pageRows = 500

/** As many vectors as are compared before it is seen whether others have waited long. */
const comparedAtOnce = 256

/** The vectors of users who asked last are held, as far as `mostBytes` go; those of others go by in pages. */
const makeNearestOf = (sql: SqlClient, mostBytes: number) =>
  Effect.map(Effect.makeSemaphore(1), (turn) => {
    /** Who asked last stands last. */
    const held = new Map<string, Held>()

    const versionOf = (user: string) =>
      Effect.map(
        sql<{ readonly version: string }>`SELECT version FROM wield_assistant_versions WHERE user_id = ${user}`,
        ([row]) => Number(row?.version ?? 0)
      )

    const current = (key: string, version: number) =>
      Effect.sync(() => {
        const found = held.get(key)
        if (found === undefined || found.version !== version) return undefined
        held.delete(key)
        held.set(key, found)
        return found
      })

    const makeRoom = (bytes: number) =>
      Effect.sync(() => {
        let total = bytes
        for (const one of held.values()) total += one.bytes
        for (const [key, one] of held) {
          if (total <= mostBytes) return
          held.delete(key)
          total -= one.bytes
        }
      })

    /** How near the nearest vectors of a user are, by the keys of their items. */
    return (
      user: string,
      model: string,
      types: ReadonlyArray<ItemType>,
      vector: ReadonlyArray<number>,
      limit: number
    ) =>
      Effect.gen(function* () {
        const key = JSON.stringify([user, model, vector.length])
        const sought = toUnit(Float32Array.from(vector))
        const found = makeNearest(limit)
        const own = sql`v.user_id = ${user} AND v.model = ${model} AND v.dimensions = ${vector.length}`

        /** Reads what is not held yet; nothing where it is too much to be held. */
        const refreshed = Effect.gen(function* () {
          const version = yield* versionOf(user)
          const now = yield* current(key, version)
          if (now !== undefined) return now
          const before = held.get(key)?.vectors
          // What is held of this user counts as room: it is part of what will be.
          held.delete(key)
          const [counted] = yield* sql<{ readonly amount: string }>`
            SELECT COUNT(*) AS amount FROM wield_assistant_vectors v WHERE ${own}`
          const bytes = Number(counted?.amount ?? 0) * (4 * vector.length + besides)
          if (bytes > mostBytes) return undefined
          yield* makeRoom(bytes)
          const rows = yield* sql<VectorRow>`SELECT v.item, v.type, v.hash FROM wield_assistant_vectors v WHERE ${own}`
          const vectors = new Map<number, HeldVector>()
          const missing: Array<number> = []
          for (const { hash, item } of rows) {
            const known = before?.get(Number(item))
            if (known?.hash === hash) vectors.set(Number(item), known)
            else missing.push(Number(item))
          }
          for (const keys of Array.chunksOf(missing, rowsOfPage(vector.length))) {
            const page = yield* sql<VectorRow & { readonly vector: Uint8Array }>`
              SELECT v.item, v.type, v.hash, v.vector FROM wield_assistant_vectors v
              WHERE ${own} AND v.item IN ${sql.in(keys)}`
            for (const row of page) {
              vectors.set(Number(row.item), { type: row.type, hash: row.hash, vector: toUnit(fromBytes(row.vector)) })
            }
          }
          const fresh: Held = { version, vectors, bytes: vectors.size * (4 * vector.length + besides) }
          held.set(key, fresh)
          return fresh
        })

        const wanted = new Set(types)
        // While another search reads, what it reads takes the room. It is not waited for: it may wait for the connection
        // that this one has.
        const all =
          (yield* current(key, yield* versionOf(user))) ??
          Option.getOrUndefined(yield* turn.withPermitsIfAvailable(1)(refreshed))
        if (all === undefined) {
          yield* sql<{ readonly item: string; readonly vector: Uint8Array }>`
            SELECT v.item, v.vector FROM wield_assistant_vectors v WHERE ${own} AND v.type IN ${sql.in(types)}`.stream.pipe(
            Stream.runForEachChunk((page) =>
              Effect.sync(() => {
                for (const row of page) found.add(Number(row.item), dotProduct(sought, toUnit(fromBytes(row.vector))))
              })
            )
          )
          return found.take()
        }
        const breathe = yield* makeBreathe
        let compared = 0
        for (const [item, { type, vector }] of all.vectors) {
          if (wanted.has(type)) found.add(item, dotProduct(sought, vector))
          if (++compared % comparedAtOnce === 0) yield* breathe
        }
        return found.take()
      })
  })

const rowsOfPage = (dimensions: number): number =>
  Math.max(1, Math.min(pageRows, Math.floor(pageBytes / Math.max(1, 4 * dimensions))))
