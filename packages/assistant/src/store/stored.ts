/** Operations on the database, with the error of the assistant's store. */
import { type SqlError, SqlErrorTypeId } from "@effect/sql/SqlError"
import * as SqlOperation from "@wield/agent/SqlOperation"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { StoreError } from "../StoreError.js"

const isSqlError = (error: unknown): error is SqlError => Predicate.hasProperty(error, SqlErrorTypeId)

/**
 * Runs a whole operation, again where another connection was in its way. Never
 * for a part of a transaction: what was refused there ends all of it.
 */
export const stored =
  (operation: string) =>
  <A, E, R>(effect: Effect.Effect<A, E | SqlError, R>): Effect.Effect<A, Exclude<E, SqlError> | StoreError, R> =>
    Effect.catchIf(SqlOperation.attempt<A, E, R>(effect), isSqlError, (cause) =>
      Effect.fail(new StoreError({ operation, detail: SqlOperation.reason(cause), cause }))
    )
