/** What a user is called. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { columns } from "../store/columns.js"

export const migration = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { id, integer } = columns(sql)
  yield* sql`CREATE TABLE wield_assistant_profiles (
    user_id ${id} NOT NULL PRIMARY KEY,
    full_name TEXT,
    preferred_name TEXT,
    changed ${integer} NOT NULL
  )`
})
