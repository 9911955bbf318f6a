/** What the database said, without the statement, its values and where the database is. */
import * as Predicate from "effect/Predicate"
import { QueryFailed } from "../ExecutorError.js"
import type { Value } from "./bind.js"

/** The cause of a driver, in a wrapper or in none. */
const innermost = (error: unknown, depth = 0): unknown =>
  depth < 5 && Predicate.hasProperty(error, "cause") && Predicate.isObject(error.cause)
    ? innermost(error.cause, depth + 1)
    : error

const text = (error: unknown, key: string): string | undefined => {
  const value = Predicate.hasProperty(error, key) ? error[key] : undefined
  return typeof value === "string" && value !== "" ? value : undefined
}

const unreachable = /^(?:E[A-Z]+|08\w{3}|28\w{3}|3D000|53300|57P0[123]|PROTOCOL_CONNECTION_LOST|SQLITE_CANTOPEN.*)$/
const cancelled =
  /^(?:57014|55P03|ER_QUERY_TIMEOUT|ER_QUERY_INTERRUPTED|ER_LOCK_WAIT_TIMEOUT|SQLITE_BUSY.*|SQLITE_LOCKED.*)$/
const readOnly = /^(?:25006|SQLITE_READONLY.*|ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION)$/

export const timedOut = (timeout: number): QueryFailed =>
  new QueryFailed({ reason: "timeout", detail: `no answer within ${timeout} ms` })

/** The failure of a write that the database may have kept: it did not say that it has not. */
export const inDoubt = (error: QueryFailed): QueryFailed =>
  error.reason === "unreachable" || error.reason === "timeout"
    ? new QueryFailed({ reason: error.reason, detail: error.detail, mayHaveTakenEffect: true })
    : error

/** Whether a transaction that was to be kept was is not known. */
export const noAnswerToEnd = (): QueryFailed =>
  inDoubt(new QueryFailed({ reason: "unreachable", detail: "there was no answer to the end of the transaction" }))

export const refusal = (detail: string): QueryFailed => new QueryFailed({ reason: "refused", detail })

export const failureOf = (error: unknown, values: ReadonlyArray<Value>): QueryFailed => {
  const cause = innermost(error)
  const code = text(cause, "code") ?? "unknown"
  const message = text(cause, "message") ?? ""
  if (unreachable.test(code) || /Connection terminated|Failed to (?:acquire|connect)/i.test(message)) {
    return new QueryFailed({ reason: "unreachable", detail: `the database could not be reached (${code})` })
  }
  if (cancelled.test(code)) {
    return new QueryFailed({ reason: "timeout", detail: `the statement was cancelled or locked out (${code})` })
  }
  if (readOnly.test(code)) {
    return new QueryFailed({ reason: "read-only", detail: `the statement writes, but may only read (${code})` })
  }
  if (code === "SQLITE_NOMEM") return refusal("the statement needs too much memory: ask for fewer rows or columns")
  return refusal(`${without(said(code, message, cause), values)} (${code})`)
}

/** Messages of these say names of tables and columns, types, and what is wrong with the statement. */
const speaksOfNames = /^(?:0A|42|25|40|53|54)|^P0001$|^SQLITE|^LIBSQL|^GENERIC$/

const classes: ReadonlyArray<readonly [RegExp, string]> = [
  [/^23505$|^ER_DUP_ENTRY$/, "there is a row with this key already"],
  [/^23503$|^ER_(?:NO_REFERENCED|ROW_IS_REFERENCED)/, "a row that is referred to is missing, or is still referred to"],
  [/^23502$|^ER_BAD_NULL/, "a value that is required is missing"],
  [/^23514$|^ER_CHECK/, "a check was not met"],
  [/^22/, "a value is not of the type, or not in the range, of where it stands"]
]

const said = (code: string, message: string, cause: unknown): string => {
  if (speaksOfNames.test(code)) return message.replace(/^SqliteError:\s*/, "")
  const kind = classes.find(([pattern]) => pattern.test(code))?.[1] ?? "the database refused the statement"
  const where = ["constraint", "table", "column", "dataType"].flatMap((key) => {
    const name = text(cause, key)
    return name === undefined ? [] : [`${key} ${name}`]
  })
  return where.length === 0 ? kind : `${kind}: ${where.join(", ")}`
}

/** A message may repeat a value, which may be a hidden one. */
const without = (message: string, values: ReadonlyArray<Value>): string =>
  values
    .map((value) => String(value ?? ""))
    .filter((value) => value.length > 2)
    .sort((left, right) => right.length - left.length)
    .reduce((rest, value) => rest.replaceAll(value, "…"), message)
