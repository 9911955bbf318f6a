/** A `SqlClient` of Effect 4 for one SQLite file: `@effect/sql-sqlite-node` and its like are not released for 4 yet. */
import { Effect, Layer, Scope, Semaphore, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, SqlError, Statement } from "effect/sql"
import Database from "libsql"

const failed = (cause: unknown) =>
  new SqlError.SqlError({ reason: new SqlError.UnknownError({ cause, message: "the statement failed" }) })

const connectionOf = (database: Database.Database): SqlConnection.Connection => {
  const rows = (sql: string, parameters: ReadonlyArray<unknown>): ReadonlyArray<object> => {
    const statement = database.prepare(sql)
    if (statement.reader) return statement.all(...parameters) as ReadonlyArray<object>
    statement.run(...parameters)
    return []
  }
  const execute = (sql: string, parameters: ReadonlyArray<unknown>) =>
    Effect.try({ try: () => rows(sql, parameters), catch: failed })
  return {
    execute,
    executeRaw: execute,
    executeUnprepared: execute,
    executeStream: (sql, parameters) =>
      Stream.unwrap(Effect.map(execute(sql, parameters), (all) => Stream.fromIterable(all))),
    executeValues: (sql, parameters) => Effect.map(execute(sql, parameters), (all) => all.map(Object.values)),
    executeValuesUnprepared: (sql, parameters) => Effect.map(execute(sql, parameters), (all) => all.map(Object.values))
  }
}

export const layer = (path: string): Layer.Layer<SqlClient.SqlClient> =>
  Layer.effect(
    SqlClient.SqlClient,
    Effect.gen(function* () {
      const database = yield* Effect.acquireRelease(
        Effect.sync(() => new Database(path)),
        (open) => Effect.sync(() => open.close())
      )
      database.exec("PRAGMA journal_mode = WAL")
      const connection = connectionOf(database)
      const turn = Semaphore.makeUnsafe(1)
      // A transaction has the file to itself.
      const alone = Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          const scope = yield* Effect.scope
          yield* restore(turn.take(1))
          yield* Scope.addFinalizer(scope, turn.release(1))
          return connection
        })
      )
      return yield* SqlClient.make({
        acquirer: alone,
        compiler: Statement.makeCompilerSqlite(),
        driver: "libsql",
        spanAttributes: []
      })
    })
  ).pipe(Layer.provide(Reactivity.layer))
