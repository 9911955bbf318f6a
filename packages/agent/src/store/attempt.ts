/**
 * An operation on a database: tried again while another connection holds a lock, and
 * its errors kept apart from defects.
 */
import { type SqlError, SqlErrorTypeId } from "@effect/sql/SqlError"
import { ofStore } from "@wield/core/Traces"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import { StoreError } from "../ConversationError.js"

export const isSqlError = (error: unknown): error is SqlError => Predicate.hasProperty(error, SqlErrorTypeId)

/**
 * Locked by another connection, a deadlock, a serialization failure, no
 * connection free: none of it has changed anything. A lost connection is not
 * among them, for it is unknown what was done before it was lost.
 */
const transient = /^(SQLITE_BUSY|SQLITE_LOCKED|40001|40P01|55P03|53300)/

const causes = (error: unknown, depth = 0): ReadonlyArray<unknown> =>
  depth < 5 && Predicate.hasProperty(error, "cause") ? [error, ...causes(error.cause, depth + 1)] : [error]

export const isTransient = (error: unknown): boolean =>
  isSqlError(error) &&
  causes(error).some(
    (cause) => Predicate.hasProperty(cause, "code") && typeof cause.code === "string" && transient.test(cause.code)
  )

/** Many writers at once each wait for their turn, so the pauses stay short; after ten seconds it fails. */
const again = Schedule.exponential("2 millis", 1.5).pipe(
  Schedule.union(Schedule.spaced("100 millis")),
  Schedule.jittered,
  Schedule.upTo("10 seconds")
)

/** What the database said, without the statement, which may hold values. */
export const reasonOf = (error: SqlError): string => {
  const said = causes(error).findLast((cause) => Predicate.hasProperty(cause, "message"))
  return Predicate.hasProperty(said, "message") ? String(said.message) : "the database gave no reason"
}

/** Tries an operation within the bounds above. A transaction that cannot be ended is an error here, no defect. */
export const attempt = <A, E, R>(operation: Effect.Effect<A, E | SqlError, R>): Effect.Effect<A, E | SqlError, R> =>
  ofStore(operation).pipe(
    Effect.catchAllDefect((defect) => (isSqlError(defect) ? Effect.fail(defect) : Effect.die(defect))),
    Effect.retry({ schedule: again, while: isTransient })
  )

/** The same, with the error of a store. */
export const storeErrors =
  (name: string) =>
  <A, E, R>(operation: Effect.Effect<A, E | SqlError, R>): Effect.Effect<A, Exclude<E, SqlError> | StoreError, R> =>
    Effect.catchIf(attempt(operation), isSqlError, (error) =>
      Effect.fail(new StoreError({ operation: name, detail: reasonOf(error), cause: error }))
    )
