import { describe, expect, it } from "@effect/vitest"
import * as SqlExecutor from "@wield/manifest/SqlExecutor"
import { Effect, Exit, Fiber, FastCheck, Scope } from "effect"
import Database from "libsql"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { entryOf, folder, hostile, run } from "./run.js"
import { character } from "../../../../test/characters.js"
import { runs } from "../../../../test/sizes.js"
import { pieces } from "./pieces.js"

const schema = `
  CREATE TABLE victims (name TEXT);
  INSERT INTO victims VALUES ('Ada'), ('Grace');
  CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT UNIQUE, data JSON, big INTEGER, real REAL, bytes BLOB, length INT);
`

const opened = Effect.gen(function* () {
  const path = join(yield* folder, "shop & co.db")
  const database = new Database(path, {})
  database.exec(schema)
  database.close()
  // No test waits for it, however busy the machine is.
  const executor = yield* SqlExecutor.factory.make(
    { url: "file:shop & co.db", timeout: 120_000 },
    { name: "default", type: "sql", folder: path.slice(0, path.lastIndexOf("/")) }
  )
  return { path, executor, query: run(executor) }
})

const writing = { isWriting: true }

describe("values", () => {
  it.scopedLive("a text comes back as it was sent, and changes no statement", () =>
    Effect.gen(function* () {
      const { query } = yield* opened
      const text = FastCheck.string({ unit: character }).filter((value) => !value.includes("\0"))
      for (const value of [...hostile, ...FastCheck.sample(text, runs(200))]) {
        expect(yield* query("SELECT :a AS a, 'x' AS x, typeof(:a) AS t", { a: value })).toEqual({
          rows: [{ a: value, x: "x", t: "text" }]
        })
        expect(
          yield* query("SELECT name FROM victims WHERE name = :a OR name IN (:l)", { a: value, l: [value] })
        ).toEqual({ rows: [] })
      }
      expect(yield* query("SELECT count(*) AS n FROM victims")).toEqual({ rows: [{ n: 2 }] })
    })
  )

  it.scopedLive("numbers, booleans, objects and what is absent are bound as such", () =>
    Effect.gen(function* () {
      const { query } = yield* opened
      expect(
        yield* query(
          "SELECT :i AS i, typeof(:i) AS ti, :f AS f, :t AS t, :o AS o, :l AS l, :none AS none, :nil AS nil",
          {
            i: 5,
            f: 1.5,
            t: true,
            o: { a: [1] },
            l: [1, "x"],
            nil: null
          }
        )
      ).toEqual({
        rows: [{ i: 5, ti: "integer", f: 1.5, t: 1, o: '{"a":[1]}', l: '[1,"x"]', none: null, nil: null }]
      })
      expect(yield* query("SELECT name FROM victims ORDER BY name LIMIT :n", { n: 1 })).toEqual({
        rows: [{ name: "Ada" }]
      })
    })
  )

  it.scopedLive("an array is the list of an IN, and an empty one has nothing in it", () =>
    Effect.gen(function* () {
      const { query } = yield* opened
      const inside = (l: unknown) => query("SELECT name FROM victims WHERE name IN (:l)", { l })
      const outside = (l: unknown) => query("SELECT name FROM victims WHERE name NOT IN (:l)", { l })
      expect(yield* inside(["Ada", "Bob"])).toEqual({ rows: [{ name: "Ada" }] })
      expect(yield* outside(["Ada", "Bob"])).toEqual({ rows: [{ name: "Grace" }] })
      expect(yield* inside([])).toEqual({ rows: [] })
      expect(yield* outside([])).toEqual({ rows: [{ name: "Ada" }, { name: "Grace" }] })
      expect(yield* inside(undefined)).toEqual({ rows: [] })
      expect(yield* inside("Ada")).toEqual({ rows: [{ name: "Ada" }] })
      const error = yield* Effect.flip(inside(Array(10_001).fill("x")))
      expect(error).toMatchObject({ _tag: "QueryFailed", reason: "refused" })
    })
  )
})

describe("parameters", () => {
  it.scopedLive("are what SQLite would not read as anything else", () =>
    Effect.gen(function* () {
      const { query } = yield* opened
      for (const { query: text, row } of FastCheck.sample(pieces("sqlite"), runs(150))) {
        expect([text, yield* query(text, { p: "the value" })]).toEqual([text, { rows: [row] }])
      }
    })
  )
})

describe("rows", () => {
  it.scopedLive("are exact", () =>
    Effect.gen(function* () {
      const { query } = yield* opened
      const written = yield* query(
        `INSERT INTO things VALUES (1, 'a', '{"n":12345678901234567890,"s":"12345678901234567890"}', 9007199254740993, 9e999, x'00ff10', 3) RETURNING id, big`,
        {},
        writing
      )
      expect(written).toEqual({ rowsAffected: 1, rows: [{ id: 1, big: "9007199254740993" }] })
      expect(
        yield* query("SELECT *, 1 AS id, 2 AS id, -9007199254740991 AS small, NULL AS __proto__ FROM things")
      ).toEqual({
        rows: [
          Object.fromEntries([
            ["id", 1],
            ["name", "a"],
            ["data", { n: "12345678901234567890", s: "12345678901234567890" }],
            ["big", "9007199254740993"],
            ["real", "Infinity"],
            ["bytes", "AP8Q"],
            ["length", 3],
            ["id_2", 1],
            ["id_3", 2],
            ["small", -9007199254740991],
            ["__proto__", null]
          ])
        ]
      })
    })
  )

  it.scopedLive("come in the order of the statement, up to a limit that says so", () =>
    Effect.gen(function* () {
      const { query } = yield* opened
      const numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i FROM n"
      const limits = (maxRows: number | undefined, maxBytes?: number) => ({
        limits: { timeout: undefined, maxRows, maxBytes }
      })
      expect(yield* query(`${numbers} ORDER BY i DESC -- last`, {}, limits(2))).toEqual({
        rows: [{ i: 5000 }, { i: 4999 }],
        truncated: {
          limit: "maxRows",
          rows: 2,
          message: "There are more rows than these 2 (maxRows): ask for fewer rows or columns"
        }
      })
      expect(yield* query(`${numbers} LIMIT 2`, {}, limits(2))).toEqual({ rows: [{ i: 1 }, { i: 2 }] })
      expect(yield* query(numbers)).toMatchObject({ truncated: { limit: "maxRows", rows: 1000 } })
      expect(yield* query(numbers, {}, limits(undefined, 50))).toMatchObject({
        truncated: { limit: "maxBytes", rows: 6 }
      })
    })
  )
})

describe("writing", () => {
  it.scopedLive("tells how many rows were changed, and is kept", () =>
    Effect.gen(function* () {
      const { path, query } = yield* opened
      expect(yield* query("UPDATE victims SET name = name || :a", { a: "!" }, writing)).toEqual({ rowsAffected: 2 })
      expect(yield* query("CREATE TABLE more (a)", {}, writing)).toEqual({ rowsAffected: 0 })
      const other = new Database(path, {})
      expect(other.prepare("SELECT name FROM victims ORDER BY 1").all([])).toEqual([
        { name: "Ada!" },
        { name: "Grace!" }
      ])
      other.close()
    })
  )

  it.scopedLive("is refused by the database, too, where the entry is read-only", () =>
    Effect.gen(function* () {
      const { executor, query } = yield* opened
      for (const text of ["DELETE FROM victims", "DROP TABLE victims", "CREATE TABLE x (a)"]) {
        expect(executor.check(entryOf(text)).map(({ rule }) => rule)).toEqual(["writes-read-only"])
        expect(yield* Effect.flip(query(text))).toMatchObject({ reason: "read-only" })
      }
      expect(yield* query("SELECT count(*) AS n FROM victims")).toEqual({ rows: [{ n: 2 }] })
    })
  )

  it.scopedLive("waits for a lock, and can write again after one that was not given up in time", () =>
    Effect.gen(function* () {
      const { path, query } = yield* opened
      const other = new Database(path, {})
      other.exec("BEGIN IMMEDIATE")
      const insert = (timeout: number) =>
        query(
          "INSERT INTO victims VALUES ('Eve')",
          {},
          {
            ...writing,
            limits: { timeout, maxRows: undefined, maxBytes: undefined }
          }
        )
      expect(yield* Effect.flip(insert(50))).toMatchObject({ reason: "timeout" })
      const waiting = yield* Effect.fork(insert(5_000))
      yield* Effect.sleep("50 millis")
      other.exec("COMMIT")
      expect(yield* Fiber.join(waiting)).toEqual({ rowsAffected: 1 })
      expect(other.prepare("SELECT count(*) AS n FROM victims").all([])).toEqual([{ n: 3 }])
      other.close()
    })
  )

  it.scopedLive("leaves nothing behind when it fails", () =>
    Effect.gen(function* () {
      const { query } = yield* opened
      yield* query("INSERT INTO things (id, name) VALUES (1, 'taken')", {}, writing)
      const error = yield* Effect.flip(
        query("INSERT INTO things (id, name) SELECT 2, 'free' UNION ALL SELECT 3, :name", { name: "taken" }, writing)
      )
      expect(error).toMatchObject({ reason: "refused", detail: expect.stringContaining("UNIQUE constraint failed") })
      expect(error.message).not.toContain("taken")
      expect(yield* query("SELECT count(*) AS n FROM things")).toEqual({ rows: [{ n: 1 }] })
    })
  )
})

describe("time", () => {
  const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) AS m FROM n"
  const within = (timeout: number) => ({ limits: { timeout, maxRows: undefined, maxBytes: undefined } })

  it.scopedLive("may be longer than a timer can be", () =>
    Effect.gen(function* () {
      const { query } = yield* opened
      const long = endless.replace("FROM n)", "FROM n WHERE i < 300000)")
      for (const timeout of [1e10, Number.POSITIVE_INFINITY]) {
        expect(yield* query(long, {}, within(timeout))).toEqual({ rows: [{ m: 300_000 }] })
      }
    })
  )

  it.scopedLive("ends a statement without end, and with it all that it holds", () =>
    Effect.gen(function* () {
      const { path, query } = yield* opened
      const application = new Database(path, {})
      // Without a write-ahead log a reader keeps all writers waiting.
      application.exec("PRAGMA journal_mode = DELETE")
      const slow = `${endless} WHERE (SELECT count(*) FROM victims) > 0`
      expect(yield* Effect.flip(query(slow, {}, within(300)))).toMatchObject({ reason: "timeout" })
      application.exec("PRAGMA busy_timeout = 0")
      application.exec("INSERT INTO victims VALUES ('Eve')")
      yield* Effect.flip(
        query(`INSERT INTO victims ${endless.replace(" AS m", "")}`, {}, { ...within(300), ...writing })
      )
      application.exec("INSERT INTO victims VALUES ('Ida')")
      application.close()
      expect(yield* query("SELECT count(*) AS n FROM victims")).toEqual({ rows: [{ n: 4 }] })
    })
  )

  it.scopedLive("of endless statements on one file costs other files nothing", () =>
    Effect.gen(function* () {
      const [slow, quick] = [yield* opened, yield* opened]
      const all = yield* Effect.fork(
        Effect.all(
          Array.from({ length: 12 }, () => slow.query(endless, {}, within(60_000))),
          { concurrency: "unbounded" }
        )
      )
      for (let round = 0; round < 20; round++) {
        expect(yield* quick.query("SELECT count(*) AS n FROM victims")).toEqual({ rows: [{ n: 2 }] })
      }
      // Their time is not over, and an interruption ends them.
      expect(yield* Fiber.poll(all)).toMatchObject({ _tag: "None" })
      yield* Fiber.interrupt(all)
      expect(yield* slow.query("SELECT count(*) AS n FROM victims")).toEqual({ rows: [{ n: 2 }] })
    })
  )

  it.scopedLive("of many statements at once is waited for in turn", () =>
    Effect.gen(function* () {
      const { query } = yield* opened
      const rows = yield* Effect.forEach(
        Array.from({ length: 40 }, (_, index) => index),
        (index) =>
          index % 2 === 0
            ? query("INSERT INTO victims VALUES (:n)", { n: `n${index}` }, writing)
            : query("SELECT :n AS n", { n: index }),
        { concurrency: "unbounded" }
      )
      expect(rows).toHaveLength(40)
      expect(yield* query("SELECT count(*) AS n FROM victims")).toEqual({ rows: [{ n: 22 }] })
    })
  )
})

describe("memory", () => {
  it.scopedLive("is not filled by values or rows of any size", () =>
    Effect.gen(function* () {
      const { query } = yield* opened
      const large = (bytes: number) =>
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) SELECT randomblob(${bytes}) AS b FROM n`
      expect(yield* Effect.flip(query("SELECT zeroblob(900000000) || 'x' AS b"))).toMatchObject({ reason: "refused" })
      expect(yield* query(large(3_000_000))).toMatchObject({ rows: [], truncated: { limit: "maxBytes", rows: 0 } })
      expect(yield* query("SELECT 1 AS a")).toEqual({ rows: [{ a: 1 }] })
    })
  )
})

describe("the file", () => {
  it.scopedLive("that is damaged, or no database, is an error, and the next call is served", () =>
    Effect.gen(function* () {
      const { path, query } = yield* opened
      const whole = readFileSync(path)
      for (let seed = 1; seed <= 12; seed++) {
        const bytes = Buffer.from(whole)
        for (let index = 0; index < 400; index++) bytes[(index * 7919 * seed) % bytes.length] = (index * seed) % 256
        writeFileSync(path, seed % 4 === 0 ? bytes : Buffer.concat([whole.subarray(0, 100), bytes.subarray(100)]))
        const result = yield* Effect.either(query("SELECT * FROM victims, things"))
        if (result._tag === "Left") expect(result.left._tag).toBe("QueryFailed")
      }
      writeFileSync(path, "this is no database, but a text that is long enough to be looked at as one".repeat(20))
      expect(yield* Effect.flip(query("SELECT * FROM victims"))).toMatchObject({ _tag: "QueryFailed" })
      writeFileSync(path, whole)
      expect(yield* query("SELECT count(*) AS n FROM victims")).toEqual({ rows: [{ n: 2 }] })
    })
  )

  const make = (url: string) =>
    SqlExecutor.factory
      .make({ url }, { name: "default", type: "sql", folder: "/nowhere" })
      .pipe(Effect.flip, Effect.scoped)

  it.effect("has to be there, and an address is not repeated", () =>
    Effect.gen(function* () {
      for (const url of [
        "file:secret.db",
        "file::memory:",
        "jdbc:sqlite:secret.db",
        "oracle://secret@host/x",
        "secret"
      ]) {
        const error = yield* make(url)
        expect(error._tag).toBe("InvalidConfiguration")
        expect(error.message).toMatch(/^url: /)
        expect(error.message).not.toContain("secret")
      }
    })
  )

  it.live("is let go of with the scope", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { query } = yield* Scope.extend(opened, scope)
      yield* query("SELECT 1 AS a")
      yield* Scope.close(scope, Exit.void)
    })
  )
})
