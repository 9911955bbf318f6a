/**
 * The values of the hidden fields as JSON, for the digest of what waits: an
 * approval given for one customer approves nothing for another.
 */
import * as Redacted from "effect/Redacted"
import type { Execution } from "./execution.js"

/** `undefined` for a tool without hidden fields. */
export const hiddenValuesOf = ({ entry, values }: Execution): unknown =>
  entry.hidden === undefined ? undefined : jsonOf(entry.hidden.given(values), [])

/** A context may hold anything; something that is not data, such as a service, counts by the data that it shows. */
const jsonOf = (value: unknown, within: ReadonlyArray<object>): unknown => {
  if (typeof value === "bigint") return ["bigint", String(value)]
  if (typeof value !== "object" || value === null) return value
  if (Redacted.isRedacted(value)) return ["redacted", jsonOf(Redacted.value(value), within)]
  if (within.includes(value) || within.length > deepest) return "…"
  const inner = [...within, value]
  if (value instanceof Date) return ["date", value.getTime()]
  if (value instanceof Map || value instanceof Set) return [...value].map((item) => jsonOf(item, inner))
  if (Array.isArray(value)) return value.map((item) => jsonOf(item, inner))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, jsonOf(item, inner)]))
}

const deepest = 50
