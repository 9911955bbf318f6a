/** Rows of a driver as JSON, exactly: what a JSON number cannot hold is text. */
import * as Json from "@wield/core/Json"
import * as Encoding from "effect/Encoding"
import type { Answer, Limits } from "./Driver.js"

/** Whole numbers beyond 2^53 are text. */
export const ofInteger = (value: bigint): number | string =>
  value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : String(value)

/** `NaN`, `Infinity` and `-Infinity` are text. */
export const ofNumber = (value: number): number | string => (Number.isFinite(value) ? value : String(value))

/** A JSON column. Invalid JSON stays text, and so does what nests too deep to be written again. */
export const ofJson = (text: string): unknown => {
  try {
    const value = Json.parse(text)
    return isShallow(value, maxDepth) ? value : text
  } catch {
    return text
  }
}

/** How deep a value may nest: `JSON.stringify` calls itself for each level. */
const maxDepth = 500

const isShallow = (value: unknown, depth: number): boolean =>
  typeof value !== "object" ||
  value === null ||
  (depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1)))

export const ofBytes = (bytes: Uint8Array): string => Encoding.encodeBase64(bytes)

export const ofUnknown = (value: unknown): unknown => {
  switch (typeof value) {
    case "bigint":
      return ofInteger(value)
    case "number":
      return ofNumber(value)
    case "string":
    case "boolean":
      return value
    case "object":
      if (value === null) return null
      if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
      if (value instanceof Uint8Array) return ofBytes(value)
      if (value instanceof ArrayBuffer) return ofBytes(new Uint8Array(value))
      if (Array.isArray(value)) return value.map(ofUnknown)
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, ofUnknown(inner)]))
    default:
      return null
  }
}

export const result = ({ columns, rows, rowsAffected }: Answer, limits: Limits) => {
  const names = distinct(columns)
  const encoder = new TextEncoder()
  const kept: Array<{ readonly [column: string]: unknown }> = []
  let bytes = 0
  let limit: "maxRows" | "maxBytes" | undefined
  for (const row of rows) {
    if (kept.length >= limits.maxRows) limit = "maxRows"
    // `fromEntries` makes a property of its own even of a column named `__proto__`.
    const object = Object.fromEntries(names.map((name, index) => [name, row[index] ?? null]))
    bytes += encoder.encode(JSON.stringify(object)).length + 1
    if (limit === undefined && bytes > limits.maxBytes) limit = "maxBytes"
    if (limit !== undefined) break
    kept.push(object)
  }
  const message = `There are more rows than these ${kept.length} (${limit}): ask for fewer rows or columns`
  return {
    ...(rowsAffected === undefined ? {} : { rowsAffected }),
    ...(rowsAffected !== undefined && columns.length === 0 ? {} : { rows: kept }),
    // The other rows were not counted.
    ...(limit === undefined ? {} : { truncated: { limit, rows: kept.length, message } })
  }
}

/** `id`, `id_2`: a name that is there already is not written over. */
const distinct = (columns: ReadonlyArray<string>): ReadonlyArray<string> => {
  const taken = new Set<string>()
  const all = new Set(columns)
  return columns.map((column) => {
    let name = column
    for (let number = 2; taken.has(name) || (name !== column && all.has(name)); number++) name = `${column}_${number}`
    taken.add(name)
    return name
  })
}
