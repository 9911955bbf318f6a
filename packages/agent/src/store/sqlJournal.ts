/**
 * The journal in SQL: one statement for each operation, so that each is atomic
 * and takes one round trip.
 */
import type { SqlClient } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import { type Journal, JournalError } from "@wield/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { attempt } from "./attempt.js"
import { endingFromText, endingToText } from "./endings.js"
import { makeHeartbeat, silence } from "./heartbeat.js"
import { isGone, owner } from "./owner.js"
import { toStored } from "./storedText.js"

interface Row {
  readonly state: string
  readonly ending: string | null
  readonly begins: number | string | bigint
  readonly changed: number | string | bigint
  readonly owner: string | null
}

/** How often a call of another process is looked at: soon at first, each half second in the end. */
const looks = Schedule.union(Schedule.exponential("20 millis", 1.5), Schedule.spaced("500 millis"))

/** Milliseconds of a clock that nobody sets. */
const monotonic = Effect.map(Clock.currentTimeNanos, (nanoseconds) => Number(nanoseconds / 1_000_000n))

/** The journal over one client; the table is there. `stop` ends what it does by itself. */
export const makeSqlJournal = (
  client: SqlClient
): { readonly service: Journal.Service; readonly stop: Effect.Effect<void> } => {
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

  const heartbeat = makeHeartbeat((keys) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      attempt(
        sql.withTransaction(
          Effect.forEach(keys, (key) => sql`UPDATE wield_calls SET changed = ${now} WHERE ${isBegun(key)}`, {
            discard: true
          })
        )
      )
    )
  )

  const isBegun = (key: Journal.Key) => sql`${is(key)} AND state = 'begun'`

  /** Waits while another process is at a call; one that has died is written down as such. */
  const over = (key: Journal.Key): Effect.Effect<void, JournalError> => {
    let seen: number | undefined
    let since = 0
    const look = operation("look")(() =>
      Effect.gen(function* () {
        const [row] = yield* sql<Row>`SELECT changed, owner FROM wield_calls WHERE ${isBegun(key)}`
        if (row === undefined) return true
        const changed = Number(row.changed)
        const now = yield* monotonic
        if (changed !== seen) {
          seen = changed
          since = now
        }
        // The clocks of two machines need not agree, so what counts is that it is silent while this one listens.
        if (!isGone(row.owner) && now - since < silence) return false
        yield* sql`UPDATE wield_calls SET changed = 0 WHERE ${isBegun(key)} AND changed = ${changed}`
        return true
      })
    )
    return Effect.asVoid(Effect.repeat(look, { schedule: looks, until: (isOver) => isOver }))
  }

  const knownAt = (key: Journal.Key, row: Row, now: number): Effect.Effect<Journal.Known, unknown> =>
    Effect.map(knownOf(row), (known) =>
      known._tag === "Begun" && !isGone(row.owner) && now - Number(row.changed) < silence
        ? { _tag: "Running", over: over(key) }
        : known
    )

  const ended =
    (key: Journal.Key) =>
    <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.ensuring(effect, heartbeat.end(key))

  const service: Journal.Service = {
    look: (key) =>
      operation("look")(() =>
        Effect.flatMap(
          // A look is not a beginning: it counts as one more, so that what was begun is told as such.
          sql<Row>`SELECT state, ending, begins + 1 AS begins, changed, owner FROM wield_calls WHERE ${is(key)}`,
          ([known]) => (known === undefined ? Effect.succeed<Journal.Known>({ _tag: "Fresh" }) : knownOf(known))
        )
      ),
    // Of all who begin one call, the one whose row it became has the count at 1.
    begin: (key, tool) =>
      operation("begin")((now) =>
        Effect.flatMap(
          sql<Row>`INSERT INTO wield_calls ${sql.insert({ ...row(key, "begun", now), tool, owner, begins: 1 })}
            ON CONFLICT (run, call, digest) DO UPDATE SET begins = wield_calls.begins + 1
            RETURNING state, ending, begins, changed, owner`,
          ([known]) =>
            known === undefined ? new SqlError({ message: "The database gave no row back" }) : knownAt(key, known, now)
        )
      ).pipe(Effect.tap((known) => (known._tag === "Fresh" ? heartbeat.begin(key) : Effect.void))),
    finish: (key, ending) =>
      operation("finish")((now) =>
        Effect.flatMap(
          endingToText(ending),
          (text) => sql`INSERT INTO wield_calls ${sql.insert({ ...row(key, "finished", now), ending: text })}
            ON CONFLICT (run, call, digest)
            DO UPDATE SET state = excluded.state, ending = excluded.ending, changed = excluded.changed`
        )
      ).pipe(ended(key)),
    // What another process has finished meanwhile stays finished.
    interrupt: (key) =>
      operation("interrupt")(
        (now) => sql`INSERT INTO wield_calls ${sql.insert(row(key, "interrupted", now))}
          ON CONFLICT (run, call, digest) DO UPDATE SET state = excluded.state, changed = excluded.changed
          WHERE wield_calls.state <> 'finished'`
      ).pipe(ended(key)),
    abandon: (key) =>
      operation("abandon")(() => sql`DELETE FROM wield_calls WHERE ${is(key)} AND state <> 'finished'`).pipe(
        ended(key)
      ),
    forget: (run) => operation("forget")(() => sql`DELETE FROM wield_calls WHERE run = ${toStored(run)}`)
  }
  return { service, stop: heartbeat.stop }
}

const knownOf = ({ begins, ending, state }: Row): Effect.Effect<Journal.Known, unknown> => {
  if (ending !== null) return Effect.map(endingFromText(ending), (ending) => ({ _tag: "Finished", ending }))
  if (state === "interrupted") return Effect.succeed({ _tag: "Interrupted" })
  return Effect.succeed({ _tag: Number(begins) === 1 ? "Fresh" : "Begun" })
}
