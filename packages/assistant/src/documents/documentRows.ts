/** Documents and excerpts as rows, and back. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { Fragment } from "@effect/sql/Statement"
import { fromStored, toStored } from "@wield/agent/SqlOperation"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Document, Excerpt } from "../Document.js"
import type { UserId } from "../Owner.js"

interface DocumentRow {
  readonly id: string
  readonly address: string
  readonly media_type: string
  readonly hash: string
  readonly bytes: number | string
  readonly length: number | string
  readonly pages: number | string | null
  readonly excerpts: number | string
  readonly ingested: number | string
}

export interface StoredDocument {
  readonly id: string
  readonly document: Document
}

export const documentsWhere = (sql: SqlClient, user: UserId, condition: Fragment) =>
  Effect.map(
    sql<DocumentRow>`SELECT d.id, d.address, d.media_type, d.hash, d.bytes, d.length, d.pages, d.excerpts, d.ingested
      FROM wield_assistant_documents d WHERE d.user_id = ${toStored(user)} AND ${condition}`,
    (rows) =>
      rows.map((row) => ({
        id: row.id,
        document: new Document({
          address: fromStored(row.address),
          mediaType: fromStored(row.media_type),
          hash: row.hash,
          bytes: Number(row.bytes),
          length: Number(row.length),
          pages: row.pages === null ? undefined : Number(row.pages),
          excerpts: Number(row.excerpts),
          ingested: DateTime.unsafeMake(Number(row.ingested))
        })
      }))
  )

interface ExcerptRow {
  readonly address: string
  readonly position: number | string
  readonly headings: string
  readonly start_at: number | string
  readonly end_at: number | string
  readonly first_page: number | string | null
  readonly last_page: number | string | null
  readonly text: string
}

/** Written by this package. Text of another form counts as no headings. */
const headingsFrom = Schema.decodeUnknownOption(Schema.parseJson(Schema.Array(Schema.String)))

const headingsOf = (stored: string): ReadonlyArray<string> =>
  Option.getOrElse(headingsFrom(fromStored(stored)), () => [])

export const headingsWithin = (sql: SqlClient, id: string) =>
  Effect.map(
    sql<Pick<ExcerptRow, "position" | "headings">>`SELECT position, headings FROM wield_assistant_excerpts
      WHERE document_id = ${id} ORDER BY position`,
    (rows) => rows.map(({ headings, position }) => ({ index: Number(position), headings: headingsOf(headings) }))
  )

/** The excerpts of a user's documents that meet a condition on `d` and `e`, in their order. */
export const excerptsWhere = (sql: SqlClient, user: UserId, condition: Fragment) =>
  Effect.map(
    sql<ExcerptRow>`SELECT d.address, e.position, e.headings, e.start_at, e.end_at, e.first_page, e.last_page, e.text
      FROM wield_assistant_excerpts e JOIN wield_assistant_documents d ON d.id = e.document_id
      WHERE d.user_id = ${toStored(user)} AND ${condition} ORDER BY d.address, e.position`,
    (rows) =>
      rows.map(
        (row) =>
          new Excerpt({
            address: fromStored(row.address),
            index: Number(row.position),
            headings: headingsOf(row.headings),
            start: Number(row.start_at),
            end: Number(row.end_at),
            pages:
              row.first_page === null || row.last_page === null
                ? undefined
                : [Number(row.first_page), Number(row.last_page)],
            text: fromStored(row.text)
          })
      )
  )

/** A statement takes a bounded number of values: of excerpts there are eight each. */
const atOnce = 200

export const insertExcerpts = (sql: SqlClient, id: string, excerpts: ReadonlyArray<Excerpt>) =>
  Effect.gen(function* () {
    for (let from = 0; from < excerpts.length; from += atOnce) {
      yield* sql`INSERT INTO wield_assistant_excerpts ${sql.insert(
        excerpts.slice(from, from + atOnce).map(({ end, headings, index, pages, start, text }) => ({
          document_id: id,
          position: index,
          headings: toStored(JSON.stringify(headings)),
          start_at: start,
          end_at: end,
          first_page: pages?.[0] ?? null,
          last_page: pages?.[1] ?? null,
          text: toStored(text)
        }))
      )}`
    }
  })
