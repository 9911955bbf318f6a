/** Postgres, by any client of `@effect/sql`. Each statement has a transaction; a reading one is rolled back. */
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Value } from "./bind.js"
import { ofUnknown, ofBytes, ofInteger, ofJson, ofNumber } from "./cell.js"
import { type Answer, type Call, type Driver, inTransaction } from "./Driver.js"
import * as Encoding from "effect/Encoding"
import * as Either from "effect/Either"
import { parse as parseArray } from "postgres-array"

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

/** The session writes what `valueOf` reads, and reads texts as the tokenizer does. */
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

type Read = (text: string) => unknown

const itself: Read = (text) => text
const whole: Read = (text) => ofInteger(BigInt(text))
const float: Read = (text) => ofNumber(Number(text))
/** `2026-01-31 10:00:00+00`; the space and the short zone are not ISO 8601. */
const timestamp: Read = (text) => text.replace(/^(\d+-\d\d-\d\d) /, "$1T").replace(/([+-]\d\d)( BC)?$/, "$1:00$2")
const bytes: Read = (text) =>
  Either.match(Encoding.decodeHex(text.replace(/^\\x/, "")), { onLeft: () => text, onRight: ofBytes })

/** By the object identifiers that every Postgres has; others are text. */
const reads: ReadonlyMap<number, Read> = new Map([
  [16, (text: string) => text === "t"],
  [17, bytes],
  ...[20, 21, 23, 26].map((type) => [type, whole] as const),
  ...[700, 701].map((type) => [type, float] as const),
  ...[114, 3802].map((type) => [type, ofJson] as const),
  ...[1114, 1184].map((type) => [type, timestamp] as const)
])

/** The type of a built-in array's elements, as `array:element`. */
const elements: ReadonlyMap<number, number> = new Map(
  (
    "1000:16 1001:17 1005:21 1007:23 1016:20 1021:700 1022:701 1028:26 1115:1114 1185:1184 199:114 3807:3802 " +
    "1002:18 1003:19 1009:25 1014:1042 1015:1043 1182:1082 1183:1083 1187:1186 1231:1700 1270:1266 2951:2950 " +
    "1041:869 651:650 1040:829 791:790"
  )
    .split(" ")
    .map((pair) => {
      const [array, element] = pair.split(":")
      return [Number(array), Number(element)] as const
    })
)

/** Whether a type was made in this database, so that only it knows whether it is an array. */
const isOwnType = (type: number): boolean => type >= 16_384

/** `arrays` has the types of elements of arrays that were made in this database. */
const valueOf = (text: string | null, type: number, arrays: ReadonlyMap<number, number>): unknown => {
  if (text === null) return null
  const element = elements.get(type) ?? arrays.get(type)
  if (element === undefined) return (reads.get(type) ?? itself)(text)
  return parseArray(text, (inner) => valueOf(inner, element, arrays))
}
