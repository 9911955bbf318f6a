/**
 * Values of a driver as JSON, exactly: what a JSON number cannot hold is text.
 */
import * as Encoding from "effect/Encoding"

/** Whole numbers beyond 2^53 are text. */
export const ofInteger = (value: bigint): number | string =>
  value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : String(value)

/** `NaN`, `Infinity` and `-Infinity` are text. */
export const ofNumber = (value: number): number | string => (Number.isFinite(value) ? value : String(value))

const integerOrText = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** A JSON column; whole numbers in it beyond 2^53 are text there too. What is no JSON stays the text it is. */
export const ofJson = (text: string): unknown => {
  try {
    return JSON.parse(
      text.replace(integerOrText, (token) =>
        /^-?\d{16,}$/.test(token) && typeof ofInteger(BigInt(token)) === "string" ? `"${token}"` : token
      )
    )
  } catch {
    return text
  }
}

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
