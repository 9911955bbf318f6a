/** Lists of conversations in SQL: what changed last comes first, in pages, with the words that are looked for. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import * as Effect from "effect/Effect"
import { StoreError } from "../ConversationError.js"
import type { Service, Summary } from "../ConversationStore.js"
import { fromStored, toStored } from "../SqlOperation.js"
import { storeErrors } from "./attempt.js"
import { cursorOf, fold, hasText, patternOf, readCursor, waitingCondition } from "./search.js"
import { read } from "./sqlEntries.js"

type Integer = number | string | bigint

export interface ConversationRow {
  readonly id: string
  readonly title: string | null
  readonly metadata: string
  readonly created: Integer
  readonly changed: Integer
  readonly size: Integer
}

export const summaryOfRow = (operation: string, row: ConversationRow): Effect.Effect<Summary, StoreError> =>
  Effect.try({
    try: () => ({
      id: fromStored(row.id),
      title: row.title === null ? undefined : fromStored(row.title),
      metadata: JSON.parse(row.metadata),
      createdAt: Number(row.created),
      changedAt: Number(row.changed),
      length: Number(row.size)
    }),
    catch: (cause) =>
      new StoreError({ operation, detail: "what is kept of a conversation cannot be read: the data is damaged", cause })
  })

export const columns = "id, title, metadata, created, changed, size"

/** What changed last comes first. Postgres has an index of the hours. */
const orderOf = (sql: SqlClient): Fragment =>
  sql.onDialectOrElse({
    pg: () => sql.literal("hour DESC, changed DESC, id DESC"),
    orElse: () => sql.literal("changed DESC, id DESC")
  })

export const listOf =
  (sql: SqlClient): Service["list"] =>
  (options) =>
    Effect.gen(function* () {
      const limit = Math.max(1, Math.floor(options?.limit ?? 50))
      const from = options?.from === undefined ? undefined : yield* readCursor(options.from)
      const place = from === undefined ? sql`1 = 1` : isAfter(sql, from.changedAt, toStored(from.id))
      const waits = options?.isWaiting === true ? waitingCondition(sql) : sql`1 = 1`
      const query = options?.query ?? ""
      const rows = yield* storeErrors("list")(
        query === ""
          ? sql<ConversationRow>`SELECT ${sql.literal(columns)} FROM wield_conversations
            WHERE ${place} AND ${waits} ORDER BY ${orderOf(sql)} LIMIT ${limit + 1}`
          : search(sql, query, sql`${place} AND ${waits}`, limit + 1)
      )
      const conversations = yield* Effect.forEach(rows.slice(0, limit), (row) => summaryOfRow("list", row))
      const last = conversations.at(-1)
      return { conversations, next: rows.length > limit && last !== undefined ? cursorOf(last) : undefined }
    })

/** In the order of lists. `id` as it is stored. */
const isAfter = (sql: SqlClient, changed: number, id: string): Fragment => {
  const after = sql`(changed < ${changed} OR (changed = ${changed} AND id < ${id}))`
  return sql.onDialectOrElse({
    pg: () => sql`hour <= ${Math.trunc(changed / 3_600_000)} AND ${after}`,
    orElse: () => after
  })
}

/** The first rows that have the query; entries are read where the database found something like it. */
const search = (sql: SqlClient, query: string, condition: Fragment, most: number) => {
  const pattern = patternOf(query)
  const folded = fold(query)
  const order = orderOf(sql)
  const isLike = (column: string) =>
    sql.onDialectOrElse({
      pg: () => sql`${sql.literal(column)} COLLATE "C" ILIKE ${pattern} ESCAPE '!'`,
      orElse: () => sql`${sql.literal(column)} LIKE ${pattern} ESCAPE '!'`
    })
  const isFound = (row: ConversationRow) =>
    Effect.gen(function* () {
      if ([row.id, row.title ?? ""].some((text) => fold(fromStored(text)).includes(folded))) return true
      const rows = yield* sql<{ readonly json: string }>`SELECT json FROM wield_entries
        WHERE conversation = ${row.id} AND ${isLike("json")}`
      const entries = yield* read(
        "list",
        rows.map(({ json }) => json)
      )
      return entries.some((entry) => hasText(entry, folded))
    })
  return Effect.gen(function* () {
    const found: Array<ConversationRow> = []
    let place = condition
    for (;;) {
      const rows = yield* sql<ConversationRow>`SELECT ${sql.literal(columns)} FROM wield_conversations WHERE ${place}
        AND (${isLike("id")} OR ${isLike("title")} OR EXISTS (
          SELECT 1 FROM wield_entries e WHERE e.conversation = wield_conversations.id AND ${isLike("e.json")}
        )) ORDER BY ${order} LIMIT ${most}`
      for (const row of rows) {
        if (yield* isFound(row)) found.push(row)
        if (found.length === most) return found
      }
      const last = rows.at(-1)
      if (last === undefined || rows.length < most) return found
      place = sql`${condition} AND ${isAfter(sql, Number(last.changed), last.id)}`
    }
  })
}
