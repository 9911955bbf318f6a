/** Documents and their excerpts. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { columns } from "../store/columns.js"

/**
 * `hash` is the digest of the bytes that a document was read from. `headings`
 * is a list in JSON. `start_at` and `end_at` are places in the document's text
 * as JavaScript counts them, pages begin with 1.
 */
export const migration = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { id, integer } = columns(sql)
  yield* sql`CREATE TABLE wield_assistant_documents (
    id ${id} NOT NULL PRIMARY KEY,
    user_id ${id} NOT NULL,
    address ${id} NOT NULL,
    media_type TEXT NOT NULL,
    hash TEXT NOT NULL,
    bytes ${integer} NOT NULL,
    length ${integer} NOT NULL,
    pages ${integer},
    excerpts ${integer} NOT NULL,
    ingested ${integer} NOT NULL,
    UNIQUE (user_id, address)
  )`
  yield* sql`CREATE TABLE wield_assistant_excerpts (
    document_id ${id} NOT NULL REFERENCES wield_assistant_documents (id) ON DELETE CASCADE,
    position ${integer} NOT NULL,
    headings TEXT NOT NULL,
    start_at ${integer} NOT NULL,
    end_at ${integer} NOT NULL,
    first_page ${integer},
    last_page ${integer},
    text TEXT NOT NULL,
    PRIMARY KEY (document_id, position)
  )`
})
