/**
 * The `type` that a list of constants implies, for dialects that demand one.
 */
import type { Json } from "@wield/core"

export const typeOfValues = (values: ReadonlyArray<unknown>): Json.Json => {
  const types = [...new Set(values.map(typeOfValue))]
  const first = types[0]
  return types.length === 1 && first !== undefined ? first : types
}

const typeOfValue = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  return typeof value
}
