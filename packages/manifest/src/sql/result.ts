/**
 * The rows as the tool answers them, within their limits.
 */
import type { Answer, Limits } from "./Driver.js"

export interface Truncated {
  readonly limit: "maxRows" | "maxBytes"
  /** How many rows are here; the others were not counted. */
  readonly rows: number
  readonly message: string
}

export interface Result {
  readonly rows?: ReadonlyArray<{ readonly [column: string]: unknown }>
  readonly rowsAffected?: number
  readonly truncated?: Truncated
}

export const result = ({ columns, rows, rowsAffected }: Answer, limits: Limits): Result => {
  const names = distinct(columns)
  const encoder = new TextEncoder()
  const kept: Array<{ readonly [column: string]: unknown }> = []
  let bytes = 0
  let limit: Truncated["limit"] | undefined
  for (const row of rows) {
    if (kept.length >= limits.maxRows) limit = "maxRows"
    // `fromEntries` makes a property of its own even of a column named `__proto__`.
    const object = Object.fromEntries(names.map((name, index) => [name, row[index] ?? null]))
    bytes += encoder.encode(JSON.stringify(object)).length + 1
    if (limit === undefined && bytes > limits.maxBytes) limit = "maxBytes"
    if (limit !== undefined) break
    kept.push(object)
  }
  return {
    ...(rowsAffected === undefined ? {} : { rowsAffected }),
    ...(rowsAffected !== undefined && columns.length === 0 ? {} : { rows: kept }),
    ...(limit === undefined ? {} : { truncated: truncated(limit, kept.length) })
  }
}

const truncated = (limit: Truncated["limit"], rows: number): Truncated => ({
  limit,
  rows,
  message: `There are more rows than these ${rows} (${limit}): ask for fewer rows or columns`
})

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
