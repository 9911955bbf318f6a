import { expect, it, layer } from "@effect/vitest"
import * as FileStore from "@wield/agent/FileStore"
import * as RecordStore from "@wield/agent/RecordStore"
import * as SqlJournal from "@wield/agent/SqlJournal"
import { Journal } from "@wield/core"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Fiber, Layer, Schedule, TestClock } from "effect"
import { hostname } from "node:os"
import * as Postgres from "../../../test/postgres/Postgres.js"
import { journalLaws } from "./store/journalLaws.js"
import { temporaryFile } from "./store/temporaryFile.js"

layer(Journal.layerMemory)("A journal in memory", journalLaws("Begun"))

const file = Layer.unwrapScoped(Effect.map(temporaryFile, (path) => FileStore.layer({ path, synchronous: "normal" })))

layer(file)("A journal in a file", journalLaws("Running"))

const postgres = SqlJournal.layer.pipe(Layer.provide(Postgres.client), Layer.provide(Postgres.layer))

layer(postgres)("A journal in Postgres", journalLaws("Running"))

layer(Layer.suspend(() => RecordStore.layer(RecordStore.memory())))("A journal over records", journalLaws("Running"))

const key: Journal.Key = { run: "run", call: "call_1", digest: "d1" }

const clientAndJournal = Layer.unwrapScoped(
  Effect.map(temporaryFile, (path) => Layer.provideMerge(SqlJournal.layer, FileStore.layerClient({ path })))
)

it.effect("does not run again what another process finished before this one was interrupted", () =>
  Effect.gen(function* () {
    const journal = yield* Journal.Journal
    yield* journal.begin(key, "pay")
    yield* journal.finish(key, { _tag: "Success", encoded: 1 })
    yield* journal.interrupt(key)
    yield* journal.abandon(key)
    expect((yield* journal.begin(key, "pay"))._tag).toBe("Finished")
  }).pipe(Effect.provide(clientAndJournal))
)

it.effect("fails with a typed error on an ending that is none, and on one that JSON cannot say", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const journal = yield* Journal.Journal
    const refused = yield* Effect.flip(journal.finish(key, { _tag: "Success", encoded: 1n }))
    expect(refused).toMatchObject({ _tag: "JournalError", operation: "finish" })
    yield* journal.finish(key, { _tag: "Success", encoded: 1 })
    yield* sql`UPDATE wield_calls SET ending = '{"_tag":"Later"}'`
    expect(yield* Effect.flip(journal.begin(key, "pay"))).toMatchObject({ _tag: "JournalError", operation: "begin" })
  }).pipe(Effect.provide(clientAndJournal))
)

it.effect("says by name which tool was begun, how often and when", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const journal = yield* Journal.Journal
    yield* journal.begin(key, "pay")
    yield* journal.begin(key, "pay")
    expect(yield* sql`SELECT run, call, digest, tool, state, ending, begins, changed FROM wield_calls`).toMatchObject([
      { ...key, tool: "pay", state: "begun", ending: null, begins: 2, changed: 0 }
    ])
  }).pipe(Effect.provide(clientAndJournal))
)

const overOf = (known: Journal.Known) => (known._tag === "Running" ? known.over : expect.unreachable())

it.effect("waits for a call that another process is at, however long it takes", () =>
  Effect.gen(function* () {
    const journal = yield* Journal.Journal
    yield* journal.begin(key, "pay")
    const waiting = yield* Effect.fork(overOf(yield* journal.begin(key, "pay")))
    yield* TestClock.adjust("1 minute")
    expect(waiting.unsafePoll()).toBe(null)
    yield* journal.finish(key, { _tag: "Success", encoded: 1 })
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(waiting)
    expect((yield* journal.begin(key, "pay"))._tag).toBe("Finished")
  }).pipe(Effect.provide(clientAndJournal))
)

it.effect("takes a call for begun whose process is gone, or says nothing any more", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const journal = yield* Journal.Journal
    const other = { ...key, call: "call_2" }
    // Another process has begun both: this one says nothing of them.
    yield* sql`INSERT INTO wield_calls ${sql.insert(
      [key, other].map((one) => ({ ...one, state: "begun", begins: 1, changed: 60_000, owner: "1@elsewhere" }))
    )}`
    const waiting = yield* Effect.fork(overOf(yield* journal.begin(key, "pay")))
    yield* TestClock.adjust("1 minute")
    yield* Fiber.join(waiting)
    expect(yield* journal.begin(key, "pay")).toStrictEqual({ _tag: "Begun" })
    // No process has this number.
    yield* sql`UPDATE wield_calls SET owner = ${`999999999@${hostname()}`}`
    expect(yield* journal.begin(other, "pay")).toStrictEqual({ _tag: "Begun" })
  }).pipe(Effect.provide(clientAndJournal))
)

it.effect("neither gives up nor keeps alive a call that another process has taken over", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const journal = yield* Journal.Journal
    yield* journal.begin(key, "pay")
    yield* sql`UPDATE wield_calls SET owner = '1@elsewhere', changed = 5000`
    yield* TestClock.adjust("5 seconds")
    expect(yield* sql`SELECT changed FROM wield_calls`).toEqual([{ changed: 5000 }])
    yield* journal.abandon(key)
    expect((yield* journal.begin(key, "pay"))._tag).toBe("Running")
    // It says nothing any more.
    yield* TestClock.adjust("10 seconds")
    yield* journal.abandon(key)
    expect((yield* journal.begin(key, "pay"))._tag).toBe("Fresh")
  }).pipe(Effect.provide(clientAndJournal))
)

it.effect("gives up for one of two that find the process of a call gone", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const journal = yield* Journal.Journal
    yield* TestClock.adjust("1 minute")
    yield* journal.begin(key, "pay")
    yield* sql`UPDATE wield_calls SET owner = ${`999999999@${hostname()}`}`
    expect(yield* journal.begin(key, "pay")).toStrictEqual({ _tag: "Begun" })
    yield* journal.abandon(key)
    // The other one has begun it again.
    expect((yield* journal.begin(key, "pay"))._tag).toBe("Fresh")
    yield* sql`UPDATE wield_calls SET owner = '1@elsewhere'`
    yield* journal.abandon(key)
    expect((yield* journal.begin(key, "pay"))._tag).toBe("Running")
  }).pipe(Effect.provide(clientAndJournal))
)

const postgresAndJournal = Layer.provideMerge(SqlJournal.layer, Layer.provide(Postgres.client, Postgres.layer))

layer(postgresAndJournal, { excludeTestServices: true })("A journal in Postgres", (it) => {
  it.effect("says of a call that it is being handled, until it is over", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const journal = yield* Journal.Journal
      yield* journal.begin(key, "pay")
      const said = Effect.map(
        sql<{ readonly changed: string }>`SELECT changed FROM wield_calls`,
        ([row]) => row?.changed
      )
      const first = yield* said
      yield* Effect.repeat(said, { schedule: Schedule.spaced("50 millis"), until: (now) => now !== first })
      yield* journal.finish(key, { _tag: "Success", encoded: 1 })
      expect((yield* journal.begin(key, "pay"))._tag).toBe("Finished")
    })
  )
})
