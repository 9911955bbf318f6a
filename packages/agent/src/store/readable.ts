/**
 * Statements whose rows can be read from a damaged file. libsql ends the process
 * at a text that is no UTF-8, and in a damaged file any column may be one,
 * whatever its type says. So texts are asked for as bytes.
 */
import type Database from "libsql"

/** A statement that gives its texts as bytes, and one column more that says which they are. */
export interface Readable {
  readonly text: string
  /** Of the columns as they were asked for. */
  readonly names: ReadonlyArray<string>
}

/** `undefined` for a statement that gives no rows of the file, such as a pragma. */
export const readable = (text: string, statement: Database.Statement): Readable | undefined => {
  if (!statement.reader) return undefined
  const names = statement.columns().map(({ name }) => name)
  if (/^\s*(select|with|values)\b/i.test(text) && !hasWrites.test(text)) {
    const columns = names.map((_, index) => `c${index}`)
    // Materialized, so that each value is computed once.
    const rows = `WITH wield_rows (${columns.join(", ")}) AS MATERIALIZED (\n${trimEnd(text)}\n)`
    return { names, text: `${rows} SELECT ${asBytes(columns)} FROM wield_rows` }
  }
  const at = /\breturning\b(?![^]*\breturning\b)/i.exec(text)
  if (at === null) return undefined
  const given = trimEnd(text.slice(at.index + at[0].length)).trim()
  const columns = given === "*" ? names.map(quote) : given.split(",").map(withoutAlias)
  // What is more than names would have to be parsed.
  if (columns.length !== names.length || columns.some((column) => !isPlain.test(column))) return undefined
  return { names, text: `${text.slice(0, at.index)}RETURNING ${asBytes(columns)}` }
}

/** A row with its texts. Throws where one is no text. */
export const readRow = (names: ReadonlyArray<string>, row: ReadonlyArray<unknown>): Array<unknown> => {
  const kinds = String(row[names.length])
  return names.map((name, index) => (kinds[index] === "1" ? decode(name, row[index]) : row[index]))
}

/** Throws where the schema is no text: from it come the names of columns, which libsql reads as it reads texts. */
export const readSchema = (database: Database.Database): void => {
  const rows = database
    .prepare("SELECT CAST(name AS BLOB), CAST(tbl_name AS BLOB), CAST(sql AS BLOB) FROM sqlite_schema")
    .raw()
    .all()
  // A row without names is an array of its values.
  for (const row of rows) for (const bytes of row as Array<unknown>) if (bytes !== null) decode("sql", bytes)
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const decode = (name: string, bytes: unknown): string => {
  try {
    return bytes instanceof Uint8Array ? utf8.decode(bytes) : ""
  } catch {
    throw new Error(`the text in the column ${name} is no UTF-8: the file is damaged`)
  }
}

const hasWrites = /\b(insert|update|delete|replace)\b[^]*\breturning\b/i

const isPlain = /^\s*("(?:[^"]|"")*"|[\w.]+|\w+\s*[+-]\s*\d+)\s*$/

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`

const withoutAlias = (column: string): string => column.replace(/\s+as\s+("(?:[^"]|"")*"|\w+)\s*$/i, "")

const trimEnd = (text: string): string => text.replace(/[\s;]+$/, "")

const asBytes = (columns: ReadonlyArray<string>): string =>
  `${columns.map((column) => `CASE typeof(${column}) WHEN 'text' THEN CAST(${column} AS BLOB) ELSE ${column} END`).join(", ")}, ${columns
    .map((column) => `(typeof(${column}) = 'text')`)
    .join(" || ")}`
