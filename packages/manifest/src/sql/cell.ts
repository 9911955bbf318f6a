/**
 * Values of a driver as JSON, exactly: what a JSON number cannot hold is text.
 */
import { Json } from "@wield/core"
import * as Encoding from "effect/Encoding"

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

/** A value of a driver whose types are not known. */
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
