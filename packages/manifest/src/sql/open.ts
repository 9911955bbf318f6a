/**
 * The driver for a configuration. Clients are imported when one is asked for:
 * they are optional.
 */
import * as Reactivity from "@effect/experimental/Reactivity"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { Target } from "./connection.js"
import type { Driver } from "./Driver.js"
import { failureOf } from "./failure.js"
import { mysql } from "./mysql.js"
import { postgres } from "./postgres.js"

/** Fails with what is to be told of it. */
export const open = ({ dialect, url }: Target): Effect.Effect<Driver, string, Scope.Scope> => {
  switch (dialect) {
    case "sqlite":
      return Effect.flatMap(
        imported("libsql", () => import("./sqliteFile.js")),
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
        return postgres(yield* Effect.mapError(make({ url, applicationName: "wield" }), told))
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
        return mysql(yield* Effect.mapError(client, told))
      }).pipe(Effect.provide(Reactivity.layer))
  }
}

const told = (error: unknown): string => failureOf(error, []).detail

const imported = <A>(name: string, module: () => Promise<A>): Effect.Effect<A, string> =>
  Effect.tryPromise({ try: module, catch: () => `the package ${name} is needed for it: install it` })
