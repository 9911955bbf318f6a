/** The tables of the search. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { columns } from "../store/columns.js"

/**
 * `items` is what can be found; its words are in an index of the database's
 * own. `vectors` holds what an embedding model made of an item, which `embedded`
 * names: nothing where that has still to be done, because the item or its text
 * is new. `versions` counts the changes of a user's vectors, for those who keep
 * them in memory.
 */
export const migration = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { bytes, id, integer, key } = columns(sql)
  const words = sql.onDialectOrElse({
    pg: () => sql.literal(", words TSVECTOR NOT NULL"),
    orElse: () => sql.literal("")
  })
  yield* sql`CREATE TABLE wield_assistant_items (
    item ${key},
    user_id ${id} NOT NULL,
    type TEXT NOT NULL,
    id ${id} NOT NULL,
    title TEXT NOT NULL,
    body TEXT NOT NULL,
    importance ${integer} NOT NULL,
    changed ${integer} NOT NULL,
    hash TEXT NOT NULL,
    embedded TEXT${words},
    UNIQUE (user_id, type, id)
  )`
  yield* sql.onDialectOrElse({
    pg: () => sql`CREATE INDEX wield_assistant_items_words ON wield_assistant_items USING GIN (words)`,
    // Who owns an item is a word of it, so that the words of others cost nothing. The texts stand in `items` only.
    orElse: () => sql`CREATE VIRTUAL TABLE wield_assistant_words USING fts5(
      owner, title, body, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'
    )`
  })
  yield* sql`CREATE TABLE wield_assistant_vectors (
    item ${integer} NOT NULL PRIMARY KEY REFERENCES wield_assistant_items (item) ON DELETE CASCADE,
    user_id ${id} NOT NULL,
    type TEXT NOT NULL,
    model TEXT NOT NULL,
    dimensions ${integer} NOT NULL,
    hash TEXT NOT NULL,
    vector ${bytes} NOT NULL
  )`
  // Of one user, and of all.
  yield* sql`CREATE INDEX wield_assistant_items_user_embedded ON wield_assistant_items (user_id, embedded)`
  yield* sql`CREATE INDEX wield_assistant_items_embedded ON wield_assistant_items (embedded)`
  yield* sql`CREATE INDEX wield_assistant_vectors_user ON wield_assistant_vectors (user_id, model)`
  yield* sql`CREATE INDEX wield_assistant_vectors_hash ON wield_assistant_vectors (hash, model)`
  yield* sql`CREATE TABLE wield_assistant_versions (user_id ${id} NOT NULL PRIMARY KEY, version ${integer} NOT NULL)`
})
