/** Statements that a database reads otherwise than a careless tokenizer. */
import { expect, it } from "@effect/vitest"
import { parse } from "../../src/sql/Statement.js"
import { check } from "../../src/sql/check.js"
import { ofJson, result } from "../../src/sql/cell.js"
import { entryOf } from "../sql/run.js"

/** A second statement that Postgres sees, and what hides it. */
const escapes: ReadonlyArray<string> = [
  "SELECT $€$ ' $€$; COMMIT; DELETE FROM victims; --'",
  "SELECT $😀$ ' $😀$; COMMIT; DELETE FROM victims; --'",
  "SELECT $\uFEFF$ ' $\uFEFF$; COMMIT; DELETE FROM victims; --'",
  "SELECT 1 AS a😀e, 1 😀e'\\'; COMMIT; DELETE FROM victims; --'",
  "SELECT \uFEFFe'\\'; COMMIT; DELETE FROM victims; --'"
]

for (const text of escapes) {
  it(`a second statement is seen in Postgres behind ${JSON.stringify(text.slice(7, 20))}`, () => {
    expect(check(entryOf(text), "postgres").map(({ rule }) => rule)).toContain("several-statements")
  })
}

it("a numbered placeholder of SQLite is said to get no value", () => {
  expect(check(entryOf("SELECT :1, :name"), "sqlite").map(({ rule }) => rule)).toContain("positional-placeholder")
})

it("a slice of an array and a time in a text are no placeholders of SQLite", () => {
  expect(parse("SELECT '10:30' AS a, \":1\" AS b", "sqlite").obstacles).toEqual([])
})

it("a column that says JSON and is a text full of quotes is read in time", () => {
  const text = '"' + '\\"'.repeat(200_000)
  expect(ofJson(text)).toBe(text)
})

it("a value of JSON nested too deep to be written is no defect", () => {
  const text = "[".repeat(100_000) + "]".repeat(100_000)
  const limits = { timeout: 1000, maxRows: 10, maxBytes: 1_048_576 }
  const answer = { columns: ["value"], rows: [[ofJson(text)]], rowsAffected: undefined }
  expect(result(answer, limits)).toEqual({ rows: [{ value: text }] })
})
