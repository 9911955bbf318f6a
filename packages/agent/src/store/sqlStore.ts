/** The store of conversations in SQL. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Json } from "@wield/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Conversation } from "../Conversation.js"
import { ConversationExists, ConversationNotFound, EntryNotFound, StoreError } from "../ConversationError.js"
import type { Service, Summary } from "../ConversationStore.js"
import { newId } from "../conversation/entries.js"
import { copyOf } from "../conversation/messages.js"
import { makeOneAtATime } from "../conversation/oneAtATime.js"
import { storeErrors } from "./attempt.js"
import { type Contents, fromExported, toExported } from "./exported.js"
import {
  append,
  appendAtOnce,
  deletedError,
  entryColumns,
  type EntryRow,
  insertConversation,
  lock,
  read,
  readAll,
  write
} from "./sqlEntries.js"
import { columns, type ConversationRow, listOf, summaryOfRow } from "./sqlLists.js"
import { toStored } from "../SqlOperation.js"
import { type AppendWith, type JournalWrite, setConversation } from "./together.js"

type Integer = number | string | bigint

const nothing: JournalWrite<void, never> = { write: Effect.void, part: undefined, read: () => Effect.void }

/** The operations over one client; the tables are there. */
export const makeSqlStore = (client: SqlClient): Service => {
  const sql = client.withoutTransforms()
  const conversationOf = handles(client, sql)

  const rowOf = (id: string): Effect.Effect<ConversationRow | undefined, SqlError> =>
    Effect.map(
      sql<ConversationRow>`SELECT ${sql.literal(columns)} FROM wield_conversations WHERE id = ${toStored(id)}`,
      (rows) => rows[0]
    )

  const summary = (operation: string, id: string): Effect.Effect<Summary, ConversationNotFound | StoreError> =>
    Effect.gen(function* () {
      const row = yield* storeErrors(operation)(rowOf(id))
      return row === undefined
        ? yield* new ConversationNotFound({ conversation: id })
        : yield* summaryOfRow(operation, row)
    })

  const begin = (operation: string, beginning: Contents) =>
    Effect.gen(function* () {
      const { id, title, metadata, createdAt, entries } = beginning
      const written = yield* write(operation, entries)
      const last = written.at(-1)
      const now = yield* Clock.currentTimeMillis
      const row = {
        id: toStored(id),
        title: title === undefined ? null : toStored(title),
        metadata: yield* metadataText(operation, metadata),
        created: createdAt,
        changed: now,
        size: written.length,
        last: last === undefined ? null : toStored(last.id)
      }
      const make = sql`INSERT INTO wield_conversations ${sql.insert(row)} ON CONFLICT DO NOTHING RETURNING 0 AS size`
      const made = yield* insertConversation(sql, make, id, written).pipe(
        Effect.catchTag("EntryIdTaken", ({ message }) => Effect.fail(new StoreError({ operation, detail: message }))),
        storeErrors(operation)
      )
      if (made.length === 0) return yield* new ConversationExists({ conversation: id })
      return conversationOf(id)
    })

  const create: Service["create"] = (options) =>
    Effect.gen(function* () {
      const { id, title, metadata = {}, entries = [] } = options ?? {}
      const createdAt = yield* Clock.currentTimeMillis
      return yield* begin("create", { id: id ?? (yield* newId), title, metadata, createdAt, entries })
    })

  return {
    create,
    open: (id) => Effect.as(summary("open", id), conversationOf(id)),
    openOrCreate: (id) =>
      Effect.catchTag(create({ id }), "ConversationExists", () => Effect.succeed(conversationOf(id))),
    summary: (id) => summary("summarise", id),
    list: listOf(sql),
    update: (id, { title, metadata }) =>
      Effect.gen(function* () {
        const text = metadata === undefined ? undefined : yield* metadataText("update", metadata)
        const rows = yield* storeErrors("update")(
          sql`UPDATE wield_conversations
            SET title = ${title === undefined ? sql`title` : sql`${toStored(title)}`},
              metadata = ${text === undefined ? sql`metadata` : sql`${text}`}
            WHERE id = ${toStored(id)} RETURNING id`
        )
        if (rows.length === 0) return yield* new ConversationNotFound({ conversation: id })
      }),
    fork: (id, options) =>
      Effect.gen(function* () {
        const fork = options?.id ?? (yield* newId)
        const now = yield* Clock.currentTimeMillis
        const transaction = Effect.gen(function* () {
          if (!(yield* lock(sql, id))) return yield* new ConversationNotFound({ conversation: id })
          const end = yield* endAt(sql, id, options?.at)
          const made = yield* sql`INSERT INTO wield_conversations (id, title, metadata, created, changed, size, last)
            SELECT ${toStored(fork)}, title, metadata, CAST(${now} AS BIGINT), CAST(${now} AS BIGINT),
              CAST(${end.length} AS BIGINT), CAST(${end.last} AS TEXT)
            FROM wield_conversations WHERE id = ${toStored(id)}
            ON CONFLICT DO NOTHING RETURNING id`
          if (made.length === 0) return yield* new ConversationExists({ conversation: fork })
          yield* sql`INSERT INTO wield_entries (conversation, position, id, json)
            SELECT ${toStored(fork)}, position, id, json
            FROM wield_entries WHERE conversation = ${toStored(id)} AND position < ${end.length}`
          const rows = yield* sql<{ readonly json: string }>`SELECT json FROM wield_entries
            WHERE conversation = ${toStored(fork)} ORDER BY position`
          const entries = yield* read(
            "fork",
            Array.from(rows, ({ json }) => json)
          )
          const copied = copyOf(entries)
          const place = copied.findIndex((entry, index) => entry !== entries[index])
          for (const { json } of yield* write("fork", copied.slice(place, place + 1))) {
            yield* sql`UPDATE wield_entries SET json = ${json}
              WHERE conversation = ${toStored(fork)} AND position = ${place}`
          }
        })
        yield* storeErrors("fork")(sql.withTransaction(transaction))
        return conversationOf(fork)
      }),
    truncate: (id, after) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const transaction = Effect.gen(function* () {
          if (!(yield* lock(sql, id))) return yield* new ConversationNotFound({ conversation: id })
          const end = after === undefined ? { length: 0, last: null } : yield* endAt(sql, id, after)
          yield* sql`UPDATE wield_conversations
            SET size = ${end.length}, last = ${end.last}, changed = ${now}
            WHERE id = ${toStored(id)} AND size > ${end.length}`
          yield* sql`DELETE FROM wield_entries
            WHERE conversation = ${toStored(id)} AND position >= ${end.length}`
        })
        yield* storeErrors("truncate")(sql.withTransaction(transaction))
      }),
    delete: (id) =>
      storeErrors("delete")(
        sql.withTransaction(
          // The entries go with it; not where a client of SQLite has foreign keys off.
          sql`DELETE FROM wield_conversations WHERE id = ${toStored(id)}`.pipe(
            Effect.zipRight(sql`DELETE FROM wield_entries WHERE conversation = ${toStored(id)}`),
            Effect.asVoid
          )
        )
      ),
    export: (id) =>
      Effect.gen(function* () {
        const rows = yield* storeErrors("export")(
          sql<ConversationRow & EntryRow>`SELECT
            c.id AS id, c.title AS title, c.metadata AS metadata, c.created AS created, ${sql.literal(entryColumns)}
            FROM wield_conversations c LEFT JOIN wield_entries e ON e.conversation = c.id
            WHERE c.id = ${toStored(id)} ORDER BY e.position`
        )
        const [row] = rows
        if (row === undefined) return yield* new ConversationNotFound({ conversation: id })
        const entries = yield* readAll("export", rows)
        const { title, metadata, createdAt } = yield* summaryOfRow("export", row)
        return yield* toExported({ id, title, metadata, createdAt, entries })
      }),
    import: (exported, options) =>
      Effect.flatMap(fromExported(exported), (contents) =>
        begin("import", { ...contents, id: options?.id ?? contents.id })
      )
  }
}

/** How long a conversation is up to and including an entry; all of it unless one is given. */
const endAt = (sql: SqlClient, id: string, entry: string | undefined) =>
  Effect.gen(function* () {
    const rows = yield* sql<{ readonly id: string; readonly position: Integer }>`SELECT id, position
      FROM wield_entries WHERE conversation = ${toStored(id)}
      AND ${entry === undefined ? sql`1 = 1` : sql`id = ${toStored(entry)}`}
      ORDER BY position DESC LIMIT 1`
    const [row] = rows
    if (row !== undefined) return { length: Number(row.position) + 1, last: row.id }
    if (entry !== undefined) return yield* new EntryNotFound({ conversation: id, entry })
    return { length: 0, last: null }
  })

/** Gives the handles of conversations, whether they are there or not. */
const handles = (client: SqlClient, sql: SqlClient) => {
  const oneAtATime = makeOneAtATime()
  return (id: string): Conversation<StoreError> => {
    const appendWith: AppendWith = (entries, after, also) =>
      Effect.gen(function* () {
        const written = yield* write("append", entries)
        const now = yield* Clock.currentTimeMillis
        const row = yield* storeErrors("append")(appendAtOnce(sql, id, written, after, now, also.part))
        if (row !== undefined) return yield* also.read(row)
        const transaction = Effect.zipRight(append(sql, id, written, after, now), also.write)
        return yield* storeErrors("append")(sql.withTransaction(transaction))
      })
    const conversation: Conversation<StoreError> = {
      id,
      isDurable: true,
      exclusively: (effect) => oneAtATime(id, effect),
      entries: Effect.gen(function* () {
        const rows = yield* storeErrors("read")(
          sql<EntryRow>`SELECT ${sql.literal(entryColumns)} FROM wield_conversations c
          LEFT JOIN wield_entries e ON e.conversation = c.id
          WHERE c.id = ${toStored(id)} ORDER BY e.position`
        )
        if (rows.length === 0) return yield* deletedError("read", id)
        return yield* readAll("read", rows)
      }),
      append: (entries, after) => appendWith(entries, after, nothing)
    }
    setConversation(conversation, client, appendWith)
    return conversation
  }
}

const metadataText = (operation: string, metadata: Json.JsonObject): Effect.Effect<string, StoreError> =>
  Effect.try({
    try: () => JSON.stringify(metadata),
    catch: (cause) => new StoreError({ operation, detail: "the metadata cannot be written as JSON", cause })
  })
