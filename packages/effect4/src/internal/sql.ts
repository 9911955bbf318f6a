/** A client of a database of Effect 4 as the stores of Wield take one. */
import {
  type Context as Context3,
  Effect as Effect3,
  Reactivity as Reactivity3,
  SqlClient as SqlClient3,
  type SqlConnection as SqlConnection3,
  SqlError as SqlError3,
  SqlStatement as Statement3,
  type Scope as Scope3,
  Context as Services3,
  Stream as Stream3
} from "@wield/effect3"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import type * as SqlClient from "effect/sql/SqlClient"
import type * as SqlConnection from "effect/sql/SqlConnection"
import type * as SqlError from "effect/sql/SqlError"
import { fromExit3 } from "./exits.js"
import { into3, into3With } from "./into3.js"
import { into4, streamInto3 } from "./seam.js"
import { Services } from "./services.js"

export const withClient = <A, E>(
  client: SqlClient.SqlClient,
  effect: Effect3.Effect<A, E, SqlClient3.SqlClient>
): Effect3.Effect<A, E> =>
  Effect3.flatMap(clientTo3(client), (own) => Effect3.provideService(effect, SqlClient3.SqlClient, own))

const clientTo3 = (client: SqlClient.SqlClient): Effect3.Effect<SqlClient3.SqlClient> => {
  const plain = client.withoutTransforms()
  const acquirer: Effect3.Effect<SqlConnection3.Connection, SqlError3.SqlError, Scope3.Scope> = Effect3.flatMap(
    Services,
    (services) => {
      // A transaction of 4 that is open, be it the application's or one of `withTransaction` below.
      const open: Open | undefined = services.mapUnsafe.get(plain.transactionService.key)
      if (open !== undefined) return Effect3.succeed(connectionTo3(open[0]))
      return Effect3.acquireRelease(into3(Scope.make()), (scope, exit) =>
        into3(Scope.close(scope, fromExit3(exit)))
      ).pipe(
        Effect3.flatMap((scope) => into3(Effect.provideService(plain.reserve, Scope.Scope, scope))),
        Effect3.mapBoth({ onFailure: errorTo3, onSuccess: connectionTo3 })
      )
    }
  )
  const isPostgres = plain.onDialectOrElse({ pg: () => true, orElse: () => false })
  return SqlClient3.make({
    acquirer,
    compiler: isPostgres ? compilerOfPostgres : Statement3.makeCompilerSqlite(),
    spanAttributes: [["db.system.name", isPostgres ? "postgresql" : "sqlite"]]
  }).pipe(
    Effect3.provideService(Reactivity3.Reactivity, noReactivity),
    Effect3.map((made) => {
      const own: SqlClient3.SqlClient = Object.assign(made, {
        withTransaction: transactionOf(plain),
        withoutTransforms: () => own
      })
      return own
    })
  )
}

type Open = SqlClient.TransactionConnection.Service

/** Stores do not watch tables. */
const noReactivity = {} as Reactivity3.Reactivity["Type"]

/** A transaction of the client itself, which knows those that are open and their savepoints. */
const transactionOf =
  (client: SqlClient.SqlClient): SqlClient3.SqlClient["withTransaction"] =>
  <R, E, A>(effect: Effect3.Effect<A, E, R>) =>
    Effect3.contextWithEffect((context: Context3.Context<R>) =>
      into3With(() =>
        client.withTransaction(
          // The services of 4, with the transaction among them, are those of the fiber that runs it.
          into4(
            Effect3.mapInputContext(effect, (inner: Context3.Context<never>) => {
              const services = Services3.get(inner, Services)
              const whole = Services3.add(Services3.merge(inner, context), Services, services)
              const open: Open | undefined = services.mapUnsafe.get(client.transactionService.key)
              // What is tried again is the transaction, not what failed within it.
              return open === undefined
                ? whole
                : Services3.add(whole, SqlClient3.TransactionConnection, [connectionTo3(open[0]), open[1]])
            })
          )
        )
      )
    ).pipe(Effect3.mapError((error) => (isSqlError(error) ? errorTo3(error) : error)))

const isSqlError = (error: unknown): error is SqlError.SqlError =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "SqlError" && "reason" in error

const errorTo3 = ({ message, reason }: SqlError.SqlError): SqlError3.SqlError =>
  new SqlError3.SqlError({ cause: reason.cause, message })

const connectionTo3 = (connection: SqlConnection.Connection): SqlConnection3.Connection => {
  const run = <A>(effect: Effect.Effect<A, SqlError.SqlError>) => Effect3.mapError(into3(effect), errorTo3)
  return {
    execute: (sql, parameters, transform) => run(connection.execute(sql, parameters, transform)),
    executeRaw: (sql, parameters) => run(connection.executeRaw(sql, parameters)),
    executeStream: (sql, parameters, transform) => {
      const rows = streamInto3(connection.executeStream(sql, parameters, transform))
      return Stream3.mapError(rows, errorTo3)
    },
    executeValues: (sql, parameters) => run(connection.executeValues(sql, parameters)),
    executeUnprepared: (sql, parameters, transform) => run(connection.executeUnprepared(sql, parameters, transform))
  }
}

const escape = Statement3.defaultEscape('"')

/** As that of `@effect/sql-pg`, without types of its own. */
const compilerOfPostgres = Statement3.makeCompiler({
  dialect: "pg",
  placeholder: (index) => `$${index}`,
  onIdentifier: escape,
  onRecordUpdate: (placeholders, alias, columns, values, returning) => [
    `(values ${placeholders}) AS ${alias}${columns}${returning === undefined ? "" : ` RETURNING ${returning[0]}`}`,
    returning === undefined ? values.flat() : values.flat().concat(returning[1])
  ],
  onCustom: () => ["", []]
})
