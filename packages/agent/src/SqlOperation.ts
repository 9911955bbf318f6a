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
import { attempt as attemptOperation, reasonOf, tryAgain } from "./store/attempt.js"

/**
 * Runs an operation, again while another connection holds a lock or two
 * transactions are in each other's way, for ten seconds at most; not within a
 * transaction, which is run again as a whole. What is run again has changed
 * nothing before. A minute without an answer is an error, and so is a transaction
 * that cannot be ended, which is no defect here.
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
      tryAgain
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
 * pair: those stand as `\u0000` in a column, and a backslash, so that no two
 * texts become one, as `\u005c`. Every other text stands as it is.
 *
 * @category texts
 */
export const toStored = (text: string): string =>
  !isSuspect.test(text)
    ? text
    : text.replace(unspeakable, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

// A control character is what this is about.
// oxlint-disable-next-line no-control-regex
const unspeakable = /[\0\\]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g

/** Most texts have none of them, which this says in a third of the time. */
// oxlint-disable-next-line no-control-regex
const isSuspect = /[\0\\\uD800-\uDFFF]/

/**
 * The text that `toStored` was given.
 *
 * @category texts
 */
export const fromStored = (text: string): string =>
  // In a damaged file any value may stand there.
  String(text).replace(/\\u([0-9a-f]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
