/** The statement with the placeholders of its dialect, and the values beside it, never in its text. */
import * as Option from "effect/Option"
import type { Arguments } from "../Executor.js"
import type { Placeholder, Statement } from "./Statement.js"

export type Value = string | number | bigint | null

export interface Bound {
  readonly text: string
  readonly values: ReadonlyArray<Value>
}

/** More values in one list than a database takes. */
export const maxList = 10_000

export const bind = (statement: Statement, parameters: Arguments): Option.Option<Bound> => {
  const values: Array<Value> = []
  const numbers = new Map<string, number>()
  let text = ""
  let at = statement.start
  const add = (value: Value): number => values.push(value)
  // Postgres deduces the type of a numbered parameter from all its uses: `GROUP BY f(:x)` is then the `f(:x)` selected.
  const numbered = (key: string, value: () => Value): number => {
    const number = numbers.get(key) ?? add(value())
    numbers.set(key, number)
    return number
  }

  for (const placeholder of statement.placeholders) {
    text += statement.text.slice(at, placeholder.start)
    at = placeholder.end
    const value = Object.hasOwn(parameters, placeholder.name) ? parameters[placeholder.name] : undefined
    if (Array.isArray(value) && value.length > maxList) return Option.none()
    text +=
      statement.dialect === "postgres"
        ? inPostgres(placeholder, value, numbered)
        : withQuestionMarks(placeholder, value, statement.dialect === "sqlite", add)
  }
  return Option.some({ text: text + statement.text.slice(at, statement.end), values })
}

const inPostgres = (
  { isNegated, name, use }: Placeholder,
  value: unknown,
  numbered: (key: string, value: () => Value) => number
): string => {
  switch (use) {
    case "list":
      // The text stays the same whatever the length, and an empty list is one too.
      return `${isNegated ? "<> ALL" : "= ANY"} ($${numbered(`array ${name}`, () => arrayText(listOf(value)))})`
    case "array":
      return `$${numbered(`array ${name}`, () => (Array.isArray(value) ? arrayText(value) : textual(value)))}`
    case "test":
      // Of `$1 IS NULL` alone Postgres cannot tell the type.
      return `$${numbered(`test ${name}`, () => textual(value))}::text`
    case "value":
      return `$${numbered(`value ${name}`, () => textual(value))}`
  }
}

const withQuestionMarks = (
  { isNegated, use }: Placeholder,
  value: unknown,
  isSqlite: boolean,
  add: (value: Value) => number
): string => {
  if (use !== "list") {
    add(scalar(value))
    return "?"
  }
  const list = listOf(value)
  for (const element of list) add(scalar(element))
  const marks = list.length > 0 ? list.map(() => "?").join(", ") : isSqlite ? "" : "SELECT NULL FROM DUAL WHERE FALSE"
  return `${isNegated ? "NOT IN" : "IN"} (${marks})`
}

/** An absent list is NULL, which nothing is in and nothing is not in. */
const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [value ?? null])

/** Whole numbers as such: drivers of SQLite bind a JavaScript number as REAL, which `LIMIT` refuses. */
const scalar = (value: unknown): Value => {
  switch (typeof value) {
    case "number":
      return Number.isSafeInteger(value) ? BigInt(value) : value
    case "bigint":
    case "string":
      return value
    case "boolean":
      // libsql ends the process at a boolean.
      return BigInt(value)
    default:
      return value === null || value === undefined ? null : JSON.stringify(value)
  }
}

/** Postgres reads every value from text, as the type that it deduces. */
const textual = (value: unknown): string | null => {
  const plain = typeof value === "boolean" ? value : scalar(value)
  return plain === null ? null : String(plain)
}

const arrayText = (elements: ReadonlyArray<unknown>): string =>
  `{${elements
    .map((element) => {
      if (Array.isArray(element)) return arrayText(element)
      const text = textual(element)
      return text === null ? "NULL" : `"${text.replace(/["\\]/g, (character) => `\\${character}`)}"`
    })
    .join(",")}}`
