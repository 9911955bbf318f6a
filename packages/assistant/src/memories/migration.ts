/** Memories and where they come from. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { columns } from "../store/columns.js"

/**
 * `number` is how people and models name a memory (`[12]`), unique for a user.
 * `state` is `active`, `outdated` (a newer version has it as its source) or
 * `consolidated` (one that was made of several has it as its source).
 *
 * A source keeps the text it had when the memory was made of it: it can still be
 * read when the goal or the conversation is gone.
 */
export const migration = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { id, integer } = columns(sql)
  yield* sql`CREATE TABLE wield_assistant_memories (
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
  )`
  yield* sql`CREATE INDEX wield_assistant_memories_name ON wield_assistant_memories (user_id, state, name)`
  yield* sql`CREATE INDEX wield_assistant_memories_changed ON wield_assistant_memories (user_id, state, changed)`
  yield* sql`CREATE TABLE wield_assistant_sources (
    memory_id ${id} NOT NULL REFERENCES wield_assistant_memories (id) ON DELETE CASCADE,
    position ${integer} NOT NULL,
    user_id ${id} NOT NULL,
    type TEXT NOT NULL,
    name ${id} NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (memory_id, position)
  )`
  yield* sql`CREATE INDEX wield_assistant_sources_name ON wield_assistant_sources (user_id, type, name)`
  // Counts of a user: the last number of a memory, memories since they were last consolidated.
  yield* sql`CREATE TABLE wield_assistant_counters (
    user_id ${id} NOT NULL,
    name TEXT NOT NULL,
    value ${integer} NOT NULL,
    PRIMARY KEY (user_id, name)
  )`
})
