/** The tables of the assistant. A published migration is never changed: the next is added after it. */
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as SqlOperation from "@wield/agent/SqlOperation"
import * as Effect from "effect/Effect"
import * as Record from "effect/Record"
import type { StoreError } from "../StoreError.js"
import { asStoreError } from "./operation.js"

/** The types that a database has for columns. */
const columnsOf = (sql: SqlClient.SqlClient) =>
  sql.onDialectOrElse({
    pg: () => ({
      // Ids are compared by their bytes, in whatever language the database sorts.
      id: sql.literal(`TEXT COLLATE "C"`),
      integer: sql.literal("BIGINT"),
      key: sql.literal("BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
      bytes: sql.literal("BYTEA"),
      words: sql.literal(", words TSVECTOR NOT NULL")
    }),
    orElse: () => ({
      id: sql.literal("TEXT"),
      integer: sql.literal("INTEGER"),
      key: sql.literal("INTEGER PRIMARY KEY AUTOINCREMENT"),
      bytes: sql.literal("BLOB"),
      words: sql.literal("")
    })
  })

/** The statements of each migration, by their numbers. */
const statementsOf = (sql: SqlClient.SqlClient, { bytes, id, integer, key, words }: ReturnType<typeof columnsOf>) => ({
  /**
   * `items` is what can be found. `embedded` names the model that made its vector; null before that.
   * `versions` counts the changes of a user's vectors, for those who keep them in memory.
   */
  "0001_search": [
    sql`CREATE TABLE wield_assistant_items (
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
    )`,
    sql.onDialectOrElse({
      pg: () => sql`CREATE INDEX wield_assistant_items_words ON wield_assistant_items USING GIN (words)`,
      // Who owns an item is a word of it, so that the words of others cost nothing. The texts stand in `items` only.
      orElse: () => sql`CREATE VIRTUAL TABLE wield_assistant_words USING fts5(
        owner, title, body, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'
      )`
    }),
    sql`CREATE TABLE wield_assistant_vectors (
      item ${integer} NOT NULL PRIMARY KEY REFERENCES wield_assistant_items (item) ON DELETE CASCADE,
      user_id ${id} NOT NULL,
      type TEXT NOT NULL,
      model TEXT NOT NULL,
      dimensions ${integer} NOT NULL,
      hash TEXT NOT NULL,
      vector ${bytes} NOT NULL
    )`,
    // Of one user, and of all.
    sql`CREATE INDEX wield_assistant_items_user_embedded ON wield_assistant_items (user_id, embedded)`,
    sql`CREATE INDEX wield_assistant_items_embedded ON wield_assistant_items (embedded)`,
    sql`CREATE INDEX wield_assistant_vectors_user ON wield_assistant_vectors (user_id, model)`,
    sql`CREATE INDEX wield_assistant_vectors_hash ON wield_assistant_vectors (hash, model)`,
    sql`CREATE TABLE wield_assistant_versions (user_id ${id} NOT NULL PRIMARY KEY, version ${integer} NOT NULL)`
  ],
  "0002_context": [
    sql`CREATE TABLE wield_assistant_context (
      user_id ${id} NOT NULL,
      conversation_id ${id} NOT NULL,
      type TEXT NOT NULL,
      item_id ${id} NOT NULL,
      added ${integer} NOT NULL,
      PRIMARY KEY (user_id, conversation_id, type, item_id)
    )`,
    sql`CREATE INDEX wield_assistant_context_item ON wield_assistant_context (user_id, type, item_id)`
  ],
  /**
   * `number` names a memory to people and models, unique for a user. One that is `outdated` or `consolidated` is the
   * source of another. A source keeps the text it had then, also when it is gone.
   */
  "0003_memories": [
    sql`CREATE TABLE wield_assistant_memories (
      id ${id} NOT NULL PRIMARY KEY,
      user_id ${id} NOT NULL,
      number ${integer} NOT NULL,
      name ${id} NOT NULL,
      text TEXT NOT NULL,
      keywords TEXT NOT NULL,
      importance ${integer} NOT NULL,
      state TEXT NOT NULL,
      created ${integer} NOT NULL,
      changed ${integer} NOT NULL,
      UNIQUE (user_id, number)
    )`,
    sql`CREATE INDEX wield_assistant_memories_name ON wield_assistant_memories (user_id, state, name)`,
    sql`CREATE INDEX wield_assistant_memories_changed ON wield_assistant_memories (user_id, state, changed)`,
    sql`CREATE TABLE wield_assistant_sources (
      memory_id ${id} NOT NULL REFERENCES wield_assistant_memories (id) ON DELETE CASCADE,
      position ${integer} NOT NULL,
      user_id ${id} NOT NULL,
      type TEXT NOT NULL,
      name ${id} NOT NULL,
      text TEXT NOT NULL,
      PRIMARY KEY (memory_id, position)
    )`,
    sql`CREATE INDEX wield_assistant_sources_name ON wield_assistant_sources (user_id, type, name)`,
    // Counts of a user: the last number of a memory, memories since they were last consolidated.
    sql`CREATE TABLE wield_assistant_counters (
      user_id ${id} NOT NULL,
      name TEXT NOT NULL,
      value ${integer} NOT NULL,
      PRIMARY KEY (user_id, name)
    )`
  ],
  "0004_goals": [
    sql`CREATE TABLE wield_assistant_goals (
      id ${id} NOT NULL PRIMARY KEY,
      user_id ${id} NOT NULL,
      name ${id} NOT NULL,
      description TEXT,
      strategy TEXT,
      end_condition TEXT,
      due ${integer},
      priority ${integer},
      state TEXT NOT NULL,
      created ${integer} NOT NULL,
      changed ${integer} NOT NULL
    )`,
    // A completed goal's name may be given to another one.
    sql`CREATE UNIQUE INDEX wield_assistant_goals_name ON wield_assistant_goals (user_id, name)
      WHERE state = 'active'`,
    sql`CREATE INDEX wield_assistant_goals_state ON wield_assistant_goals (user_id, state, changed)`,
    sql`CREATE TABLE wield_assistant_goal_updates (
      goal_id ${id} NOT NULL REFERENCES wield_assistant_goals (id) ON DELETE CASCADE,
      position ${integer} NOT NULL,
      text TEXT NOT NULL,
      created ${integer} NOT NULL,
      PRIMARY KEY (goal_id, position)
    )`
  ],
  "0005_user": [
    sql`CREATE TABLE wield_assistant_profiles (
      user_id ${id} NOT NULL PRIMARY KEY,
      full_name TEXT,
      preferred_name TEXT,
      changed ${integer} NOT NULL
    )`
  ],
  /** `hash` is the digest of the bytes, `headings` a list in JSON, `start_at` and `end_at` are places in the text. */
  "0006_documents": [
    sql`CREATE TABLE wield_assistant_documents (
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
    )`,
    sql`CREATE TABLE wield_assistant_excerpts (
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
  ]
})

/** Where nothing is missing, nothing needs to be locked, and no right to make tables. */
const isCurrent = (sql: SqlClient.SqlClient, latest: number): Effect.Effect<boolean, SqlError> =>
  Effect.gen(function* () {
    const known = yield* sql.onDialectOrElse({
      pg: () => sql`SELECT 1 WHERE to_regclass('wield_assistant_migrations') IS NOT NULL`,
      orElse: () => sql`SELECT 1 FROM sqlite_master WHERE name = 'wield_assistant_migrations'`
    })
    if (known.length === 0) return false
    const made = yield* sql`SELECT 1 FROM wield_assistant_migrations WHERE migration_id = ${latest}`
    return made.length > 0
  })

/** Makes what tables are missing. Processes that start at once may all run it. */
export const migrate: Effect.Effect<void, StoreError, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const migrations = Record.map(statementsOf(sql, columnsOf(sql)), (statements) =>
    Effect.all(statements, { discard: true })
  )
  const isKnown = sql.onDialectOrElse({ pg: () => true, sqlite: () => true, orElse: () => false })
  if (isKnown && (yield* SqlOperation.attempt(isCurrent(sql, Record.size(migrations))))) return
  yield* SqlOperation.migrate(migrations, "wield_assistant_migrations")
}).pipe(asStoreError("make its tables"))
