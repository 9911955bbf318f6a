/** Memories as rows, and back: read, and made as part of the transaction that is open. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import { fromStored, toStored } from "@wield/agent/SqlOperation"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SqlError } from "@effect/sql/SqlError"
import * as Clock from "effect/Clock"
import { v7 } from "uuid"
import type { Memory, SourceType } from "../Memory.js"
import type { UserId } from "../Owner.js"
import type { NewMemory } from "../Memories.js"
import type { Service as SearchIndex } from "../SearchIndex.js"
import { addToCounter } from "../store/operation.js"

interface Row {
  readonly id: string
  readonly number: number | string
  readonly name: string
  readonly text: string
  readonly keywords: string
  readonly importance: number | string
  readonly state: Memory["state"]
  readonly created: number | string
  readonly changed: number | string
}

/** Written by this package. Text of another form counts as no words. */
const keywordsFrom = Schema.decodeUnknownOption(Schema.parseJson(Schema.Array(Schema.String)))

export const memoriesWhere = (sql: SqlClient, user: UserId, condition: Fragment, limit: number) =>
  Effect.map(
    sql<Row>`SELECT m.id, m.number, m.name, m.text, m.keywords, m.importance, m.state, m.created, m.changed
      FROM wield_assistant_memories m WHERE m.user_id = ${toStored(user)} AND ${condition}
      ORDER BY m.changed DESC, m.number DESC LIMIT ${limit}`,
    (rows) =>
      rows.map((row) => {
        const keywords = keywordsFrom(fromStored(row.keywords))
        return {
          id: row.id,
          number: Number(row.number),
          name: fromStored(row.name),
          text: fromStored(row.text),
          keywords: keywords._tag === "Some" ? keywords.value : [],
          importance: Number(row.importance),
          state: row.state,
          created: Number(row.created),
          changed: Number(row.changed)
        }
      })
  )

export const sourcesWhere = (sql: SqlClient, user: UserId, condition: Fragment, limit: number) =>
  Effect.map(
    sql<{ readonly type: SourceType; readonly name: string; readonly text: string }>`
      SELECT s.type, s.name, s.text FROM wield_assistant_sources s
      WHERE s.user_id = ${toStored(user)} AND ${condition}
      ORDER BY s.memory_id DESC, s.position LIMIT ${limit}`,
    (rows) =>
      rows.map(({ name, text, type }) => ({
        type,
        name: fromStored(name),
        text: fromStored(text)
      }))
  )

export const sinceConsolidation = "memories since consolidation"

export const insertMemory = (
  sql: SqlClient,
  index: SearchIndex,
  user: UserId,
  { importance = 5, keywords = [], name, sources = [], text }: NewMemory
): Effect.Effect<Memory, SqlError> =>
  Effect.gen(function* () {
    const number = yield* addToCounter(sql, user, "memories")
    yield* addToCounter(sql, user, sinceConsolidation)
    const now = yield* Clock.currentTimeMillis
    const memory: Memory = {
      id: yield* Effect.sync(() => v7()),
      number,
      name,
      text,
      keywords,
      importance,
      state: "active",
      created: now,
      changed: now
    }
    yield* sql`INSERT INTO wield_assistant_memories ${sql.insert({
      id: memory.id,
      user_id: toStored(user),
      number,
      name: toStored(name),
      text: toStored(text),
      keywords: toStored(JSON.stringify(keywords)),
      importance,
      state: memory.state,
      created: now,
      changed: now
    })}`
    yield* Effect.forEach(
      sources,
      (source, position) =>
        sql`INSERT INTO wield_assistant_sources ${sql.insert({
          memory_id: memory.id,
          position,
          user_id: toStored(user),
          type: source.type,
          name: toStored(source.name),
          text: toStored(source.text)
        })}`,
      { discard: true }
    )
    yield* index.put(user, [memoryItem(memory)])
    return memory
  })

/** A memory as the search has it: its keywords are among its words. */
const memoryItem = ({ changed, id, importance, keywords, name, text }: Memory) => ({
  type: "memory" as const,
  id,
  title: name,
  text: keywords.length === 0 ? text : `${text}\n${keywords.join(" ")}`,
  importance,
  changed
})
