/** Memories as rows, and back. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import { fromStored, toStored } from "@wield/agent/SqlOperation"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Memory, SourceType } from "../Memory.js"
import type { UserId } from "../Owner.js"

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
