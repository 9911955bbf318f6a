/**
 * Postgres, through any client of `@effect/sql`. A statement has a transaction
 * of its own; one that reads is rolled back.
 */
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Value } from "./bind.js"
import { ofUnknown } from "./cell.js"
import type { Answer, Call, Driver } from "./Driver.js"
import { inTransaction } from "./transaction.js"
import { isOwnType, valueOf } from "./postgresValue.js"

/** What `pg` answers. */
interface Raw {
  readonly rowCount: number | null
  readonly fields: ReadonlyArray<{ readonly name: string; readonly dataTypeID: number }>
  readonly rows: ReadonlyArray<unknown>
}

const isRaw = (value: unknown): value is Raw =>
  Predicate.hasProperty(value, "rows") && Predicate.hasProperty(value, "fields") && Array.isArray(value.fields)

export const postgres = (client: SqlClient): Driver => {
  const isPg = Predicate.hasProperty(client, "~@effect/sql-pg/PgClient")
  return {
    dialect: "postgres",
    run: (call) =>
      inTransaction({
        client,
        call,
        begin: (connection, timeout) => begin(connection, call.isWriting, timeout),
        use: (connection) => answer(connection, call, isPg)
      })
  }
}

/** The session writes what `postgresValue` reads, and reads texts as the tokenizer does. */
const settings = {
  standard_conforming_strings: "on",
  datestyle: "ISO, YMD",
  intervalstyle: "iso_8601",
  bytea_output: "hex",
  extra_float_digits: "1"
}

const begin = (connection: Connection, isWriting: boolean, timeout: number) => {
  const names = Object.keys(settings)
  const values = [String(Math.min(timeout, 2 ** 31 - 1)), ...Object.values(settings)]
  const set = ["statement_timeout", ...names].map((name, index) => `set_config('${name}', $${index + 1}, true)`)
  return Effect.zipRight(
    connection.executeUnprepared(isWriting ? "BEGIN" : "BEGIN READ ONLY", [], undefined),
    connection.execute(`SELECT ${set.join(", ")}`, values, undefined)
  )
}

const answer = (connection: Connection, { bound, isWriting, kind, limits }: Call, isPg: boolean) =>
  Effect.gen(function* () {
    const run = (text: string, values: ReadonlyArray<Value>) => execute(connection, text, values, isPg)
    if (kind === "select" && !isWriting) {
      // The rest of a long result stays in the database.
      yield* run(`DECLARE wield_rows NO SCROLL CURSOR FOR ${bound.text}`, bound.values)
      return yield* fetch(run, limits)
    }
    const raw = yield* run(bound.text, bound.values)
    const rows = yield* rowsOf(run, raw)
    return {
      columns: raw.fields.map(({ name }) => name),
      rows,
      rowsAffected: kind === "write" ? (raw.rowCount ?? 0) : undefined
    } satisfies Answer
  })

const execute = (connection: Connection, text: string, values: ReadonlyArray<Value>, isPg: boolean) =>
  Effect.flatMap(
    connection.executeRaw(
      // `@effect/sql-pg` hands the text on to `query` of `pg`, which takes this too: values come as the text that Postgres
      // wrote. As `pg` reads them a date is moved to the time zone of the process, and microseconds are lost.
      isPg ? (exact(text, values) as unknown as string) : text,
      values
    ),
    (raw): Effect.Effect<Raw, SqlError> =>
      isRaw(raw) ? Effect.succeed(raw) : Effect.dieMessage("The client answers nothing that is known of Postgres")
  )

const exact = (text: string, values: ReadonlyArray<Value>) => ({
  text,
  values,
  rowMode: "array",
  // Takes one statement only, whatever is in the text; without values `pg` would use the protocol that takes several.
  queryMode: "extended",
  types: { getTypeParser: () => (value: string) => value }
})

type Run = (text: string, values: ReadonlyArray<Value>) => Effect.Effect<Raw, SqlError>

/** How many rows are fetched at a time, so that a result of large rows ends soon after its limit. */
const page = 100

const fetch = (run: Run, limits: Call["limits"]) =>
  Effect.gen(function* () {
    const rows: Array<ReadonlyArray<unknown>> = []
    let columns: ReadonlyArray<string> = []
    let length = 0
    while (rows.length <= limits.maxRows && length <= limits.maxBytes) {
      const asked = Math.min(page, limits.maxRows + 1 - rows.length)
      const raw = yield* run(`FETCH FORWARD ${asked} FROM wield_rows`, [])
      const more = yield* rowsOf(run, raw)
      columns = raw.fields.map(({ name }) => name)
      rows.push(...more)
      length += JSON.stringify(more).length
      if (more.length < asked) break
    }
    return { columns, rows, rowsAffected: undefined } satisfies Answer
  })

const rowsOf = (run: Run, raw: Raw) =>
  Effect.gen(function* () {
    const own = raw.fields.map(({ dataTypeID }) => dataTypeID).filter(isOwnType)
    const arrays = raw.rows.length === 0 || own.length === 0 ? new Map<number, number>() : yield* arraysOf(run, own)
    return raw.rows.map((row) =>
      raw.fields.map(({ dataTypeID, name }, index) => {
        const value: unknown = Array.isArray(row) ? row[index] : Predicate.hasProperty(row, name) ? row[name] : null
        // Not a text: another client than `@effect/sql-pg` has read it.
        return typeof value === "string" || value === null ? valueOf(value, dataTypeID, arrays) : ofUnknown(value)
      })
    )
  })

const arraysOf = (run: Run, types: ReadonlyArray<number>) =>
  Effect.map(
    run("SELECT oid::text, typelem::text FROM pg_type WHERE typcategory = 'A' AND oid = ANY ($1::oid[])", [
      `{${types.join(",")}}`
    ]),
    ({ rows }) =>
      new Map(rows.flatMap((row) => (Array.isArray(row) ? [[Number(row[0]), Number(row[1])] as const] : [])))
  )
