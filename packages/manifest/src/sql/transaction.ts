/**
 * A connection of a client for one statement, in a transaction of its own.
 *
 * Not `withTransaction`: all clients share the tag by which it finds a
 * transaction that is open, so a statement would be sent to whatever database
 * the caller has one on.
 */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import type { QueryFailed } from "../ExecutionError.js"
import type { Answer, Call } from "./Driver.js"
import { failureOf, timedOut } from "./failure.js"

export const inTransaction = ({
  begin,
  call: { bound, isWriting, limits },
  client,
  use
}: {
  readonly client: SqlClient
  readonly call: Call
  readonly begin: (connection: Connection) => Effect.Effect<unknown, SqlError>
  readonly use: (connection: Connection) => Effect.Effect<Answer, SqlError>
}): Effect.Effect<Answer, QueryFailed> =>
  Effect.scoped(
    Effect.flatMap(reserved(client), (connection) => {
      const end = (text: string) => connection.executeUnprepared(text, [], undefined)
      return Effect.uninterruptibleMask((restore) =>
        restore(Effect.zipRight(begin(connection), use(connection))).pipe(
          Effect.tap(() => end(isWriting ? "COMMIT" : "ROLLBACK")),
          Effect.onError(() => Effect.ignore(bounded(end("ROLLBACK"))))
        )
      )
    })
  ).pipe(
    Effect.mapError((error) => failureOf(error, bound.values)),
    Effect.timeoutFail({ duration: limits.timeout, onTimeout: () => timedOut(limits.timeout) })
  )

/**
 * Clients lose a connection that comes when nobody waits for it any more. So it
 * is waited for, if need be behind the back of who has given up, and given back.
 */
const reserved = (client: SqlClient) => Effect.disconnect(Effect.uninterruptible(client.reserve))

/** A connection that does not answer is not waited for; whatever it does next stands behind this. */
const bounded = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.timeoutOption(Effect.disconnect(Effect.interruptible(effect)), "5 seconds")
