import { describe, expect, it } from "@effect/vitest"
import { bind } from "../../src/sql/bind.js"
import { parse } from "../../src/sql/Statement.js"
import type { Dialect } from "../../src/sql/tokenize.js"

const names = (text: string, dialect: Dialect) => parse(text, dialect).placeholders.map(({ name }) => name)
const kind = (text: string, dialect: Dialect) => parse(text, dialect).kind

describe("in every dialect", () => {
  it.each(["postgres", "sqlite", "mysql"] as const)(
    "texts, comments and quoted names hold no parameters: %s",
    (dialect) => {
      expect(names("SELECT ':a', 'it''s :b' -- :c\n, /* :d ; */ :yes", dialect)).toEqual(["yes"])
      expect(names("SELECT 'a\n:b' FROM t WHERE x=:yes AND y>:yes", dialect)).toEqual(["yes", "yes"])
      expect(parse("SELECT ';' /* ; */ -- ;\n", dialect).second).toBeUndefined()
      expect(parse("SELECT 1 ; ; -- end", dialect).second).toBeUndefined()
      expect(parse("SELECT 1; DELETE FROM t", dialect).second?.text).toBe("DELETE")
    }
  )
})

describe("Postgres", () => {
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["SELECT :a::int, :b::text", ["a", "b"]],
    ["SELECT x::int, now()::date AS d", []],
    [String.raw`SELECT E'it\'s :a', e'\\', :b`, ["b"]],
    [String.raw`SELECT 'ends with \', :b`, ["b"]],
    ["SELECT E'a'\n'b\\' :c', :d", ["d"]],
    ["SELECT $$ :a ' $$, $tag$ :b $$ :c $tag$, :d", ["d"]],
    ["SELECT a$b$ + :c, x$$y FROM t$1", ["c"]],
    ["SELECT /* :a /* :b */ :c */ :d", ["d"]],
    ['SELECT ":a", "it"":b", U&":c", :d', ["d"]],
    ["SELECT U&':a', B'1', X'1F', N':b', :c", ["c"]],
    ["SELECT a[1:2], b[m:n], c[:i], d[:i:j], e[:i : :j]", ["i", "i", "i", "j"]],
    ["SELECT ARRAY[:a, :b], a[f(:c)], b[1 + :d]", ["a", "b", "c", "d"]],
    ["SELECT j ? 'k', j ?| ARRAY[:a], j ?& :b, j @> :c", ["a", "b", "c"]],
    ["SELECT make_interval(days := :a), f(b=>:b)", ["a", "b"]],
    ["SELECT j->>:key, j #> :path FROM t WHERE a=:größe", ["key", "path", "größe"]],
    ["SELECT '12:30:00'::time, 1:2", []]
  ]
  it.each(cases)("reads the parameters of %s", (text, expected) => {
    expect(names(text, "postgres")).toEqual(expected)
  })

  it("knows what writes", () => {
    for (const text of [
      "INSERT INTO t VALUES (1)",
      "WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x",
      "WITH x AS MATERIALIZED (SELECT 1), y AS (UPDATE t SET a = 1 RETURNING a) TABLE y",
      "WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x",
      "SELECT * INTO u FROM t",
      "SELECT * FROM t FOR UPDATE",
      "SELECT * FROM t FOR NO KEY UPDATE",
      "EXPLAIN ANALYZE DELETE FROM t",
      "TRUNCATE t",
      "CREATE TABLE a (b int)",
      "DO $$ BEGIN DELETE FROM t; END $$",
      "MERGE INTO t USING u ON true WHEN MATCHED THEN DELETE"
    ])
      expect([text, kind(text, "postgres")]).toEqual([text, "write"])
    for (const text of [
      "SELECT 1",
      "(SELECT 1) UNION (SELECT 2)",
      "VALUES (1)",
      "TABLE t",
      "/* DELETE */ WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i + 1 FROM n) SELECT i FROM n",
      "SELECT replace(a, 'x', 'y'), \"delete\", substring(a FROM 1 FOR 2), 'INTO' FROM update_log"
    ])
      expect([text, kind(text, "postgres")]).toEqual([text, "select"])
    expect(kind("SHOW timezone", "postgres")).toBe("show")
    for (const text of ["BEGIN", "COMMIT", "SET ROLE admin", "COPY t TO '/f'", "LOCK t", "EXECUTE p", "LISTEN c", "("])
      expect([text, kind(text, "postgres")]).toEqual([text, "forbidden"])
  })

  it("is given numbers, one for a parameter that stands in several places", () => {
    const statement = parse(
      "SELECT :b, :a::int, f(:b) WHERE (:a IS NULL OR x = :a) AND y NOT IN (:l) AND z IN ( :l );",
      "postgres"
    )
    expect(bind(statement, { a: 1, b: true, l: [1, null, 'x"\\,}'] })).toMatchObject({
      value: {
        text: "SELECT $1, $2::int, f($1) WHERE ($3::text IS NULL OR x = $2) AND y <> ALL ($4) AND z = ANY ($4)",
        values: ["true", "1", "1", String.raw`{"1",NULL,"x\"\\,}"}`]
      }
    })
  })
})

describe("SQLite", () => {
  it("has names in brackets and backticks, and comments without an end", () => {
    expect(names('SELECT [a:b], `c:d`, "e:f", :g /* :h', "sqlite")).toEqual(["g"])
    expect(names(String.raw`SELECT 'a\', :b`, "sqlite")).toEqual(["b"])
    expect(names("SELECT 1 /* a /* b */ :c", "sqlite")).toEqual(["c"])
  })

  it("knows what writes, and lets no statement change the session", () => {
    for (const text of [
      "REPLACE INTO t VALUES (1)",
      "WITH x AS (SELECT 1) REPLACE INTO t SELECT * FROM x",
      "DROP TABLE t"
    ])
      expect([text, kind(text, "sqlite")]).toEqual([text, "write"])
    for (const text of [
      "PRAGMA query_only = OFF",
      "ATTACH 'x' AS y",
      "VACUUM INTO 'x'",
      "SAVEPOINT a",
      "BEGIN IMMEDIATE"
    ])
      expect([text, kind(text, "sqlite")]).toEqual([text, "forbidden"])
    expect(kind("WITH x(a) AS (VALUES (1)) SELECT replace(a, 1, 2) FROM x", "sqlite")).toBe("select")
  })

  it("is given question marks, as many as a list has values", () => {
    const statement = parse("SELECT :a, :a WHERE x IN (:l) AND y NOT IN (:empty)", "sqlite")
    expect(bind(statement, { a: { k: 1 }, l: [1, "x", true], empty: [] })).toMatchObject({
      value: { text: "SELECT ?, ? WHERE x IN (?, ?, ?) AND y NOT IN ()", values: ['{"k":1}', '{"k":1}', 1n, "x", 1n] }
    })
  })
})

describe("MySQL", () => {
  it("has texts in double quotes, backslashes, and comments after #", () => {
    expect(names(String.raw`SELECT "a\":b", 'c\':d', ${"`e:f`"}, :g # :h`, "mysql")).toEqual(["g"])
    expect(names("SELECT 1--:a\n, 2 -- :b\n, @v := :c", "mysql")).toEqual(["a", "c"])
  })

  it("has no comment that it executes, and no file that it writes", () => {
    expect(parse("SELECT 1 /*!50000 UNION DELETE */", "mysql").obstacles.map(({ kind: what }) => what)).toEqual([
      "executable"
    ])
    expect(kind("SELECT a FROM t INTO OUTFILE '/f'", "mysql")).toBe("forbidden")
    expect(kind("SELECT a INTO @b FROM t", "mysql")).toBe("write")
    expect(kind("SELECT a FROM t FOR SHARE", "mysql")).toBe("write")
  })

  it("is given an empty list as a selection of no rows", () => {
    expect(bind(parse("SELECT 1 WHERE x NOT IN (:l)", "mysql"), { l: [] })).toMatchObject({
      value: { text: "SELECT 1 WHERE x NOT IN (SELECT NULL FROM DUAL WHERE FALSE)", values: [] }
    })
  })
})

it("takes only properties of the arguments' own for values", () => {
  expect(bind(parse("SELECT :toString, :__proto__", "sqlite"), {})).toMatchObject({ value: { values: [null, null] } })
})
