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
