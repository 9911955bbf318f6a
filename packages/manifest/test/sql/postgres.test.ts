import { PgClient } from "@effect/sql-pg"
import { SqlClient } from "@effect/sql/SqlClient"
import { expect, it } from "@effect/vitest"
import * as FileStore from "@wield/agent/FileStore"
import * as SqlExecutor from "@wield/manifest/SqlExecutor"
import { Context, Effect, FastCheck, Fiber, Layer, Redacted, TestServices } from "effect"
import { join } from "node:path"
import * as Postgres from "../../../../test/postgres/Postgres.js"
import { entryOf, folder, hostile, run } from "./run.js"
import { character } from "../../../../test/characters.js"
import { runs } from "../../../../test/sizes.js"
import { pieces } from "./pieces.js"

const schema = `
  CREATE TABLE victims (name text UNIQUE, age int);
  INSERT INTO victims VALUES ('Ada', 36), ('Grace', 85);
  CREATE SEQUENCE tickets;
  CREATE TABLE numbers AS SELECT generate_series(1, 2) AS i;
  CREATE TYPE mood AS ENUM ('sad', 'glad, or so');
  CREATE FUNCTION writes() RETURNS int LANGUAGE plpgsql AS $$ BEGIN DELETE FROM victims; RETURN 1; END $$;
  CREATE FUNCTION complains(what text) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no % in stock', what; END $$;
`

/** Few connections, so that one which is lost is missed. */
const client = Layer.unwrapEffect(
  Effect.map(Postgres.Postgres, ({ url }) => PgClient.layer({ url: Redacted.make(url), maxConnections: 3 }))
).pipe(
  Layer.tap((context) => Context.get(context, SqlClient).unsafe(schema)),
  Layer.orDie,
  Layer.provideMerge(Postgres.layer)
)

const writing = { isWriting: true }
const limits = (timeout: number | undefined, maxRows?: number, maxBytes?: number) => ({
  limits: { timeout, maxRows, maxBytes }
})
const query = (...parts: Parameters<ReturnType<typeof run>>) =>
  Effect.flatMap(SqlExecutor.make({ timeout: 5_000 }), (executor) => run(executor)(...parts))

const untouched = Effect.gen(function* () {
  expect(yield* query("SELECT count(*) AS n FROM victims")).toEqual({ rows: [{ n: 2 }] })
})

it.layer(client)("Postgres", (it) => {
  it.effect("a text comes back as it was sent, and changes no statement", () =>
    Effect.gen(function* () {
      const text = FastCheck.string({ unit: character }).filter((value) => !value.includes("\0"))
      for (const value of [...hostile, ...FastCheck.sample(text, runs(100))]) {
        expect(
          yield* query("SELECT :a AS a, 'x' AS x, :list::text[] AS list, :o::jsonb AS o", {
            a: value,
            list: [value, value],
            o: { [value]: value }
          })
        ).toEqual({ rows: [{ a: value, x: "x", list: [value, value], o: Object.fromEntries([[value, value]]) }] })
        expect(
          yield* query("SELECT name FROM victims WHERE name = :a OR name IN (:l)", { a: value, l: [value] })
        ).toEqual({ rows: [] })
      }
      yield* untouched
    })
  )

  it.effect("what is a parameter is what Postgres would not read as anything else", () =>
    Effect.gen(function* () {
      for (const { query: text, row } of FastCheck.sample(pieces("postgres"), runs(150))) {
        expect([text, yield* query(text, { p: "the value" })]).toEqual([text, { rows: [row] }])
      }
    })
  )

  it.effect("every statement that selects is read by a cursor", () =>
    Effect.gen(function* () {
      for (const text of [
        "(SELECT 1 AS a) UNION ALL (SELECT 2) ORDER BY a",
        "VALUES (1), (2)",
        "TABLE numbers",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2) SELECT i FROM n"
      ]) {
        const found = yield* query(text)
        expect([
          text,
          Object.values(found ?? {}).map((rows: ReadonlyArray<object>) => rows.map((row) => Object.values(row)))
        ]).toEqual([text, [[[1], [2]]]])
      }
      expect(yield* query("SHOW server_encoding")).toEqual({ rows: [{ server_encoding: "UTF8" }] })
    })
  )

  it.effect("an absent parameter is NULL, of whatever type it is compared with", () =>
    Effect.gen(function* () {
      const text =
        "SELECT name FROM victims WHERE (:name IS NULL OR name = :name) AND (:age IS NULL OR age > :age) ORDER BY name LIMIT :n"
      expect(yield* query(text, {})).toEqual({ rows: [{ name: "Ada" }, { name: "Grace" }] })
      expect(yield* query(text, { age: 40 })).toEqual({ rows: [{ name: "Grace" }] })
      expect(yield* query(text, { name: "Ada", n: 5 })).toEqual({ rows: [{ name: "Ada" }] })
      expect(
        yield* query("SELECT length(:a) + length(:a) AS n, :a || :a AS d GROUP BY length(:a)", { a: "xy" })
      ).toEqual({
        rows: [{ n: 4, d: "xyxy" }]
      })
    })
  )

  it.effect("an array is the list of an IN, or an array where one is asked for", () =>
    Effect.gen(function* () {
      const ages = (condition: string, l: unknown) =>
        Effect.map(query(`SELECT age FROM victims WHERE age ${condition} ORDER BY 1`, { l }), (found) => found)
      expect(yield* ages("IN (:l)", [36, 37])).toEqual({ rows: [{ age: 36 }] })
      expect(yield* ages("NOT IN (:l)", [36, 37])).toEqual({ rows: [{ age: 85 }] })
      expect(yield* ages("IN (:l)", [])).toEqual({ rows: [] })
      expect(yield* ages("NOT IN (:l)", [])).toEqual({ rows: [{ age: 36 }, { age: 85 }] })
      expect(yield* ages("IN (:l)", undefined)).toEqual({ rows: [] })
      expect(yield* ages("= ANY (:l)", [85])).toEqual({ rows: [{ age: 85 }] })
      expect(
        yield* query("SELECT :l::int[] AS l, :m::text[] AS m", { l: [1, null], m: ['a"\\,{', "", "NULL", null] })
      ).toEqual({ rows: [{ l: [1, null], m: ['a"\\,{', "", "NULL", null] }] })
    })
  )

  it.effect("rows are exact: what a JSON number cannot hold is text, and no date is moved", () =>
    Effect.gen(function* () {
      const columns: ReadonlyArray<readonly [string, unknown]> = [
        ["9007199254740993::bigint", "9007199254740993"],
        ["42::bigint", 42],
        ["12345678901234567890.12345678901234567890::numeric", "12345678901234567890.12345678901234567890"],
        ["1.50::numeric(5,2)", "1.50"],
        ["'NaN'::float8", "NaN"],
        ["'-Infinity'::float4", "-Infinity"],
        ["0.1::float8", 0.1],
        ["true", true],
        ["NULL::int", null],
        ["'2026-03-29'::date", "2026-03-29"],
        ["'0044-03-15 BC'::date", "0044-03-15 BC"],
        ["'infinity'::timestamp", "infinity"],
        ["'2026-03-29 02:30:00.123456'::timestamp", "2026-03-29T02:30:00.123456"],
        ["'2026-03-29 02:30:00.123456+05:30'::timestamptz AT TIME ZONE 'UTC'", "2026-03-28T21:00:00.123456"],
        ["'02:30'::time", "02:30:00"],
        ["'1 year 2 days 3 hours'::interval", "P1Y2DT3H"],
        ["'\\x00ff10'::bytea", "AP8Q"],
        [
          '\'{"n":12345678901234567890,"t":"12345678901234567890"}\'::jsonb',
          { n: "12345678901234567890", t: "12345678901234567890" }
        ],
        ["'null'::json", null],
        ["'glad, or so'::mood", "glad, or so"],
        ["ARRAY['sad','glad, or so']::mood[]", ["sad", "glad, or so"]],
        [
          "ARRAY[[1,2],[3,NULL]]",
          [
            [1, 2],
            [3, null]
          ]
        ],
        ["ARRAY[9007199254740993,1]::bigint[]", ["9007199254740993", 1]],
        ["ARRAY['2026-01-01 10:00']::timestamp[]", ["2026-01-01T10:00:00"]],
        ["ARRAY['\\x00ff10'::bytea]", ["AP8Q"]],
        ["ARRAY[]::text[]", []],
        ["'6f8f2c1e-0000-4000-8000-000000000000'::uuid", "6f8f2c1e-0000-4000-8000-000000000000"],
        ["12.5::money", "$12.50"],
        ["ROW(1,'a')", "(1,a)"]
      ]
      for (const [expression, expected] of columns)
        expect([expression, yield* query(`SELECT ${expression} AS v`)]).toEqual([
          expression,
          { rows: [{ v: expected }] }
        ])
      expect(
        yield* query("SELECT '2026-03-29 02:30:00+00'::timestamptz::text LIKE '2026%' AS a, 1 AS a, 2 AS a_2, 3 AS a")
      ).toEqual({
        rows: [{ a: true, a_3: 1, a_2: 2, a_4: 3 }]
      })
      const moment = yield* query("SELECT '2026-03-29 02:30:00.123456+00'::timestamptz AS t")
      const [{ t }] = (moment as { readonly rows: readonly [{ readonly t: string }] }).rows
      expect(t).toMatch(/^2026-03-\d\dT\d\d:\d\d:00\.123456[+-]\d\d:\d\d$/)
      expect(Date.parse(t)).toBe(Date.UTC(2026, 2, 29, 2, 30, 0, 123))
    })
  )

  it.effect("rows come up to a limit; the rest stays in the database", () =>
    Effect.gen(function* () {
      const numbers = "SELECT generate_series(1, 100000000) AS i"
      expect(yield* query(`${numbers};`, {}, limits(undefined, 250))).toMatchObject({
        rows: expect.objectContaining({ length: 250 }),
        truncated: { limit: "maxRows", rows: 250 }
      })
      expect(yield* query("SELECT i FROM generate_series(1, 200) AS i", {}, limits(undefined, 200))).not.toHaveProperty(
        "truncated"
      )
      expect(
        yield* query(
          "SELECT repeat('x', 1000) AS x, generate_series(1, 100000000) AS i",
          {},
          limits(undefined, undefined, 5_500)
        )
      ).toMatchObject({ truncated: { limit: "maxBytes", rows: 5 } })
    })
  )

  it.effect("a read-only entry cannot write, whatever its statement calls", () =>
    Effect.gen(function* () {
      const executor = yield* SqlExecutor.make()
      const refusedByDatabase = [
        "SELECT writes()",
        "SELECT nextval('tickets')",
        "SELECT setval('tickets', 5)",
        "SELECT lo_create(0)",
        "SELECT pg_notify('a', 'b'), writes()",
        "EXPLAIN ANALYZE SELECT writes()"
      ]
      for (const text of refusedByDatabase) {
        expect([text, executor.check(entryOf(text))]).toEqual([text, []])
        expect([text, yield* Effect.flip(query(text))]).toMatchObject([text, { reason: "read-only" }])
      }
      // The transaction cannot be made one that writes from within.
      expect(
        yield* Effect.flip(query("SELECT set_config('transaction_read_only', 'off', true), writes()"))
      ).toMatchObject({
        _tag: "QueryFailed"
      })
      const refusedAtLoad = [
        "DELETE FROM victims",
        "WITH x AS (DELETE FROM victims RETURNING *) SELECT * FROM x",
        "SELECT * INTO copies FROM victims",
        "SELECT * FROM victims FOR UPDATE",
        "COPY victims TO '/tmp/copy'",
        "COMMIT",
        "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE"
      ]
      for (const text of refusedAtLoad) {
        expect([text, executor.check(entryOf(text))]).toMatchObject([text, [{ severity: "error" }]])
      }
      for (const text of refusedAtLoad.slice(0, 4))
        expect(yield* Effect.flip(query(text))).toMatchObject({ _tag: "QueryFailed" })
      yield* untouched
    })
  )

  it.effect("what a read-only entry may still do is undone, but for a lock of the session", () =>
    Effect.gen(function* () {
      yield* query("SELECT set_config('application_name', 'mine', false)")
      const names = yield* Effect.forEach([1, 2, 3], () => query("SELECT current_setting('application_name') AS n"), {
        concurrency: 3
      })
      expect(JSON.stringify(names)).not.toContain("mine")
      yield* query("SELECT pg_advisory_xact_lock(1)")
      yield* query("SELECT pg_advisory_lock(2)")
      expect(
        yield* query(
          "SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        )
      ).toEqual({ rows: [{ objid: 2 }] })
    })
  )

  it.effect("an entry that writes tells how many rows it changed, and nothing of it is kept when it fails", () =>
    Effect.gen(function* () {
      expect(
        yield* query("INSERT INTO victims VALUES (:n, :a) RETURNING name, age", { n: "Eve", a: 1 }, writing)
      ).toEqual({
        rowsAffected: 1,
        rows: [{ name: "Eve", age: 1 }]
      })
      expect(
        yield* query(
          "WITH d AS (DELETE FROM victims WHERE name = :n RETURNING name) SELECT name FROM d",
          { n: "Eve" },
          writing
        )
      ).toMatchObject({ rows: [{ name: "Eve" }] })
      const error = yield* Effect.flip(query("INSERT INTO victims VALUES ('Bob', 1), (:n, 2)", { n: "Grace" }, writing))
      expect(error).toMatchObject({ reason: "refused", detail: expect.stringContaining("victims_name_key") })
      yield* untouched
    })
  )

  it.effect("errors repeat no values", () =>
    Effect.gen(function* () {
      const secret = "hidden-customer-7"
      for (const [text, expected] of [
        ["SELECT :a::int", "not of the type"],
        ["INSERT INTO victims VALUES ('Ada', length(:a))", "victims_name_key"],
        ["SELECT complains(:a)", "no … in stock"],
        ["SELECT nothing FROM victims WHERE name = :a", 'column "nothing" does not exist'],
        ["SELECT :a::date", "not in the range"]
      ] as const) {
        const error = yield* Effect.flip(query(text, { a: secret }, writing))
        expect(error).toMatchObject({ reason: "refused" })
        expect(error.message).toContain(expected)
        expect(error.message).not.toContain(secret)
      }
      expect(yield* Effect.flip(query("SELECT :a AS a", { a: "a\0b" }))).toMatchObject({ reason: "refused" })
    })
  )

  it.effect("a statement past its time is cancelled in the database, and its connection serves again", () =>
    TestServices.provideLive(
      Effect.gen(function* () {
        const sleeping = query(
          "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query LIKE '%pg_sleep(99)%' AND pid <> pg_backend_pid()"
        )
        for (const api of [limits(100), { ...limits(100), ...writing }]) {
          const ends = yield* Effect.forEach(
            [1, 2, 3, 4, 5],
            () => Effect.flip(query("SELECT pg_sleep(99)", {}, api)),
            {
              concurrency: "unbounded"
            }
          )
          for (const end of ends) expect(end).toMatchObject({ reason: "timeout" })
          expect(yield* sleeping).toEqual({ rows: [{ n: 0 }] })
        }
        const fiber = yield* Effect.fork(query("SELECT pg_sleep(99)"))
        yield* Effect.sleep("200 millis")
        yield* Fiber.interrupt(fiber)
        expect(yield* sleeping).toEqual({ rows: [{ n: 0 }] })
        yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => untouched, { concurrency: 3 })
        expect(
          yield* query(
            "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'"
          )
        ).toEqual({
          rows: [{ n: 0 }]
        })
      })
    )
  )

  it.scoped("a statement goes to its own database, whatever transaction its caller is in", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "other.db")
      const other = yield* Layer.build(FileStore.layerClient({ path }))
      const executor = yield* SqlExecutor.make()
      const file = yield* SqlExecutor.make().pipe(Effect.provide(other))
      const sql = yield* SqlClient
      yield* sql
        .withTransaction(
          Effect.gen(function* () {
            yield* sql`DELETE FROM victims`
            expect(yield* run(file)("SELECT sqlite_version() > '3' AS v")).toEqual({ rows: [{ v: 1 }] })
            expect(yield* run(executor)("SELECT count(*) AS n FROM victims")).toEqual({ rows: [{ n: 2 }] })
            return yield* Effect.fail("rolled back")
          })
        )
        .pipe(Effect.flip)
      yield* untouched
    })
  )

  it.scoped("a configuration opens one, and says nothing of its password where it cannot", () =>
    Effect.gen(function* () {
      const { url } = yield* Postgres.Postgres
      const origin = { name: "default", type: "jdbc", folder: undefined }
      const jdbc = `jdbc:postgresql://${new URL(url).host}${new URL(url).pathname}?user=postgres`
      const executor = yield* SqlExecutor.factory.make(
        { url: jdbc, password: "password", driverClass: "org.postgresql.Driver" },
        origin
      )
      expect(yield* run(executor)("SELECT 1 AS a")).toEqual({ rows: [{ a: 1 }] })
      const error = yield* Effect.flip(
        SqlExecutor.factory.make({ url: "postgres://me:secret@127.0.0.1:1/secret" }, origin)
      )
      expect(error.message).toMatch(/could not be reached/)
      expect(error.message).not.toMatch(/secret|127/)
    })
  )
})
