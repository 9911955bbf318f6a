/** Goals and what has become of them. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { columns } from "../store/columns.js"

export const migration = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { id, integer } = columns(sql)
  yield* sql`CREATE TABLE wield_assistant_goals (
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
  )`
  // A completed goal's name may be given to another one.
  yield* sql`CREATE UNIQUE INDEX wield_assistant_goals_name ON wield_assistant_goals (user_id, name)
    WHERE state = 'active'`
  yield* sql`CREATE INDEX wield_assistant_goals_state ON wield_assistant_goals (user_id, state, changed)`
  yield* sql`CREATE TABLE wield_assistant_goal_updates (
    goal_id ${id} NOT NULL REFERENCES wield_assistant_goals (id) ON DELETE CASCADE,
    position ${integer} NOT NULL,
    text TEXT NOT NULL,
    created ${integer} NOT NULL,
    PRIMARY KEY (goal_id, position)
  )`
})
