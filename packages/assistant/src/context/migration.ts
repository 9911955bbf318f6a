/** What is in the current context of a conversation. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { columns } from "../store/columns.js"

export const migration = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { id, integer } = columns(sql)
  yield* sql`CREATE TABLE wield_assistant_context (
    user_id ${id} NOT NULL,
    conversation_id ${id} NOT NULL,
    type TEXT NOT NULL,
    item_id ${id} NOT NULL,
    added ${integer} NOT NULL,
    PRIMARY KEY (user_id, conversation_id, type, item_id)
  )`
  yield* sql`CREATE INDEX wield_assistant_context_item ON wield_assistant_context (user_id, type, item_id)`
})
