/**
 * Which clients commit statements of many fibers together. It stands apart from
 * the file's client, which needs libsql.
 */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type * as Effect from "effect/Effect"

/** A statement, and the same for many at once where there is one. */
export interface Statement {
  readonly text: string
  readonly many?: Many | undefined
}

/** Statements whose one value is JSON, an array of the values of each. */
export interface Many {
  /** Tried first, for it takes half the time: it gives no rows, and holds only where it changes a row for each. */
  readonly usual: string
  /** The rows that `text` would give for these values where `usual` holds. */
  readonly rowsOf: (parameters: ReadonlyArray<unknown>) => ReadonlyArray<unknown>
  /** Gives a row for each, or none at all. */
  readonly any: string
}

/** Runs a statement, and completes when it is committed. */
export type Write = (
  statement: Statement,
  parameters: ReadonlyArray<unknown>
) => Effect.Effect<ReadonlyArray<unknown>, SqlError>

const writes = new WeakMap<SqlClient, Write>()

export const commitTogether = (client: SqlClient, write: Write): void => void writes.set(client, write)

/** `undefined` for a client whose statements go each by itself. */
export const writeTogether = (client: SqlClient): Write | undefined => writes.get(client)
