/**
 * Entries of type `api` whose query is an SQL statement, over a SQLite file,
 * Postgres, MySQL, or any other client of `@effect/sql`.
 *
 * A statement has parameters `:name`, which are bound: no value is ever a part
 * of its text. It may only read unless its entry says `write`. Imported by its
 * path, `@wield/manifest/SqlExecutor`, for it needs the optional peers
 * `@effect/sql` and `@effect/experimental`, and of `libsql`, `@effect/sql-pg`
 * and `@effect/sql-mysql2` the one whose database is used.
 */
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Execute, Executor } from "./Executor.js"
import * as ExecutorFactory from "./ExecutorFactory.js"
import { aNumber, type Checks, fields } from "@wield/core/Options"
import { checkOptions } from "./file/options.js"
import type { ApiEntry } from "./ManifestEntry.js"
import { bind, maxList } from "./sql/bind.js"
import { check, checkAnyDialect } from "./sql/check.js"
import { type Target, targetOf } from "./sql/connection.js"
import { type Answer, type Call, type Driver, type Limits, withinBound, inTransaction } from "./sql/Driver.js"
import { failureOf, inDoubt, refusal, timedOut } from "./sql/failure.js"
import { postgres } from "./sql/postgres.js"
import { parse } from "./sql/Statement.js"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as Redacted from "effect/Redacted"
import type { Connection } from "@effect/sql/SqlConnection"
import * as Predicate from "effect/Predicate"
import { ofUnknown, result } from "./sql/cell.js"

/**
 * Limits of each call, where its entry has none of its own.
 *
 * @category models
 */
export interface Options {
  /** Milliseconds until the statement is cancelled, the wait for a connection included. 30,000 unless given. */
  readonly timeout?: number | undefined
  /** 1,000 unless given. */
  readonly maxRows?: number | undefined
  /** Bytes of the rows as JSON. 1 MiB unless given. */
  readonly maxBytes?: number | undefined
}

/**
 * An executor over a client. Each statement has a connection and a transaction
 * of its own, whatever transaction its caller is in.
 *
 * The answer is `{ rows }`, and `{ rowsAffected }` of a statement that writes,
 * with `rows` where it returns some. Where there are more rows than the limits
 * allow, `truncated` says which limit it was. A client for another database
 * than Postgres, MySQL or SQLite is a defect; a misspelt limit is an `InvalidConfiguration`.
 *
 * @example
 * ```ts
 * import * as FileStore from "@wield/agent/FileStore"
 * import { Manifest } from "@wield/manifest"
 * import * as SqlExecutor from "@wield/manifest/SqlExecutor"
 * import { Effect } from "effect"
 *
 * const text = '[{ "type": "api", "function": { "name": "double" }, "api": { "query": "SELECT 2 * 21 AS doubled" } }]'
 * export const toolset = Effect.flatMap(Manifest.parse(text), (manifest) =>
 *   Manifest.toToolset(manifest, { executors: { default: SqlExecutor.make({ maxRows: 100 }) } })
 * ).pipe(Effect.provide(FileStore.layerClient({ path: "shop.db" })))
 * ```
 *
 * @category constructors
 */
export const make = (options: Options = {}): Effect.Effect<Executor, ExecutorFactory.InvalidConfiguration, SqlClient> =>
  Effect.flatMap(Effect.zipRight(checkOptions(checks, options), SqlClient), (client) =>
    client.onDialectOrElse({
      pg: () => Effect.succeed(executor(postgres(client), options)),
      mysql: () => Effect.succeed(executor(mysql(client), options)),
      sqlite: () => Effect.succeed(executor(sqlite(client), options)),
      orElse: () => Effect.dieMessage("SqlExecutor speaks with Postgres, MySQL and SQLite; the client is for another")
    })
  )

const checks = fields({ timeout: aNumber, maxRows: aNumber, maxBytes: aNumber } satisfies Checks<Options>)

const Configuration = Schema.Struct({
  url: ExecutorFactory.Text,
  username: Schema.optional(ExecutorFactory.Text),
  password: Schema.optional(ExecutorFactory.Text),
  /** Of JDBC; the URL tells which database it is. */
  driverClass: Schema.optional(ExecutorFactory.Text),
  timeout: Schema.optional(Schema.Positive),
  maxRows: Schema.optional(Schema.Int.pipe(Schema.positive())),
  maxBytes: Schema.optional(Schema.Int.pipe(Schema.positive()))
})

/**
 * Makes executors of type `sql` or `jdbc`: `{ "type": "sql", "url": "file:shop.db" }`, or `postgres://` and `mysql://`,
 * after `jdbc:` or not; `username` and `password` may stand beside it. Connections are closed with the scope.
 *
 * @category constructors
 */
export const factory: ExecutorFactory.ExecutorFactory<Scope.Scope> = ExecutorFactory.make({
  types: ["sql", "jdbc"],
  configuration: Configuration,
  check: checkAnyDialect,
  make: (configuration, origin) =>
    Effect.flatMap(
      Either.match(targetOf(configuration, origin.folder), { onLeft: Effect.fail, onRight: open }),
      (driver) => Effect.succeed(executor(driver, configuration))
    ).pipe(
      Effect.mapError((message) => new ExecutorFactory.InvalidConfiguration({ faults: [{ path: ["url"], message }] }))
    )
})

const executor = (driver: Driver, options: Options): Executor => ({
  kind: "sql",
  check: (entry) => check(entry, driver.dialect),
  prepare: (entry) => prepare(driver, entry, options)
})

const prepare = (driver: Driver, { api }: ApiEntry, options: Options): Execute => {
  const statement = parse(api.query ?? "", driver.dialect)
  const limits: Limits = {
    timeout: api.limits.timeout ?? options.timeout ?? 30_000,
    maxRows: api.limits.maxRows ?? options.maxRows ?? 1_000,
    maxBytes: api.limits.maxBytes ?? options.maxBytes ?? 1_048_576
  }
  const { kind } = statement
  const { isWriting } = api
  return (parameters) =>
    Option.match(bind(statement, parameters), {
      onNone: () => Effect.fail(refusal(`a list of more than ${maxList} values: send fewer`)),
      onSome: (bound) => Effect.map(driver.run({ bound, kind, isWriting, limits }), (answer) => result(answer, limits))
    })
}

/** Fails with a text for the configuration's author. */
const open = ({ dialect, url }: Target): Effect.Effect<Driver, string, Scope.Scope> => {
  switch (dialect) {
    case "sqlite":
      return Effect.flatMap(
        imported("libsql", () => import("./sql/sqliteFile.js")),
        ({ openFile }) =>
          Effect.mapError(
            openFile(Redacted.value(url)),
            () =>
              "there is no such file, or it cannot be opened; a relative path starts from the configuration's folder"
          )
      )
    case "postgres":
      return Effect.gen(function* () {
        const { make } = yield* imported("@effect/sql-pg", () => import("@effect/sql-pg/PgClient"))
        return postgres(yield* Effect.mapError(make({ url, applicationName: "wield" }), detailOf))
      }).pipe(Effect.provide(Reactivity.layer))
    case "mysql":
      return Effect.gen(function* () {
        const { make } = yield* imported("@effect/sql-mysql2", () => import("@effect/sql-mysql2/MysqlClient"))
        const parts = new URL(Redacted.value(url))
        const client = make({
          host: parts.hostname,
          port: parts.port === "" ? 3306 : Number(parts.port),
          database: decodeURIComponent(parts.pathname.slice(1)),
          username: decodeURIComponent(parts.username),
          password: Redacted.make(decodeURIComponent(parts.password)),
          // Dates as MySQL writes them, not moved to the time zone of the process.
          poolConfig: { dateStrings: true }
        })
        return mysql(yield* Effect.mapError(client, detailOf))
      }).pipe(Effect.provide(Reactivity.layer))
  }
}

const detailOf = (error: unknown): string => failureOf(error, []).detail

const imported = <A>(name: string, module: () => Promise<A>): Effect.Effect<A, string> =>
  Effect.tryPromise({ try: module, catch: () => `the package ${name} is needed for it: install it` })

const mysql = (client: SqlClient): Driver => ({
  dialect: "mysql",
  run: (call) =>
    inTransaction({
      client,
      call,
      begin: (connection) =>
        connection.executeUnprepared(
          call.isWriting ? "START TRANSACTION READ WRITE" : "START TRANSACTION READ ONLY",
          [],
          undefined
        ),
      use: (connection) =>
        Effect.ensuring(mysqlAnswer(connection, call), Effect.ignore(withinBound(unlimited(connection))))
    })
})

const run = (connection: Connection, text: string) => connection.executeUnprepared(text, [], undefined)

/** Both are of the session, and the connection goes back to others. MariaDB has no `max_execution_time`. */
const unlimited = (connection: Connection) =>
  Effect.zipRight(
    run(connection, "SET SESSION sql_select_limit = DEFAULT"),
    run(connection, "SET SESSION max_execution_time = DEFAULT")
  )

const mysqlAnswer = (connection: Connection, { bound, isWriting, kind, limits }: Call) =>
  Effect.gen(function* () {
    yield* Effect.ignore(run(connection, `SET SESSION max_execution_time = ${Math.ceil(limits.timeout)}`))
    if (!isWriting) yield* run(connection, `SET SESSION sql_select_limit = ${limits.maxRows + 1}`)
    const raw = yield* connection.executeRaw(bound.text, bound.values)
    const affected = Predicate.hasProperty(raw, "affectedRows") ? Number(raw.affectedRows) : 0
    return { ...tableOf(raw), rowsAffected: kind === "write" ? affected : undefined } satisfies Answer
  })

/**
 * Rows come as the client reads them; `sqliteFile` reads a file exactly.
 *
 * That a statement only reads is known from its text: in SQLite none that
 * selects can write, and a client may share its connection, so that a
 * `PRAGMA query_only` for one would be there for all.
 */
const sqlite = (client: SqlClient): Driver => ({
  dialect: "sqlite",
  run: (call) =>
    Effect.suspend(() => {
      let wasSent = false
      const answer = (connection: Connection) => {
        wasSent = true
        return sqliteAnswer(connection, call)
      }
      // A connection of the client, not the one of a transaction that may be open on another database.
      return Effect.scoped(Effect.flatMap(client.reserve, answer)).pipe(
        Effect.mapError((error) => failureOf(error, call.bound.values)),
        Effect.timeoutFail({ duration: call.limits.timeout, onTimeout: () => timedOut(call.limits.timeout) }),
        // A client may be of a database elsewhere, which keeps each statement as it ends.
        Effect.mapError((error) => (wasSent && call.isWriting ? inDoubt(error) : error))
      )
    })
})

const sqliteAnswer = (connection: Connection, { bound, kind, limits }: Call) =>
  Effect.gen(function* () {
    const text = kind === "select" ? `SELECT * FROM (\n${bound.text}\n) LIMIT ${limits.maxRows + 1}` : bound.text
    const before = kind === "write" ? yield* count(connection, "SELECT total_changes()") : 0
    const raw = yield* connection.executeRaw(text, bound.values)
    const table = tableOf(raw)
    return {
      ...table,
      // `@libsql/client` counts none where rows are returned.
      rowsAffected:
        kind === "write" ? Math.max(yield* sqliteAffected(connection, raw, before), table.rows.length) : undefined
    } satisfies Answer
  })

const sqliteAffected = (connection: Connection, raw: unknown, before: number) =>
  Predicate.hasProperty(raw, "rowsAffected")
    ? Effect.succeed(Number(raw.rowsAffected))
    : Effect.flatMap(count(connection, "SELECT total_changes()"), (after) =>
        // `changes` tells of the last statement that changed rows, which this one need not be.
        after === before ? Effect.succeed(0) : count(connection, "SELECT changes()")
      )

const count = (connection: Connection, text: string) =>
  Effect.map(connection.executeValues(text, []), ([row]) => Number(row?.[0] ?? 0))

/** Of `@libsql/client` an object with the names of its columns, of others an array of objects. */
const tableOf = (raw: unknown): Pick<Answer, "columns" | "rows"> => {
  if (
    Predicate.hasProperty(raw, "columns") &&
    Array.isArray(raw.columns) &&
    Predicate.hasProperty(raw, "rows") &&
    Array.isArray(raw.rows)
  ) {
    const columns = raw.columns.map(String)
    // A column named `length` hides how many there are.
    return { columns, rows: raw.rows.map((row) => columns.map((_, index) => ofUnknown(row[index]))) }
  }
  const rows = Array.isArray(raw) ? raw.filter((row) => Predicate.isRecord(row)) : []
  const columns = Object.keys(rows[0] ?? {})
  return { columns, rows: rows.map((row) => columns.map((column) => ofUnknown(row[column]))) }
}
