/**
 * The tables of conversations and of the journal. A migration that was
 * published is never changed; the next one is added after it.
 */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as SqlOperation from "../SqlOperation.js"
import { waitingCondition } from "./search.js"

const conversations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Ids are compared by their bytes, in whatever language the database sorts.
  const { text, integer } = sql.onDialectOrElse({
    pg: () => ({ text: sql.literal(`TEXT COLLATE "C"`), integer: sql.literal("BIGINT") }),
    orElse: () => ({ text: sql.literal("TEXT"), integer: sql.literal("INTEGER") })
  })
  // No column is named `length`: a row of libsql has that property already, the number of its columns.
  yield* sql`CREATE TABLE wield_conversations (
    id ${text} NOT NULL PRIMARY KEY,
    title TEXT,
    metadata TEXT NOT NULL,
    created ${integer} NOT NULL,
    changed ${integer} NOT NULL,
    size ${integer} NOT NULL,
    last ${text}
  )`
  yield* sql`CREATE INDEX wield_conversations_changed ON wield_conversations (changed, id)`
  yield* sql`CREATE TABLE wield_entries (
    conversation ${text} NOT NULL REFERENCES wield_conversations (id) ON DELETE CASCADE,
    position ${integer} NOT NULL,
    id ${text} NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (conversation, position),
    UNIQUE (conversation, id)
  )`
})

const journal = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { text, integer } = sql.onDialectOrElse({
    pg: () => ({ text: sql.literal(`TEXT COLLATE "C"`), integer: sql.literal("BIGINT") }),
    orElse: () => ({ text: sql.literal("TEXT"), integer: sql.literal("INTEGER") })
  })
  yield* sql`CREATE TABLE wield_calls (
    run ${text} NOT NULL,
    call ${text} NOT NULL,
    digest ${text} NOT NULL,
    tool TEXT,
    state TEXT NOT NULL,
    ending TEXT,
    begins ${integer} NOT NULL,
    changed ${integer} NOT NULL,
    PRIMARY KEY (run, call, digest)
  )`
})

/** Which process has begun a call. */
const owners = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE wield_calls ADD COLUMN owner TEXT`
})

/** Which runner of a cluster has begun a call. */
const runners = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE wield_calls ADD COLUMN begun_by TEXT`
})

/** Conversations in which calls wait, in the order of lists. */
const waiting = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE INDEX wield_conversations_waiting ON wield_conversations (changed, id)
    WHERE ${waitingCondition(sql)}`
})

/**
 * Entries are written after the row of their conversation, in one transaction, which keeps it from being deleted. The
 * reference locked that row once more for each entry. SQLite takes no constraint away.
 */
const entriesAlone = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.onDialectOrElse({
    pg: () => sql`ALTER TABLE wield_entries DROP CONSTRAINT IF EXISTS wield_entries_conversation_fkey`,
    orElse: () => Effect.void
  })
})

/**
 * An entry changes the time of its conversation, and in Postgres every index of a row whose indexed columns change is
 * written again. Its hour seldom changes, and the order within an hour is soon sorted.
 */
const hours = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.onDialectOrElse({
    pg: () =>
      Effect.all([
        sql`ALTER TABLE wield_conversations ADD COLUMN hour BIGINT GENERATED ALWAYS AS (changed / 3600000) STORED`,
        sql`CREATE INDEX wield_conversations_hour ON wield_conversations (hour)`,
        sql`DROP INDEX wield_conversations_changed`,
        sql`DROP INDEX wield_conversations_waiting`,
        sql`CREATE INDEX wield_conversations_waiting ON wield_conversations (hour) WHERE ${waitingCondition(sql)}`
      ]),
    orElse: () => Effect.void
  })
})

/** Who gave the answer with which a call goes on. */
const answerers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE wield_calls ADD COLUMN answered_by TEXT`
})

/** Makes what tables are missing. Processes that start at once may all run it. */
export const migrate = SqlOperation.migrate(
  {
    "0001_conversations": conversations,
    "0002_journal": journal,
    "0003_owners": owners,
    "0004_runners": runners,
    "0005_waiting": waiting,
    "0006_entries_alone": entriesAlone,
    "0007_hours": hours,
    "0008_answerers": answerers
  },
  "wield_migrations"
)
