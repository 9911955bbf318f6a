/**
 * A SQLite file, by libsql itself rather than through a client of
 * `@effect/sql`: whole numbers come exactly, columns with their names, and
 * libsql steps in a thread of its own, so that a long statement does not stop
 * the process.
 *
 * libsql 0.4.7 cannot interrupt a statement. One that is past its time is left
 * to end where it is; its connection is not used again and is rolled back, so
 * that nothing of it is kept, and until then it takes up one of few places.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import Database from "libsql/promise"
import type { QueryFailed } from "../ExecutionError.js"
import { ofBytes, ofInteger, ofJson, ofNumber, ofUnknown } from "./cell.js"
import type { Answer, Call, Driver } from "./Driver.js"
import { failureOf, timedOut } from "./failure.js"

/** How many statements run at once, those past their time among them. */
const places = 4

/** What is used of libsql, whose own types say `any`. */
interface LibsqlStatement {
  readonly reader: boolean
  readonly raw: () => LibsqlStatement
  readonly safeIntegers: (isSafe: boolean) => LibsqlStatement
  readonly columns: () => ReadonlyArray<{ readonly name: string; readonly type: string | null }>
  readonly all: (values: ReadonlyArray<unknown>) => Promise<ReadonlyArray<ReadonlyArray<unknown>>>
}

/** Interruption waits for a step of libsql, which goes on in any case. */
const step = <A>(run: () => Promise<A>): Effect.Effect<A, { readonly cause: unknown }> =>
  Effect.uninterruptible(Effect.tryPromise({ try: run, catch: (cause) => ({ cause }) }))

const isLocked = ({ cause }: { readonly cause: unknown }): boolean =>
  Predicate.hasProperty(cause, "code") && /^SQLITE_(?:BUSY|LOCKED)/.test(String(cause.code))

const waiting = Schedule.jittered(Schedule.union(Schedule.exponential("2 millis", 1.5), Schedule.spaced("50 millis")))

export const openFile = (path: string): Effect.Effect<Driver, QueryFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const turn = yield* Effect.makeSemaphore(places)
    let idle: Array<Database> = []
    let isClosed = false
    const close = (database: Database) => Effect.sync(() => database.close())

    const open = Effect.acquireRelease(
      step(async () => idle.pop() ?? (await opened(path))),
      (database, exit) =>
        exit._tag === "Success" && !isClosed
          ? Effect.sync(() => void idle.push(database))
          : Effect.zipRight(
              // What was refused may be in progress still; only `exec` ends it.
              Effect.ignore(step(() => database.exec("ROLLBACK"))),
              close(database)
            )
    )
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        isClosed = true
        const all = idle
        idle = []
        return Effect.forEach(all, close, { discard: true })
      })
    )
    yield* Effect.scoped(open).pipe(Effect.mapError(({ cause }) => failureOf(cause, [])))

    return {
      dialect: "sqlite",
      run: (call) =>
        turn
          .withPermits(1)(Effect.scoped(Effect.flatMap(open, (database) => answer(database, call))))
          .pipe(
            Effect.mapError(({ cause }) => failureOf(cause, call.bound.values)),
            // The statement is let go of at once, and ends when libsql does.
            Effect.disconnect,
            Effect.timeoutFail({ duration: call.limits.timeout, onTimeout: () => timedOut(call.limits.timeout) })
          )
    }
  })

const opened = async (path: string): Promise<Database> => {
  const database = new Database(path, {})
  await database.exec("PRAGMA foreign_keys = ON")
  // Waits are tried again from here, where they can be interrupted.
  await database.exec("PRAGMA busy_timeout = 0")
  return database
}

/**
 * Locks are taken by `exec`: a prepared statement that one refuses would stay
 * in progress.
 */
const begin = (database: Database, isWriting: boolean) =>
  step(async () => {
    await database.exec(`PRAGMA query_only = ${isWriting ? "OFF" : "ON"}`)
    await database.exec(isWriting ? "BEGIN IMMEDIATE" : "BEGIN")
    if (!isWriting) await database.exec("SELECT 1 FROM sqlite_schema LIMIT 1")
  }).pipe(
    Effect.tapError(() => Effect.ignore(step(() => database.exec("ROLLBACK")))),
    Effect.retry({ schedule: waiting, while: isLocked })
  )

const answer = (database: Database, { bound, isWriting, kind, limits }: Call) =>
  Effect.gen(function* () {
    yield* begin(database, isWriting)
    const prepare = (text: string) => step<LibsqlStatement>(() => database.prepare(text))
    const count = (text: string) =>
      Effect.flatMap(prepare(text), (statement) =>
        Effect.map(
          step(() => statement.raw().all([])),
          ([row]) => Number(row?.[0] ?? 0)
        )
      )
    const before = kind === "write" ? yield* count("SELECT total_changes()") : 0
    const statement = yield* prepare(bound.text)
    const columns = statement.reader ? statement.columns() : []
    const reading = kind === "select" ? yield* prepare(materialized(bound.text, limits.maxRows + 1)) : statement
    // `raw` is an error where no rows can come.
    const rows = yield* step(() => (statement.reader ? reading.raw().safeIntegers(true) : reading).all(bound.values))
    // `changes` tells of the last statement that changed rows, which this one need not be.
    const rowsAffected =
      kind !== "write"
        ? undefined
        : (yield* count("SELECT total_changes()")) === before
          ? 0
          : yield* count("SELECT changes()")
    // Readers may keep a file that has no write-ahead log from being written.
    yield* Effect.retry(
      step(() => database.exec(isWriting ? "COMMIT" : "ROLLBACK")),
      { schedule: waiting, while: isLocked }
    )
    return {
      columns: columns.map(({ name }) => name),
      rows: rows.map((row) => row.map((value, index) => cellOf(value, columns[index]?.type ?? null))),
      rowsAffected
    } satisfies Answer
  })

/** The first step then does all the work, in libsql's thread; rows are read in this one, a hundred at a time. */
const materialized = (text: string, limit: number): string =>
  `WITH wield_rows AS MATERIALIZED (SELECT * FROM (\n${text}\n) LIMIT ${limit}) SELECT * FROM wield_rows`

const cellOf = (value: unknown, declared: string | null): unknown => {
  if (typeof value === "bigint") return ofInteger(value)
  if (typeof value === "number") return ofNumber(value)
  if (typeof value === "string") return declared !== null && /^jsonb?$/i.test(declared) ? ofJson(value) : value
  return value instanceof Uint8Array ? ofBytes(value) : ofUnknown(value)
}
