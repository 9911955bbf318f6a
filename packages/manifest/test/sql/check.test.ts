import { describe, expect, it } from "@effect/vitest"
import { ManifestEntry } from "@wield/manifest"
import { check, checkAnyDialect } from "../../src/sql/check.js"
import { type Dialect, dialects } from "../../src/sql/tokenize.js"

const entry = (query: string | undefined, parameters: ReadonlyArray<string> = [], isWriting = false) =>
  ManifestEntry.api({
    name: "find",
    parameters: {
      type: "object",
      properties: Object.fromEntries(parameters.map((name) => [name, name === "ids" ? { type: "array" } : {}]))
    },
    context: ["customerId"],
    api: { query, isWriting }
  })

const rules = (...parts: Parameters<typeof entry>) =>
  check(entry(...parts), "postgres").map(({ offset, rule, severity }) => [severity, rule, offset])

describe("check", () => {
  it("finds nothing wrong with a statement that reads by its parameters", () => {
    expect(rules("SELECT * FROM t WHERE a = :a AND b IN (:ids);", ["a", "ids"])).toEqual([])
  })

  it("says where a parameter is that is not declared, and which is not used", () => {
    expect(rules("SELECT :a, :customerID", ["b", "customerid"])).toEqual([
      ["error", "placeholder-without-parameter", 7],
      ["error", "placeholder-without-parameter", 11],
      ["warning", "parameter-without-placeholder", undefined],
      ["warning", "parameter-without-placeholder", undefined]
    ])
    const [, close, , hidden] = check(entry("SELECT :a, :customerID", ["b", "customerid"]), "postgres")
    expect(close?.message).toContain("(there is customerid)")
    expect(hidden?.message).toContain("hidden parameter customerid")
  })

  it("refuses what writes under an entry that is read-only, and what no tool may do", () => {
    expect(rules("DELETE FROM t")).toEqual([["error", "writes-read-only", 0]])
    expect(rules("WITH x AS (DELETE FROM t RETURNING a) SELECT * FROM x")).toEqual([["error", "writes-read-only", 11]])
    expect(rules("DELETE FROM t", [], true)).toEqual([])
    expect(rules("COMMIT", [], true)).toEqual([["error", "statement-not-allowed", 0]])
  })

  it.each(dialects)("refuses in %s what reaches out of the database, also under an entry that writes", (dialect) => {
    const rulesOf = (query: string) => check(entry(query, [], true), dialect).map(({ rule }) => rule)
    for (const call of [
      "writefile('/tmp/a', 'b')",
      "READFILE ('/etc/passwd')",
      "load_extension('a.so')",
      "load_file('/etc/passwd')",
      "pg_catalog.pg_read_file('/etc/passwd')",
      "pg_ls_dir('/')",
      "lo_export(1, '/tmp/a')",
      "dblink('host=x', 'DELETE FROM t')",
      "dblink_exec/* */('host=x', 'DELETE FROM t')",
      "query_to_xml('SELECT pg_read_file(1)', true, true, '')",
      "pg_advisory_lock(1)"
    ]) {
      expect(rulesOf(`SELECT a, ${call} FROM t`)).toContain("function-not-allowed")
      expect(rulesOf(`INSERT INTO t SELECT ${call}`)).toContain("function-not-allowed")
    }
    for (const statement of [
      "ATTACH DATABASE '/tmp/a' AS b",
      "DETACH b",
      "PRAGMA writable_schema = 1",
      "VACUUM INTO '/tmp/a'",
      "COPY t TO PROGRAM 'sh'",
      "COPY (SELECT 1) TO '/tmp/a'",
      "LOAD DATA INFILE '/etc/passwd' INTO TABLE t",
      "LOAD '/tmp/a.so'",
      "SELECT a FROM t INTO OUTFILE '/tmp/a'",
      "SELECT a INTO DUMPFILE '/tmp/a' FROM t",
      "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
      "PREPARE a AS DELETE FROM t",
      "EXECUTE a",
      "LISTEN a"
    ]) {
      expect(rulesOf(statement)).toContain("statement-not-allowed")
    }
    // Names of columns and texts are no calls.
    expect(rulesOf("SELECT readfile, t.dblink, 'load_extension(1)' FROM t")).toEqual([])
  })

  it("sees the name of a function in quotes and in escapes", () => {
    const rulesOf = (query: string, dialect: Dialect) => check(entry(query), dialect).map(({ rule }) => rule)
    expect(rulesOf(`SELECT "pg_read_file"('a')`, "postgres")).toEqual(["function-not-allowed"])
    expect(rulesOf(`SELECT U&"pg\\005fread_file"('a')`, "postgres")).toEqual(["function-not-allowed"])
    expect(rulesOf("SELECT [readfile]('a'), 1", "sqlite")).toEqual(["function-not-allowed"])
    expect(rulesOf("SELECT `load_file`('a')", "mysql")).toEqual(["function-not-allowed"])
  })

  it("refuses a second statement, none, and one that has no end", () => {
    expect(rules("SELECT 1; SELECT 2")).toEqual([["error", "several-statements", 10]])
    expect(rules(" -- nothing\n")).toEqual([["error", "empty-query", undefined]])
    expect(rules(undefined)).toEqual([["error", "missing-query", undefined]])
    expect(rules("SELECT 'a")).toEqual([["error", "unterminated", 7]])
  })

  it("refuses placeholders that get no value, and arrays among other values", () => {
    expect(rules("SELECT $1")).toEqual([["error", "positional-placeholder", 7]])
    expect(check(entry("SELECT ?, @a, $b"), "sqlite").map(({ rule }) => rule)).toEqual(
      Array(3).fill("positional-placeholder")
    )
    expect(rules("SELECT 1 WHERE 1 IN (:ids, 5)", ["ids"])).toEqual([["error", "array-in-list", 21]])
  })

  it("says that the default of an optional parameter is not sent", () => {
    const limited = (required: ReadonlyArray<string>) =>
      ManifestEntry.api({
        name: "find",
        parameters: { type: "object", properties: { limit: { type: "integer", default: 10 } }, required },
        api: { query: "SELECT a FROM t LIMIT coalesce(:limit, 10)" }
      })
    expect(check(limited([]), "sqlite")).toMatchObject([{ severity: "warning", rule: "default-not-sent" }])
    expect(check(limited(["limit"]), "sqlite")).toEqual([])
  })

  it("knows that entries for messages are called with the message and the context", () => {
    const save = ManifestEntry.api({
      name: "internalsavechatmessage",
      api: { query: "INSERT INTO messages VALUES (:role, :content, :customerid)", isWriting: true }
    })
    expect(check(save, "sqlite")).toEqual([])
  })

  it("says without a configuration what is wrong in every dialect", () => {
    expect(checkAnyDialect(entry("DELETE FROM t")).map(({ rule }) => rule)).toEqual(["writes-read-only"])
    // Brackets are a name in SQLite alone, and double quotes a text in MySQL alone.
    expect(checkAnyDialect(entry('SELECT [a:b], ":c"'))).toEqual([])
  })
})
