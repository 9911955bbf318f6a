/** What runs bound statements: one for each kind of database. */
import type * as Effect from "effect/Effect"
import type { QueryFailed } from "../ExecutionError.js"
import type { Bound } from "./bind.js"
import type { Kind } from "./Statement.js"
import type { Dialect } from "./tokenize.js"

export interface Limits {
  /** Milliseconds. */
  readonly timeout: number
  readonly maxRows: number
  /** Of the rows as JSON. */
  readonly maxBytes: number
}

export interface Call {
  readonly bound: Bound
  readonly kind: Kind
  readonly isWriting: boolean
  readonly limits: Limits
}

/** Rows as the database gave them, at most one more than the limit: by it is known that there are more. */
export interface Answer {
  readonly columns: ReadonlyArray<string>
  /** JSON values, in the order of the columns. */
  readonly rows: ReadonlyArray<ReadonlyArray<unknown>>
  readonly rowsAffected: number | undefined
}

export interface Driver {
  readonly dialect: Dialect
  readonly run: (call: Call) => Effect.Effect<Answer, QueryFailed>
}
