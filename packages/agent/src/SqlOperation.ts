/**
 * What every operation on a database needs, in the stores of this package and
 * in those of others: it is tried again while another connection holds a lock, its
 * error tells the database's reason without values, and texts come back as they
 * were given. It is imported by its path, `@wield/agent/SqlOperation`, and needs
 * the optional peer `@effect/sql`.
 */
import * as Migrator from "@effect/sql/Migrator"
import { SqlClient } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { attempt as attemptOperation, reasonOf } from "./store/attempt.js"
import { fromStored as fromStoredText, toStored as toStoredText } from "./store/storedText.js"

/**
 * Runs an operation, again while another connection holds a lock or two
 * transactions are in each other's way, for ten seconds at most. What is run
 * again has changed nothing before. A transaction that cannot be ended is an
 * error here, no defect.
 *
 * @category running
 */
export const attempt: <A, E, R>(operation: Effect.Effect<A, E | SqlError, R>) => Effect.Effect<A, E | SqlError, R> =
  attemptOperation

/**
 * Makes what tables are missing, in SQLite or Postgres. Migrations have names
 * such as `0001_visits`; `table` records which of them were run. Processes that
 * start at once may all run it.
 *
 * @example
 * ```ts
 * import { SqlClient } from "@effect/sql/SqlClient"
 * import * as SqlOperation from "@wield/agent/SqlOperation"
 * import { Effect } from "effect"
 *
 * const visits = Effect.flatMap(SqlClient, (sql) => sql`CREATE TABLE visits (count INTEGER NOT NULL)`)
 * export const migrate = SqlOperation.migrate({ "0001_visits": visits }, "visits_migrations")
 * ```
 *
 * @category running
 */
export const migrate = (
  migrations: { readonly [name: string]: Effect.Effect<unknown, SqlError, SqlClient> },
  table: string
): Effect.Effect<void, SqlError, SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const isKnown = sql.onDialectOrElse({ pg: () => true, sqlite: () => true, orElse: () => false })
    if (!isKnown) {
      return yield* migrationError(
        new Error("the dialect is neither SQLite nor Postgres, the only ones that there are tables for")
      )
    }
    yield* Migrator.make({})({ loader: Migrator.fromRecord(migrations), table }).pipe(
      Effect.catchAllDefect((defect) => Effect.fail(migrationError(defect))),
      Effect.catchTag("MigrationError", (error) => Effect.fail(migrationError(error))),
      // Two that make the same table at once: one of them finds it made on its next attempt.
      Effect.retry({ times: 5 }),
      attemptOperation
    )
  })

/** A migration that fails is a defect to the migrator; it is an error here. */
const migrationError = (cause: unknown) => new SqlError({ cause, message: "Failed to migrate" })

/**
 * What the database said, without the statement, which may hold values.
 *
 * @category errors
 */
export const reason: (error: SqlError) => string = reasonOf

/**
 * A text as any database can hold it. Postgres refuses the character NUL, libsql
 * ends a text there when it reads it, and neither can say half of a surrogate
 * pair: those stand as `\u0000` in a column, and a backslash as `\u005c`.
 *
 * @category texts
 */
export const toStored: (text: string) => string = toStoredText

/**
 * The text that `toStored` was given.
 *
 * @category texts
 */
export const fromStored: (text: string) => string = fromStoredText
