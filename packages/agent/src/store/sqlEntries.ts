/**
 * The entries of a conversation in SQL. Every transaction begins by writing to
 * the row of its conversation: that locks the row in Postgres, and in SQLite
 * takes the lock for writing at once, which a transaction that has read first
 * may be refused.
 */
import { type SqlClient, TransactionConnection } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment, Statement } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Entry } from "../Conversation.js"
import { type AppendConflict, EntryIdTaken, StoreError } from "../ConversationError.js"
import { entriesToAppend, entryFromText, entryToText } from "../conversation/entries.js"
import { fromStored, toStored } from "../SqlOperation.js"
import { isSqlError, isTransient } from "./attempt.js"

/** An entry as a row holds it. */
export interface Written {
  /** The id itself, not as it is stored. */
  readonly id: string
  readonly json: string
}

/** A statement of more rows would reach the databases' limits of parameters. */
const rowsAtOnce = 1000

export const write = (
  operation: string,
  entries: ReadonlyArray<Entry>
): Effect.Effect<ReadonlyArray<Written>, StoreError> => {
  const written: Array<Written> = []
  for (const entry of entries) {
    const json = entryToText(entry)
    if (Either.isLeft(json)) {
      const detail = `the entry ${entry.id} cannot be written as JSON: ${json.left.message}`
      return new StoreError({ operation, detail })
    }
    written.push({ id: entry.id, json: json.right })
  }
  return Effect.succeed(written)
}

export const read = (operation: string, rows: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Entry>, StoreError> =>
  Effect.forEach(rows, (json, index) =>
    Effect.mapError(
      entryFromText(json),
      (cause) => new StoreError({ operation, detail: `the stored entry ${index} is invalid`, cause })
    )
  )

/** A row for each entry of a conversation, in their order; one without an entry where it has none. */
export interface EntryRow {
  readonly json: string | null
  readonly position: number | string | bigint | null
  readonly size: number | string | bigint
}

export const entryColumns = "c.size AS size, e.position AS position, e.json AS json"

/** All entries of a conversation, each in its place: a model that is shown some of them takes them for all. */
export const readAll = (
  operation: string,
  rows: ReadonlyArray<EntryRow>
): Effect.Effect<ReadonlyArray<Entry>, StoreError> => {
  const texts = rows.flatMap(({ json }) => (json === null ? [] : [json]))
  const isWhole = rows.every(
    ({ position, size }, index) => Number(size) === texts.length && (position === null || Number(position) === index)
  )
  return isWhole
    ? read(operation, texts)
    : new StoreError({
        operation,
        detail: `the entries are not the ${rows[0]?.size} that were written: the data is damaged`
      })
}

export const deletedError = (operation: string, conversation: string): StoreError =>
  new StoreError({ operation, detail: `the conversation ${conversation} is not there any more` })

/** Locks the row of a conversation for the transaction; false where it is missing. */
export const lock = (sql: SqlClient, conversation: string): Effect.Effect<boolean, SqlError> =>
  Effect.map(
    sql`UPDATE wield_conversations SET size = size WHERE id = ${toStored(conversation)} RETURNING size`,
    (rows) => rows.length > 0
  )

/** Puts entries from a position on; fails with the first id that the conversation has already. */
export const insert = (
  sql: SqlClient,
  conversation: string,
  from: number,
  entries: ReadonlyArray<Written>
): Effect.Effect<void, EntryIdTaken | SqlError> =>
  Effect.gen(function* () {
    for (let start = 0; start < entries.length; start += rowsAtOnce) {
      const rows = entries.slice(start, start + rowsAtOnce).map(({ id, json }, index) => ({
        conversation: toStored(conversation),
        position: from + start + index,
        id: toStored(id),
        json
      }))
      const inserted = yield* sql<{
        readonly id: string
      }>`INSERT INTO wield_entries ${sql.insert(rows)} ON CONFLICT DO NOTHING RETURNING id`
      if (inserted.length === rows.length) continue
      const there = new Set(inserted.map(({ id }) => id))
      const taken = rows.find(({ id }, index) => !there.has(id) || rows.findIndex((row) => row.id === id) < index)
      return yield* new EntryIdTaken({ conversation, entry: fromStored(taken?.id ?? "") })
    }
  })

/** Puts entries from the size on that a row of `moved` has; a part of a statement of Postgres. */
const insertAfterMove = (sql: SqlClient, conversation: string, entries: ReadonlyArray<Written>): Fragment => {
  const stored = entries.map(({ id, json }) => ({ id: toStored(id), json }))
  const [first] = stored
  const into = sql`INSERT INTO wield_entries (conversation, position, id, json) SELECT ${toStored(conversation)}, `
  // Without a table of values it is planned in less time.
  if (first !== undefined && stored.length === 1) return sql`${into} size, ${first.id}, ${first.json} FROM moved`
  const given = stored.map(({ id, json }, index) => sql`(CAST(${index} AS BIGINT), ${id}, ${json})`)
  return sql`${into} moved.size + given.place, given.id, given.json
    FROM moved, (VALUES ${sql.join(", ", false)(given)}) AS given (place, id, json)`
}

/**
 * Inserts a conversation with entries, one entry by the same statement where the database is Postgres. `make` inserts the
 * conversation, and gives a row with the size 0 where there was none of its id; so does this.
 */
export const insertConversation = (
  sql: SqlClient,
  make: Statement<object>,
  conversation: string,
  entries: ReadonlyArray<Written>
): Effect.Effect<ReadonlyArray<object>, EntryIdTaken | SqlError> => {
  if (entries.length === 0) return make
  const isPostgres = sql.onDialectOrElse({ pg: () => true, orElse: () => false })
  return isPostgres && entries.length === 1
    ? sql`WITH moved AS (${make}), added AS (${insertAfterMove(sql, conversation, entries)}) SELECT size FROM moved`
    : sql.withTransaction(
        Effect.tap(make, (made) => (made.length === 0 ? Effect.void : insert(sql, conversation, 0, entries)))
      )
}

/** Moves the end of a conversation, if it ends as is said; gives its new length. */
const moveEnd = (
  sql: SqlClient,
  conversation: string,
  end: { readonly was: string | undefined; readonly is: string; readonly by: number; readonly now: number }
): Effect.Effect<number | undefined, SqlError> =>
  Effect.map(
    sql<{ readonly size: number | string | bigint }>`UPDATE wield_conversations
      SET last = ${toStored(end.is)}, size = size + ${sql.literal(String(end.by))}, changed = ${end.now}
      WHERE id = ${toStored(conversation)}
      AND ${end.was === undefined ? sql`last IS NULL` : sql`last = ${toStored(end.was)}`}
      RETURNING size`,
    (rows) => (rows[0] === undefined ? undefined : Number(rows[0].size))
  )

/**
 * Appends by one statement of Postgres, which is one round trip, together with a part that inserts for each row of
 * `moved`. Gives the part's row; `undefined` where nothing is written, and the transaction below says why.
 */
export const appendAtOnce = <E>(
  sql: SqlClient,
  conversation: string,
  entries: ReadonlyArray<Written>,
  after: string | undefined,
  now: number,
  part: Effect.Effect<object, E> | undefined
): Effect.Effect<object | undefined, E | SqlError> =>
  Effect.gen(function* () {
    const last = entries.at(-1)
    const isPostgres = sql.onDialectOrElse({ pg: () => true, orElse: () => false })
    if (!isPostgres || last === undefined || entries.length > rowsAtOnce) return undefined
    // A statement that fails would end the transaction of the caller.
    if (Option.isSome(yield* Effect.serviceOption(TransactionConnection))) return undefined
    // The client that made it is this one.
    const also = part === undefined ? sql`SELECT size FROM moved` : ((yield* part) as Fragment)
    const id = toStored(conversation)
    const ids = entries.map((entry) => toStored(entry.id))
    const end = after === undefined ? sql`last IS NULL` : sql`last = ${toStored(after)}`
    const rows = yield* sql`WITH moved AS (
        UPDATE wield_conversations SET last = ${ids.at(-1)}, size = size + ${sql.literal(String(ids.length))}, changed = ${now}
        WHERE id = ${id} AND ${end}
        RETURNING size - ${sql.literal(String(ids.length))} AS size
      ), added AS (${insertAfterMove(sql, conversation, entries)}), also AS (${also})
      SELECT also.* FROM moved LEFT JOIN also ON true`
    return rows[0]
    // What another statement would say better, a conflict of ids among them.
  }).pipe(
    Effect.catchIf(
      (error) => isSqlError(error) && !isTransient(error),
      () => Effect.succeed(undefined)
    )
  )

/** The body of the transaction that appends. */
export const append = (
  sql: SqlClient,
  conversation: string,
  entries: ReadonlyArray<Written>,
  after: string | undefined,
  now: number
): Effect.Effect<void, AppendConflict | EntryIdTaken | StoreError | SqlError> =>
  Effect.gen(function* () {
    const put = (added: ReadonlyArray<Written>, was: string | undefined) =>
      Effect.gen(function* () {
        const is = added.at(-1)
        if (is === undefined) return true
        const length = yield* moveEnd(sql, conversation, { was, is: is.id, by: added.length, now })
        if (length === undefined) return false
        yield* insert(sql, conversation, length - added.length, added)
        return true
      })
    if (yield* put(entries, after)) return

    // It ends otherwise: these may be there already, or those of another writer.
    if (!(yield* lock(sql, conversation))) return yield* deletedError("append", conversation)
    const rows = yield* sql<Written>`SELECT id, json FROM wield_entries
      WHERE conversation = ${toStored(conversation)} ORDER BY position`
    const existing = rows.map(({ id, json }) => ({ id: fromStored(id), json }))
    const isSame = (one: Written, other: Written) => one.json === other.json
    yield* put(yield* entriesToAppend(conversation, existing, entries, after, isSame), existing.at(-1)?.id)
  })
