/**
 * SQLite through any client of `@effect/sql`. Rows come as the client reads
 * them; `sqliteFile` reads a file exactly.
 *
 * That a statement only reads is known from its text: in SQLite none that
 * selects can write, and a client may share its connection, so that a
 * `PRAGMA query_only` for one would be there for all.
 */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { ofUnknown } from "./cell.js"
import type { Answer, Call, Driver } from "./Driver.js"
import { failureOf, timedOut } from "./failure.js"

export const sqlite = (client: SqlClient): Driver => ({
  dialect: "sqlite",
  run: (call) =>
    // A connection of the client, not the one of a transaction that may be open on another database.
    Effect.scoped(Effect.flatMap(client.reserve, (connection) => answer(connection, call))).pipe(
      Effect.mapError((error) => failureOf(error, call.bound.values)),
      Effect.timeoutFail({ duration: call.limits.timeout, onTimeout: () => timedOut(call.limits.timeout) })
    )
})

const answer = (connection: Connection, { bound, kind, limits }: Call) =>
  Effect.gen(function* () {
    const text = kind === "select" ? `SELECT * FROM (\n${bound.text}\n) LIMIT ${limits.maxRows + 1}` : bound.text
    const before = kind === "write" ? yield* count(connection, "SELECT total_changes()") : 0
    const raw = yield* connection.executeRaw(text, bound.values)
    const table = tableOf(raw)
    return {
      ...table,
      // `@libsql/client` counts none where rows are returned.
      rowsAffected: kind === "write" ? Math.max(yield* affected(connection, raw, before), table.rows.length) : undefined
    } satisfies Answer
  })

const affected = (connection: Connection, raw: unknown, before: number) =>
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
