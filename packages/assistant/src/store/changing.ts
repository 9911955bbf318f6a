/** One change of a user's rows at a time. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import type { UserId } from "../Owner.js"
import type { StoreError } from "../StoreError.js"
import { counted } from "./counter.js"
import { stored } from "./stored.js"

/**
 * Runs a change as one transaction, after every other change of the user's: no
 * two of them take the same name or replace the same row. All kinds of rows have
 * the one lock, since a change of goals makes a memory, and each changes the
 * search: with several locks, two changes that take them in different orders
 * would wait for each other until Postgres ends one of them, a second later.
 */
export const changing =
  (sql: SqlClient, operation: string, user: UserId) =>
  <A, E, R>(change: Effect.Effect<A, E | SqlError, R>): Effect.Effect<A, Exclude<E, SqlError> | StoreError, R> =>
    Effect.zipRight(counted(sql, user, "changes"), change).pipe(sql.withTransaction, stored(operation))
