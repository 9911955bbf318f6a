/** Operations on the database, with the error of the assistant's store. */
import type { SqlClient } from "@effect/sql/SqlClient"
import { type SqlError, SqlErrorTypeId } from "@effect/sql/SqlError"
import { attempt, reason, toStored } from "@wield/agent/SqlOperation"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { UserId } from "../Owner.js"
import { StoreError } from "../StoreError.js"

const isSqlError = (error: unknown): error is SqlError => Predicate.hasProperty(error, SqlErrorTypeId)

/** With the error of the assistant's store. */
export const asStoreError =
  (operation: string) =>
  <A, E, R>(effect: Effect.Effect<A, E | SqlError, R>): Effect.Effect<A, Exclude<E, SqlError> | StoreError, R> =>
    Effect.catchIf(effect, isSqlError, (cause) =>
      Effect.fail(new StoreError({ operation, detail: reason(cause), cause }))
    )

/** Runs a whole operation, again where another was in its way; never for a part of a transaction. */
export const runOperation =
  (operation: string) =>
  <A, E, R>(effect: Effect.Effect<A, E | SqlError, R>): Effect.Effect<A, Exclude<E, SqlError> | StoreError, R> =>
    asStoreError(operation)(attempt<A, E, R>(effect))

/** Adds one to a counter of a user, inside a transaction. Others wait for its end. */
export const addToCounter = (sql: SqlClient, user: UserId, name: string): Effect.Effect<number, SqlError> =>
  Effect.map(
    sql<{ readonly value: number | string }>`
      INSERT INTO wield_assistant_counters ${sql.insert({ user_id: toStored(user), name, value: 1 })}
      ON CONFLICT (user_id, name) DO UPDATE SET value = wield_assistant_counters.value + 1 RETURNING value`,
    ([row]) => Number(row?.value)
  )

/**
 * Runs a change as one transaction, after every other change of the user's: no two take the same name or row. There is
 * one lock, since with several, changes of a goal, a memory and the search would wait for each other.
 */
export const runChange =
  (sql: SqlClient, operation: string, user: UserId) =>
  <A, E, R>(change: Effect.Effect<A, E | SqlError, R>): Effect.Effect<A, Exclude<E, SqlError> | StoreError, R> =>
    Effect.zipRight(addToCounter(sql, user, "changes"), change).pipe(sql.withTransaction, runOperation(operation))

const isStoreError = Schema.is(StoreError)

/** A fault of the store is the application's, so a tool dies with it and the model reads nothing of it. */
export const orDie = <A, E, R>(
  effect: Effect.Effect<A, E | StoreError, R>
): Effect.Effect<A, Exclude<E, StoreError>, R> => Effect.catchIf(effect, isStoreError, Effect.die)
