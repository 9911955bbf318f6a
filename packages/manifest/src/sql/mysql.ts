/**
 * MySQL and MariaDB, through any client of `@effect/sql`. A statement has a
 * transaction of its own; one that reads is rolled back.
 */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { ofUnknown } from "./cell.js"
import type { Answer, Call, Driver } from "./Driver.js"
import { inTransaction } from "./transaction.js"

export const mysql = (client: SqlClient): Driver => ({
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
      use: (connection) => Effect.ensuring(answer(connection, call), Effect.ignore(unlimited(connection)))
    })
})

const run = (connection: Connection, text: string) => connection.executeUnprepared(text, [], undefined)

/** Both are of the session, and the connection goes back to others. MariaDB has no `max_execution_time`. */
const unlimited = (connection: Connection) =>
  Effect.zipRight(
    run(connection, "SET SESSION sql_select_limit = DEFAULT"),
    run(connection, "SET SESSION max_execution_time = DEFAULT")
  )

const answer = (connection: Connection, { bound, isWriting, kind, limits }: Call) =>
  Effect.gen(function* () {
    yield* Effect.ignore(run(connection, `SET SESSION max_execution_time = ${Math.ceil(limits.timeout)}`))
    if (!isWriting) yield* run(connection, `SET SESSION sql_select_limit = ${limits.maxRows + 1}`)
    const raw = yield* connection.executeRaw(bound.text, bound.values)
    const found: ReadonlyArray<unknown> = Array.isArray(raw) ? raw : []
    const rows = found.filter((row) => Predicate.isRecord(row))
    const columns = Object.keys(rows[0] ?? {})
    return {
      columns,
      rows: rows.map((row) => columns.map((column) => ofUnknown(row[column]))),
      rowsAffected: kind === "write" ? affected(raw) : undefined
    } satisfies Answer
  })

const affected = (raw: unknown): number => (Predicate.hasProperty(raw, "affectedRows") ? Number(raw.affectedRows) : 0)
