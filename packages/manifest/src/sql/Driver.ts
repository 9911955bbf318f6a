/** What runs bound statements, one for each kind of database, and how one runs in a transaction of its own. */
import * as Effect from "effect/Effect"
import type { SqlClient } from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import type { QueryFailed } from "../ExecutorError.js"
import type { Bound } from "./bind.js"
import type { Kind } from "./Statement.js"
import type { Dialect } from "./tokenize.js"
import { failureOf, inDoubt, timedOut, noAnswerToEnd } from "./failure.js"

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

/**
 * A connection for one statement, in a transaction of its own. Not by `withTransaction`: all clients share its tag, so
 * a statement would be sent to whatever database the caller has a transaction on.
 */
export const inTransaction = ({
  begin,
  call: { bound, isWriting, limits },
  client,
  use
}: {
  readonly client: SqlClient
  readonly call: Call
  /** Gets the milliseconds that are left. */
  readonly begin: (connection: Connection, timeout: number) => Effect.Effect<unknown, SqlError>
  readonly use: (connection: Connection) => Effect.Effect<Answer, SqlError>
}): Effect.Effect<Answer, QueryFailed> => {
  const within = (timeout: number) =>
    Effect.timeoutFail({ duration: timeout, onTimeout: () => timedOut(limits.timeout) })
  const failed = Effect.mapError((error: SqlError) => failureOf(error, bound.values))
  return Effect.scoped(
    Effect.gen(function* () {
      const [waited, connection] = yield* reserved(client).pipe(failed, within(limits.timeout), Effect.timed)
      const left = Math.max(1, Math.ceil(limits.timeout - Duration.toMillis(waited)))
      const end = (text: string) => connection.executeUnprepared(text, [], undefined)
      const rollback = Effect.ignore(withinBound(end("ROLLBACK")))
      const commit = Effect.flatMap(
        withinBound(failed(end("COMMIT"))),
        Option.match({ onNone: () => Effect.fail(noAnswerToEnd()), onSome: Effect.succeed })
      ).pipe(Effect.mapError(inDoubt))
      return yield* Effect.uninterruptibleMask((restore) =>
        restore(Effect.zipRight(begin(connection, left), use(connection)).pipe(failed, within(left + grace))).pipe(
          // What has begun to be committed is not over its time any more.
          Effect.tap(() => (isWriting ? commit : rollback)),
          Effect.onError(() => rollback)
        )
      )
    })
  )
}

/** Milliseconds for the database to end a statement itself: cancelling needs another connection. */
const grace = 500

/** Clients lose a connection that comes when its caller is gone: it is waited for, and given back. */
const reserved = (client: SqlClient) => Effect.disconnect(Effect.uninterruptible(client.reserve))

/** A connection that does not answer is not waited for; whatever it does next stands behind this. */
export const withinBound = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.timeoutOption(Effect.interruptible(Effect.disconnect(effect)), "5 seconds")
