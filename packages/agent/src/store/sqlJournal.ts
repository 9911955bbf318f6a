/**
 * The journal in SQL: one statement for each operation, so that each is atomic
 * and takes one round trip.
 */
import type { SqlClient } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import { type Journal, JournalError } from "@wield/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { attempt } from "./attempt.js"
import { endingFromText, endingToText } from "./endings.js"
import { toStored } from "./storedText.js"

interface Row {
  readonly state: string
  readonly ending: string | null
  readonly begins: number | string | bigint
}

/** The journal over one client; the table is there. */
export const makeSqlJournal = (client: SqlClient): Journal.Service => {
  const sql = client.withoutTransforms()

  const operation =
    (name: string) =>
    <A, E>(effect: (now: number) => Effect.Effect<A, E | SqlError>): Effect.Effect<A, JournalError> =>
      Effect.mapError(
        Effect.flatMap(Clock.currentTimeMillis, (now) => attempt(effect(now))),
        (cause) => new JournalError({ operation: name, cause })
      )

  /** The key of a row and what is written to it, whether it is there or not. */
  const row = ({ run, call, digest }: Journal.Key, state: string, now: number) => ({
    run: toStored(run),
    call: toStored(call),
    digest,
    state,
    begins: 0,
    changed: now
  })

  const is = ({ run, call, digest }: Journal.Key) =>
    sql`run = ${toStored(run)} AND call = ${toStored(call)} AND digest = ${digest}`

  return {
    look: (key) =>
      operation("look")(() =>
        Effect.flatMap(
          // A look is not a beginning: it counts as one more, so that what was begun is told as such.
          sql<Row>`SELECT state, ending, begins + 1 AS begins FROM wield_calls WHERE ${is(key)}`,
          ([known]) => (known === undefined ? Effect.succeed<Journal.Known>({ _tag: "Fresh" }) : knownOf(known))
        )
      ),
    // Of all who begin one call, the one whose row it became has the count at 1.
    begin: (key, tool) =>
      operation("begin")((now) =>
        Effect.flatMap(
          sql<Row>`INSERT INTO wield_calls ${sql.insert({ ...row(key, "begun", now), tool, begins: 1 })}
            ON CONFLICT (run, call, digest) DO UPDATE SET begins = wield_calls.begins + 1
            RETURNING state, ending, begins`,
          ([known]) =>
            known === undefined ? new SqlError({ message: "The database gave no row back" }) : knownOf(known)
        )
      ),
    finish: (key, ending) =>
      operation("finish")((now) =>
        Effect.flatMap(
          endingToText(ending),
          (text) => sql`INSERT INTO wield_calls ${sql.insert({ ...row(key, "finished", now), ending: text })}
            ON CONFLICT (run, call, digest)
            DO UPDATE SET state = excluded.state, ending = excluded.ending, changed = excluded.changed`
        )
      ),
    // What another process has finished meanwhile stays finished.
    interrupt: (key) =>
      operation("interrupt")(
        (now) => sql`INSERT INTO wield_calls ${sql.insert(row(key, "interrupted", now))}
          ON CONFLICT (run, call, digest) DO UPDATE SET state = excluded.state, changed = excluded.changed
          WHERE wield_calls.state <> 'finished'`
      ),
    abandon: (key) => operation("abandon")(() => sql`DELETE FROM wield_calls WHERE ${is(key)} AND state <> 'finished'`),
    forget: (run) => operation("forget")(() => sql`DELETE FROM wield_calls WHERE run = ${toStored(run)}`)
  }
}

const knownOf = ({ begins, ending, state }: Row): Effect.Effect<Journal.Known, unknown> => {
  if (ending !== null) return Effect.map(endingFromText(ending), (ending) => ({ _tag: "Finished", ending }))
  if (state === "interrupted") return Effect.succeed({ _tag: "Interrupted" })
  return Effect.succeed({ _tag: Number(begins) === 1 ? "Fresh" : "Begun" })
}
