/**
 * A keyword that a dialect does not accept, said in words instead, so that the
 * model still learns of it.
 */

/** Keywords whose value says enough in one line. */
const sayable = new Set([
  "default",
  "format",
  "pattern",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties"
])

/** Whether the keyword can be said as a hint. */
export const isHint = (keyword: string, value: unknown): value is string | number | boolean =>
  sayable.has(keyword) && (typeof value === "string" || typeof value === "number" || typeof value === "boolean")

/** Such as `minLength: 3`. */
export const hint = (keyword: string, value: string | number | boolean): string =>
  `${keyword}: ${keyword === "default" ? JSON.stringify(value) : String(value)}`
