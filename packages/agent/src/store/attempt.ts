/**
 * An operation on a database: tried again while another connection holds a lock, given up
 * on where no answer comes, and its errors kept apart from defects.
 */
import { TransactionConnection } from "@effect/sql/SqlClient"
import { SqlError, SqlErrorTypeId } from "@effect/sql/SqlError"
import { ofStore } from "@wield/core/Traces"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Runtime from "effect/Runtime"
import * as Schedule from "effect/Schedule"
import { StoreError } from "../ConversationError.js"
import { patience } from "./checkedRecords.js"

export const isSqlError = (error: unknown): error is SqlError => Predicate.hasProperty(error, SqlErrorTypeId)

/**
 * Locked by another connection, a deadlock, a serialization failure, no
 * connection free: none of it has changed anything. A lost connection is not
 * among them, for it is unknown what was done before it was lost.
 */
const transient = /^(SQLITE_BUSY|SQLITE_LOCKED|40001|40P01|55P03|53300)/

const causes = (error: unknown, depth = 0): ReadonlyArray<unknown> =>
  depth < 5 && Predicate.hasProperty(error, "cause") ? [error, ...causes(error.cause, depth + 1)] : [error]

/** Also of an error of the journal, whose cause is the database's. */
export const isTransient = (error: unknown): boolean =>
  causes(error).some(isSqlError) &&
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

/** A database that is silent cannot be reached: what waits for it comes to its end, also where nothing can be taken back. */
const answer = <A, E, R>(operation: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError, R> =>
  Effect.flatMap(Effect.runtime<R>(), (runtime) =>
    Effect.async<A, E | SqlError>((resume) => {
      let end: (exit: Exit.Exit<A, E | SqlError>) => void = resume
      let isOver = false
      const timer = setTimeout(() => {
        leave()
        const cause = new Error("the database has not answered for a minute")
        end(Exit.fail(new SqlError({ message: "Failed to execute statement", cause })))
      }, patience)
      const ended = (exit: Exit.Exit<A, E>) =>
        Effect.sync(() => {
          clearTimeout(timer)
          isOver = true
          end(exit)
        })
      const fiber = Runtime.runFork(runtime, Effect.onExit(operation, ended))
      // What it does when it is interrupted asks the same database.
      const leave = () => void Effect.runFork(Fiber.interruptFork(fiber))
      // What has interrupted itself comes here as well.
      return Effect.async<void>((interrupted) => {
        if (isOver) return interrupted(Effect.void)
        end = () => interrupted(Effect.void)
        leave()
      })
    })
  )

/** What failed within a transaction may have ended it: that is tried again as a whole. */
const isAlone = Effect.map(Effect.serviceOption(TransactionConnection), Option.isNone)

/** Tries an operation within the bounds above. A transaction that cannot be ended is an error here, no defect. */
export const tryAgain = <A, E, R>(operation: Effect.Effect<A, E | SqlError, R>): Effect.Effect<A, E | SqlError, R> =>
  ofStore(operation).pipe(
    Effect.catchAllDefect((defect) => (isSqlError(defect) ? Effect.fail(defect) : Effect.die(defect))),
    Effect.retry({ schedule: again, while: (error) => (isTransient(error) ? isAlone : Effect.succeed(false)) })
  )

/** The same, with a minute for each try: a migration may take longer. */
export const attempt = <A, E, R>(operation: Effect.Effect<A, E | SqlError, R>): Effect.Effect<A, E | SqlError, R> =>
  tryAgain(answer(operation))

export const asStoreError =
  (name: string) =>
  <A, E, R>(operation: Effect.Effect<A, E | SqlError, R>): Effect.Effect<A, Exclude<E, SqlError> | StoreError, R> =>
    Effect.catchIf(operation, isSqlError, (error) =>
      Effect.fail(new StoreError({ operation: name, detail: reasonOf(error), cause: error }))
    )

/** Tries an operation, with the error of a store. */
export const storeErrors =
  (name: string) =>
  <A, E, R>(operation: Effect.Effect<A, E | SqlError, R>): Effect.Effect<A, Exclude<E, SqlError> | StoreError, R> =>
    asStoreError(name)(attempt(operation))
