/** JSON text and values between a model and a tool, and why something is not JSON. */
import { parse } from "../Json.js"

/** A value or text that is not JSON, and why. */
export class NotJson {
  constructor(readonly reason: string) {}
}

/** Cycles, BigInt and very deep nesting have no JSON text. */
export const jsonText = (value: unknown): string | NotJson => {
  // JSON.stringify reports by throwing; no effect is involved.
  try {
    const text = JSON.stringify(value) as string | undefined
    return text === undefined ? new NotJson(`a ${typeof value}`) : text
  } catch (error) {
    return new NotJson(error instanceof Error ? (error.message.split("\n")[0] ?? "") : "it cannot be serialised")
  }
}

/** V8's setting, which other engines ignore. */
const traced = Error as { stackTraceLimit?: number | undefined }

/**
 * `Json.parse` with rounded decimals, without the stack trace of the error it throws, which takes longer
 * to make than most texts take to parse and which is seldom read.
 */
export const jsonValue = (text: string): unknown => {
  const { stackTraceLimit } = traced
  traced.stackTraceLimit = 0
  // It reports by throwing; no effect is involved.
  try {
    return parse(text, { decimals: "rounded" })
  } catch (error) {
    return new NotJson(error instanceof Error ? error.message : "it cannot be parsed")
  } finally {
    traced.stackTraceLimit = stackTraceLimit
  }
}

/**
 * A copy of a JSON value. What JSON cannot say (a date, an instance of a class)
 * stays as it is. The value must not nest deeper than recursion goes.
 */
export const copyJson = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(copyJson)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return value
  const copy: { [key: string]: unknown } = {}
  for (const [key, item] of Object.entries(value)) copy[key] = copyJson(item)
  return copy
}
