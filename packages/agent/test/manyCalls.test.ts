/** Many journaled calls at once in one file. */
import { expect, it } from "@effect/vitest"
import * as FileStore from "@wield/agent/FileStore"
import { SqlClient } from "@effect/sql/SqlClient"
import * as SqlJournal from "@wield/agent/SqlJournal"
import { Journal } from "@wield/core"
import { Context, Effect, Layer } from "effect"
import { statSync } from "node:fs"
import { temporaryFile } from "./store/temporaryFile.js"

const open = Effect.gen(function* () {
  const path = yield* temporaryFile
  const layer = Layer.provideMerge(SqlJournal.layer, FileStore.layerClient({ path, synchronous: "normal" }))
  const context = yield* Layer.build(layer)
  return { path, journal: Context.get(context, Journal.Journal), sql: Context.get(context, SqlClient) }
})

const keys = (count: number): ReadonlyArray<Journal.Key> =>
  Array.from({ length: count }, (_, index) => ({ run: "r", call: `c${index}`, digest: "d" }))

it.scopedLive("calls that begin and end at once are committed in groups", () =>
  Effect.gen(function* () {
    const { journal, path } = yield* open
    const frames = () => statSync(`${path}-wal`).size
    const one = keys(1)[0]!
    const before = frames()
    yield* journal.begin({ ...one, run: "alone" }, "pay")
    const alone = frames() - before
    const between = frames()
    yield* Effect.forEach(keys(100), (key) => journal.begin(key, "pay"), { concurrency: "unbounded" })
    // A commit writes each page that it changes: a hundred by themselves write a hundred times as much.
    expect(frames() - between).toBeLessThan(alone * 50)
  })
)

it.scopedLive("timers fire between the calls of a long row, at once or one after the other", () =>
  Effect.gen(function* () {
    const { journal, sql } = yield* open
    for (const concurrency of ["unbounded", 1] as const) {
      let fired = 0
      const timer = setInterval(() => fired++, 1)
      yield* journal.forget("r")
      yield* Effect.forEach(keys(300), (key) => journal.begin(key, "pay"), { concurrency })
      yield* Effect.forEach(keys(300), () => sql`SELECT 1 AS one`, { concurrency })
      clearInterval(timer)
      expect(fired).toBeGreaterThan(3)
    }
  })
)

it.scopedLive("a statement that is wrong is wrong for itself, and the others of its group are kept", () =>
  Effect.gen(function* () {
    const { journal, sql } = yield* open
    yield* sql`CREATE TRIGGER refuse BEFORE INSERT ON wield_calls WHEN NEW.call = 'c3' BEGIN SELECT RAISE(ABORT, 'no'); END`
    const begun = yield* Effect.forEach(keys(6), (key) => Effect.either(journal.begin(key, "pay")), {
      concurrency: "unbounded"
    })
    expect(begun.map((known) => (known._tag === "Left" ? known.left._tag : known.right._tag))).toEqual([
      "Fresh",
      "Fresh",
      "Fresh",
      "JournalError",
      "Fresh",
      "Fresh"
    ])
    expect(yield* sql`SELECT call FROM wield_calls ORDER BY call`).toHaveLength(5)
  })
)

it.scopedLive("calls that were begun before are told from new ones of their group", () =>
  Effect.gen(function* () {
    const { journal } = yield* open
    const [first, second, third, fourth] = keys(4) as [Journal.Key, Journal.Key, Journal.Key, Journal.Key]
    const finished: Journal.Ending = { _tag: "Success", encoded: "paid" }
    yield* journal.begin(second, "pay")
    yield* journal.finish(second, finished)
    const begun = yield* Effect.forEach([first, second, third, third, fourth], (key) => journal.begin(key, "pay"), {
      concurrency: "unbounded"
    })
    expect(begun.map(({ _tag }) => _tag)).toEqual(["Fresh", "Finished", "Fresh", "Running", "Fresh"])
    // The end of a call that was forgotten meanwhile is recorded all the same, beside those that are known.
    yield* journal.abandon(third)
    yield* Effect.forEach([first, third, fourth], (key) => journal.finish(key, finished), { concurrency: "unbounded" })
    const ends = yield* Effect.forEach(keys(4), (key) => journal.look(key))
    expect(ends.map(({ _tag }) => _tag)).toEqual(["Finished", "Finished", "Finished", "Finished"])
  })
)

it.scopedLive("what is journaled within a transaction is committed with it, or not at all", () =>
  Effect.gen(function* () {
    const { journal, sql } = yield* open
    const [key] = keys(1)
    yield* Effect.ignore(sql.withTransaction(Effect.zipRight(journal.begin(key!, "pay"), Effect.fail("no"))))
    expect((yield* journal.begin(key!, "pay"))._tag).toBe("Fresh")
  })
)
