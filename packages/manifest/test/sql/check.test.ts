import { describe, expect, it } from "@effect/vitest"
import { ManifestEntry } from "@wield/manifest"
import { check, checkAnyDialect } from "../../src/sql/check.js"

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
