/**
 * A client for one SQLite file.
 *
 * The client of `@effect/sql-libsql` is used for its connection alone. Each of
 * its transactions leaves an open connection behind, with two file handles,
 * that nobody closes (1,000 transactions: 2,000 handles), and one that cannot
 * begin because the file is locked keeps the permit that all others wait for.
 * Here one connection has everything in turn, and transactions begin with the
 * lock for writing, or not at all.
 */
import type * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { makeCompilerSqlite } from "@effect/sql/Statement"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { StoreError } from "../ConversationError.js"
import { attempt, stored } from "./attempt.js"

/** How a file is opened. */
export interface FileOptions {
  readonly path: string
  readonly synchronous: "full" | "normal"
}

/** libsql decodes the path; on Windows too it takes no backslash for a separator that is one in a URL. */
const urlOf = (path: string): string => `file:${encodeURI(path).replace(/[?#]/g, encodeURIComponent)}`

const opened = (path: string) =>
  Effect.catchAllDefect(
    Effect.suspend(() => LibsqlClient.make({ url: urlOf(path) })),
    (cause) =>
      new StoreError({
        operation: "open",
        detail: `the file ${path} cannot be opened: give a path in a folder that exists and may be written to`,
        cause
      })
  )

export const openFile = (
  options: FileOptions
): Effect.Effect<SqlClient.SqlClient, StoreError, Scope.Scope | Reactivity.Reactivity> =>
  Effect.gen(function* () {
    const libsql = yield* opened(options.path)
    // Read once: what is reserved is its only connection, and taking it waits for nobody.
    const connection = yield* stored("open")(libsql.reserve)
    const pragma = (text: string) => attempt(connection.executeUnprepared(`PRAGMA ${text}`, [], undefined))
    yield* stored("open")(
      Effect.gen(function* () {
        // While it waits here nothing else in the process goes on, so the longer wait is `attempt`'s.
        yield* pragma("busy_timeout = 20")
        yield* pragma("journal_mode = WAL")
        yield* pragma(`synchronous = ${options.synchronous === "full" ? "FULL" : "NORMAL"}`)
        yield* pragma("foreign_keys = ON")
      })
    )

    const turn = yield* Effect.makeSemaphore(1)
    const takeTurn = Effect.uninterruptibleMask((restore) =>
      Effect.zipRight(
        restore(turn.take(1)),
        Effect.addFinalizer(() => turn.release(1))
      )
    )
    const run = (text: string) => Effect.asVoid(connection.executeUnprepared(text, [], undefined))

    const client = yield* SqlClient.make({
      acquirer: Effect.as(takeTurn, connection),
      compiler: makeCompilerSqlite(),
      spanAttributes: [["db.system.name", "sqlite"]]
    })
    const withTransaction = SqlClient.makeWithTransaction({
      transactionTag: SqlClient.TransactionConnection,
      spanAttributes: [["db.system.name", "sqlite"]],
      acquireConnection: Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const scope = yield* Scope.make()
          const begun: Effect.Effect<void, SqlError> = Effect.zipRight(
            restore(Scope.extend(takeTurn, scope)),
            run("BEGIN IMMEDIATE")
          )
          yield* Effect.onError(begun, (cause) => Scope.close(scope, Exit.failCause(cause)))
          return [scope, connection] as const
        })
      ),
      begin: () => Effect.void,
      savepoint: (_, id) => run(`SAVEPOINT wield_${id}`),
      commit: () => run("COMMIT"),
      rollback: () => run("ROLLBACK"),
      rollbackSavepoint: (_, id) => run(`ROLLBACK TO SAVEPOINT wield_${id}`)
    })
    return Object.assign(client, { withTransaction })
  })
