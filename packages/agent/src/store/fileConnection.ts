/**
 * One connection to a SQLite file, for `@effect/sql`.
 *
 * libsql is used directly, not through `@effect/sql-libsql`, for a statement of
 * libsql that a lock refuses stays in progress until it is garbage: whatever is
 * written on that connection meanwhile reports success and is not committed.
 * Only `exec` ends what it began. So every write here is in a transaction that
 * `exec` began with the lock for writing, or was refused there.
 */
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import Database from "libsql"

/** A connection, and how its transactions begin and end. */
export interface FileConnection extends Connection {
  readonly begin: Effect.Effect<void, SqlError>
  readonly commit: Effect.Effect<void, SqlError>
  readonly rollback: Effect.Effect<void, SqlError>
  readonly close: Effect.Effect<void>
}

/** What needs no lock for writing, or allows no transaction around it. */
const isBare = /^\s*(select|pragma|explain|vacuum|attach|detach|savepoint|release|rollback)\b/i

const attempted = <A>(action: () => A): Effect.Effect<A, SqlError> =>
  Effect.try({ try: action, catch: (cause) => new SqlError({ cause, message: "Failed to execute statement" }) })

/** libsql ends the process at a boolean. */
const bound = (value: unknown): unknown => (typeof value === "boolean" ? Number(value) : value)

export const openConnection = (path: string): Effect.Effect<FileConnection, SqlError> =>
  attempted(() => new Database(path)).pipe(
    Effect.map((database) => {
      const rows = (text: string, parameters: ReadonlyArray<unknown>, isRaw: boolean): Array<unknown> => {
        const statement = database.prepare(text)
        // `raw` is an error where no rows can come.
        return (isRaw && statement.reader ? statement.raw() : statement).all(parameters.map(bound))
      }

      const rollback = () => {
        // Some errors have rolled it back already.
        if (database.inTransaction) database.exec("ROLLBACK")
      }

      const all = (text: string, parameters: ReadonlyArray<unknown>, isRaw: boolean): Array<unknown> => {
        if (database.inTransaction || isBare.test(text)) return rows(text, parameters, isRaw)
        database.exec("BEGIN IMMEDIATE")
        try {
          const found = rows(text, parameters, isRaw)
          database.exec("COMMIT")
          return found
        } finally {
          rollback()
        }
      }

      const execute: Connection["execute"] = (text, parameters, transformRows) =>
        // Rows that are not raw are objects, by the column.
        attempted(() => all(text, parameters, false) as Array<object>).pipe(
          Effect.map((found) => transformRows?.(found) ?? found)
        )

      const commit = () => {
        try {
          database.exec("COMMIT")
        } finally {
          rollback()
        }
      }

      return {
        execute,
        executeUnprepared: execute,
        executeRaw: (text, parameters) => attempted(() => all(text, parameters, false)),
        // Raw rows are arrays, in the order of the columns.
        executeValues: (text, parameters) => attempted(() => all(text, parameters, true) as Array<Array<unknown>>),
        executeStream: (text, parameters, transformRows) =>
          Stream.unwrap(Effect.map(execute(text, parameters, transformRows), Stream.fromIterable)),
        begin: attempted(() => void database.exec("BEGIN IMMEDIATE")),
        commit: attempted(commit),
        rollback: attempted(rollback),
        close: Effect.sync(() => database.close())
      }
    })
  )
