/** The journal in SQL: one statement for each operation, so that each is atomic and takes one round trip. */
import type { SqlClient } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Journal from "@wield/core/Journal"
import { JournalError } from "@wield/core/JournalError"
import * as Time from "@wield/core/Time"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { attempt } from "./attempt.js"
import { endingFromText, endingToText } from "./endings.js"
import { toStored } from "../SqlOperation.js"
import { isGone, looks, makeHeartbeat, owner, silence } from "./heartbeat.js"
import { setJournal } from "./together.js"
import { type Statement, type Write, writeTogether } from "./write.js"

interface Row {
  /** These three where a call is begun. */
  readonly run?: string
  readonly call?: string
  readonly digest?: string
  readonly state: string
  readonly ending: string | null
  readonly begins: number | string | bigint
  readonly changed: number | string | bigint
  readonly owner: string | null
}

const begunAgain = `ON CONFLICT (run, call, digest) DO UPDATE SET begins = wield_calls.begins + 1
  RETURNING run, call, digest, state, ending, begins, changed, owner`

const beginMany = `INSERT INTO wield_calls (run, call, digest, state, begins, changed, tool, owner, begun_by, answered_by)
  SELECT value ->> 0, value ->> 1, value ->> 2, 'begun', 1, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7
  FROM json_each(?) WHERE true`

const endedOver = `ON CONFLICT (run, call, digest)
  DO UPDATE SET state = excluded.state, ending = excluded.ending, changed = excluded.changed`

/** Each operation is one statement. Its first values are the run, the call and the digest. */
const statements = {
  // A look begins nothing: one is added, so that a call that was begun once is `Begun`.
  look: {
    text: `SELECT state, ending, begins + 1 AS begins, changed, owner FROM wield_calls
      WHERE run = ? AND call = ? AND digest = ?`
  },
  // Of all who begin one call, the one whose row it became has the count at 1.
  begin: {
    text: `INSERT INTO wield_calls (run, call, digest, state, begins, changed, tool, owner, begun_by, answered_by)
      VALUES (?, ?, ?, 'begun', 1, ?, ?, ?, ?, ?) ${begunAgain}`,
    many: {
      usual: `${beginMany} ON CONFLICT DO NOTHING`,
      rowsOf: ([run, call, digest, changed, , owner]) => [
        { run, call, digest, state: "begun", ending: null, begins: 1, changed, owner }
      ],
      any: `${beginMany} ${begunAgain}`
    }
  },
  // Where the row is there already, it is asked for as by any other that begins.
  beginEnded: {
    text: `INSERT INTO wield_calls (run, call, digest, state, begins, changed, tool, owner, begun_by, answered_by, ending)
      VALUES (?, ?, ?, 'finished', 1, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING state`
  },
  finish: {
    text: `INSERT INTO wield_calls (run, call, digest, state, begins, changed, ending)
      VALUES (?, ?, ?, 'finished', 0, ?, ?) ${endedOver}`,
    many: {
      usual: `UPDATE wield_calls SET state = 'finished', changed = given ->> 3, ending = given ->> 4
        FROM (SELECT value AS given FROM json_each(?))
        WHERE run = given ->> 0 AND call = given ->> 1 AND digest = given ->> 2`,
      rowsOf: () => [],
      any: `INSERT INTO wield_calls (run, call, digest, state, begins, changed, ending)
        SELECT value ->> 0, value ->> 1, value ->> 2, 'finished', 0, value ->> 3, value ->> 4
        FROM json_each(?) WHERE true ${endedOver}`
    }
  },
  // What another process has finished meanwhile stays finished.
  interrupt: {
    text: `INSERT INTO wield_calls (run, call, digest, state, begins, changed)
      VALUES (?, ?, ?, 'interrupted', 0, ?)
      ON CONFLICT (run, call, digest) DO UPDATE SET state = excluded.state, changed = excluded.changed
      WHERE wield_calls.state <> 'finished'`
  },
  // What another process is at stays its own, be it that it took the call over meanwhile.
  abandon: {
    text: `DELETE FROM wield_calls WHERE run = ? AND call = ? AND digest = ? AND state <> 'finished'
      AND (state <> 'begun' OR owner IS NULL OR owner = ? OR changed <= ?)`
  },
  forget: { text: `DELETE FROM wield_calls WHERE run = ?` }
} satisfies Record<string, Statement>

/** Which of these calls are still being handled, as JSON. */
const beatOf = (rows: string): Statement => ({
  text: `UPDATE wield_calls SET changed = ? WHERE state = 'begun' AND (owner IS NULL OR owner = ?)
    AND (run, call, digest) IN (SELECT value ->> 0, value ->> 1, value ->> 2 FROM ${rows})`
})

const beats = {
  sqlite: beatOf("json_each(?)"),
  postgres: beatOf("json_array_elements(CAST(? AS json)) AS rows (value)")
}

/** How many calls one such statement names. */
const mostBeats = 1000

/** With the placeholders of Postgres. */
const numberPlaceholders = (text: string): string => {
  let count = 0
  return text.replace(/\?/g, () => `$${++count}`)
}

const operation =
  (name: string) =>
  <A, E>(effect: (now: number) => Effect.Effect<A, E | SqlError>): Effect.Effect<A, JournalError> =>
    Effect.mapError(
      Effect.clockWith((clock) => effect(clock.unsafeCurrentTimeMillis())),
      (cause) => new JournalError({ operation: name, cause })
    )

/** The journal over one client; the table is there. `stop` ends what it does by itself. */
export const makeSqlJournal = (
  client: SqlClient
): { readonly service: Journal.Service; readonly stop: Effect.Effect<void> } => {
  const sql = client.withoutTransforms()

  const placed = sql.onDialectOrElse({ pg: () => numberPlaceholders, orElse: () => (text: string) => text })
  const beat = sql.onDialectOrElse({ pg: () => beats.postgres, orElse: () => beats.sqlite })
  const write: Write =
    writeTogether(sql) ?? (({ text }, parameters) => attempt(sql.unsafe<object>(placed(text), parameters)))

  const named = ({ run, call, digest }: Journal.Key) => [toStored(run), toStored(call), digest]

  const is = ({ run, call, digest }: Journal.Key) =>
    sql`run = ${toStored(run)} AND call = ${toStored(call)} AND digest = ${digest}`

  const heartbeat = makeHeartbeat((keys) =>
    Effect.forEach(Chunk.chunksOf(Chunk.unsafeFromArray(keys), mostBeats), (some) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        write(beat, [now, owner, JSON.stringify(Chunk.toReadonlyArray(some).map(named))])
      )
    )
  )

  const isBegun = (key: Journal.Key) => sql`${is(key)} AND state = 'begun'`

  /** Waits while another process is at a call; one that has died is written down as such. */
  const over = (key: Journal.Key): Effect.Effect<void, JournalError> => {
    let seen: number | undefined
    let since = 0
    const look = operation("look")(() =>
      attempt(
        Effect.gen(function* () {
          const [row] = yield* sql<Row>`SELECT changed, owner FROM wield_calls WHERE ${isBegun(key)}`
          if (row === undefined) return true
          const changed = Number(row.changed)
          const now = yield* Time.monotonic
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
    )
    return Effect.asVoid(Effect.repeat(look, { schedule: looks, until: (isOver) => isOver }))
  }

  const knownAt = (key: Journal.Key, row: Row, now: number): Effect.Effect<Journal.Known, unknown> =>
    Effect.flatMap(knownOf(row), (known): Effect.Effect<Journal.Known, unknown> => {
      if (known._tag !== "Begun" || now - Number(row.changed) >= silence) return Effect.succeed(known)
      return isGone(row.owner)
        ? Effect.as(
            attempt(sql`UPDATE wield_calls SET changed = 0 WHERE ${isBegun(key)} AND owner = ${row.owner}`),
            known
          )
        : Effect.succeed({ _tag: "Running", over: over(key) })
    })

  /** Nothing that may be half written is given up on the way. */
  const ended =
    (key: Journal.Key) =>
    <E>(effect: Effect.Effect<unknown, E>): Effect.Effect<void, E> =>
      Effect.uninterruptible(
        Effect.matchCauseEffect(effect, {
          onFailure: (cause) => Effect.zipRight(heartbeat.end(key), Effect.failCause(cause)),
          onSuccess: () => heartbeat.end(key)
        })
      )

  // The statement selects the columns of `Row`.
  const known = ([row]: ReadonlyArray<unknown>) => row as Row | undefined

  const beginning = (key: Journal.Key, tool: string, now: number) =>
    Effect.map(Effect.all([Journal.BegunBy, Journal.AnsweredBy]), (by) => [
      ...named(key),
      now,
      toStored(tool),
      owner,
      ...by.map((who) => (who === undefined ? null : toStored(who)))
    ])

  const readBegun = (key: Journal.Key, row: Row | undefined, now: number): Effect.Effect<Journal.Known, unknown> => {
    // SQLite promises no order of what an insert returns: the row of another call is not taken for this one's.
    const isOwn = named(key).every((part, index) => part === [row?.run, row?.call, row?.digest][index])
    return row === undefined || !isOwn
      ? new SqlError({ message: "The database did not give the row of the call back" })
      : Effect.flatMap(knownAt(key, row, now), (known): Effect.Effect<Journal.Known> =>
          known._tag === "Fresh" ? Effect.as(heartbeat.begin(key), known) : Effect.succeed(known)
        )
  }

  const service: Journal.Service = {
    look: (key) =>
      operation("look")(() =>
        Effect.flatMap(write(statements.look, named(key)), (rows) => {
          const row = known(rows)
          return row === undefined ? Effect.succeed<Journal.Known>({ _tag: "Fresh" }) : knownOf(row)
        })
      ),
    begin: (key, tool, ending) =>
      operation("begin")((now) =>
        Effect.gen(function* () {
          const values = yield* beginning(key, tool, now)
          if (ending !== undefined) {
            const rows = yield* write(statements.beginEnded, [...values, yield* endingToText(ending)])
            if (rows.length > 0) return { _tag: "Fresh" }
          }
          return yield* readBegun(key, known(yield* write(statements.begin, values)), now)
        })
      ),
    finish: (key, ending) =>
      operation("finish")((now) =>
        Effect.flatMap(endingToText(ending), (text) => write(statements.finish, [...named(key), now, text]))
      ).pipe(ended(key)),
    interrupt: (key) =>
      operation("interrupt")((now) => write(statements.interrupt, [...named(key), now])).pipe(ended(key)),
    abandon: (key) =>
      operation("abandon")((now) => write(statements.abandon, [...named(key), owner, now - silence])).pipe(ended(key)),
    forget: (run) => Effect.asVoid(operation("forget")(() => write(statements.forget, [toStored(run)])))
  }
  setJournal(service, client, {
    beginOf: (key, tool) => ({
      write: service.begin(key, tool),
      part: operation("begin")((now) =>
        Effect.map(beginning(key, tool, now), ([run, call, digest, , name, process, runner, person]) => {
          return sql`INSERT INTO wield_calls (run, call, digest, state, begins, changed, tool, owner, begun_by, answered_by)
            SELECT ${run}, ${call}, ${digest}, 'begun', 1, CAST(${now} AS BIGINT), ${name}, ${process}, ${runner}, ${person}
            FROM moved ${sql.literal(begunAgain)}`
        })
      ),
      // Of a statement of Postgres, whose rows are of this call.
      read: (row) => operation("begin")((now) => readBegun(key, row as Row, now)),
      undo: heartbeat.end(key)
    }),
    endOf: (key, ending) => ({
      write: service.finish(key, ending),
      part: operation("finish")((now) =>
        Effect.map(endingToText(ending), (text) => {
          const [run, call, digest] = named(key)
          // An insert that finds the row there locks it first, which is written to the log.
          return sql`UPDATE wield_calls SET state = 'finished', ending = ${text}, changed = CAST(${now} AS BIGINT)
            FROM moved WHERE run = ${run} AND call = ${call} AND digest = ${digest} RETURNING state`
        })
      ),
      // Without a row its begin was forgotten meanwhile.
      read: (row) => ((row as Partial<Row>).state === "finished" ? heartbeat.end(key) : service.finish(key, ending))
    })
  })
  return { service, stop: heartbeat.stop }
}

const knownOf = ({ begins, ending, state }: Row): Effect.Effect<Journal.Known, unknown> => {
  if (ending !== null) return Effect.map(endingFromText(ending), (ending) => ({ _tag: "Finished", ending }))
  // A row that says anything else, such as an end without what it came to, is damaged: the call is not made again.
  if (state !== "begun") return Effect.succeed({ _tag: "Interrupted" })
  return Effect.succeed({ _tag: Number(begins) === 1 ? "Fresh" : "Begun" })
}
