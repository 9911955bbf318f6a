import { expect, it } from "@effect/vitest"
import { SqlClient } from "@effect/sql/SqlClient"
import { ConversationStore } from "@wield/agent"
import * as FileStore from "@wield/agent/FileStore"
import * as SqlJournal from "@wield/agent/SqlJournal"
import { Journal } from "@wield/core"
import { Context, Deferred, Effect, Fiber, Layer, Stream, TestClock } from "effect"
import { copyFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import * as Postgres from "../../../test/postgres/Postgres.js"
import { temporaryFile } from "./store/temporaryFile.js"

const clientOf = (path: string) =>
  Effect.map(Layer.build(Layer.fresh(FileStore.layerClient({ path, synchronous: "normal" }))), Context.get(SqlClient))

const key = (call: string): Journal.Key => ({ run: "run", call, digest: "d" })

it.scoped("says which file cannot be opened, and what to do", () =>
  Effect.gen(function* () {
    const path = `${yield* temporaryFile}/none/conversations.db`
    const error = yield* Effect.flip(Layer.build(FileStore.layer({ path })))
    expect(error).toMatchObject({ _tag: "StoreError", operation: "open" })
    expect(error.message).toContain(path)
    expect(error.message).toContain("in a folder that exists")
  })
)

it.scoped("says which file is no database", () =>
  Effect.gen(function* () {
    const path = yield* temporaryFile
    writeFileSync(path, "id,amount\n".repeat(1000))
    const error = yield* Effect.flip(Layer.build(FileStore.layer({ path })))
    expect(error.message).toContain(`${path} holds something else than a database of SQLite: give another path`)
  })
)

it.scoped("finds everything again when the file is opened again", () =>
  Effect.gen(function* () {
    const path = yield* temporaryFile
    const store = ConversationStore.ConversationStore
    const write = Effect.flatMap(store, (service) => service.create({ id: "one", title: "Title" }))
    const read = Effect.flatMap(store, (service) => service.summary("one"))
    yield* Effect.provide(write, FileStore.layer({ path }))
    expect(yield* Effect.provide(read, FileStore.layer({ path }))).toMatchObject({ title: "Title" })
  })
)

it.scopedLive("has written what it says, also after it had to wait for another's lock", () =>
  Effect.gen(function* () {
    const path = yield* temporaryFile
    const other = yield* clientOf(path)
    const own = yield* clientOf(path)
    const layer = Layer.provide(SqlJournal.layer, Layer.succeed(SqlClient, own))
    const journal = Context.get(yield* Layer.build(layer), Journal.Journal)

    const locked = yield* Deferred.make<void>()
    const release = yield* Deferred.make<void>()
    const holder = yield* Effect.fork(
      other.withTransaction(Effect.zipRight(Deferred.succeed(locked, undefined), Deferred.await(release)))
    )
    yield* Deferred.await(locked)
    const waiting = yield* Effect.fork(journal.begin(key("one"), "pay"))
    yield* Effect.sleep("30 millis")
    expect(yield* Fiber.poll(waiting)).toMatchObject({ _tag: "None" })
    yield* Deferred.succeed(release, undefined)
    yield* Fiber.join(holder)
    expect((yield* Fiber.join(waiting))._tag).toBe("Fresh")
    expect((yield* journal.begin(key("two"), "pay"))._tag).toBe("Fresh")

    const third = yield* clientOf(path)
    expect(yield* third`SELECT call FROM wield_calls ORDER BY call`).toStrictEqual([{ call: "one" }, { call: "two" }])
  })
)

it.scoped("fails with a typed error when the file is locked for more than ten seconds, and goes on after", () =>
  Effect.gen(function* () {
    const path = yield* temporaryFile
    const other = yield* clientOf(path)
    const store = Context.get(yield* Layer.build(FileStore.layer({ path })), ConversationStore.ConversationStore)
    const locked = yield* Deferred.make<void>()
    const release = yield* Deferred.make<void>()
    const holder = yield* Effect.fork(
      other.withTransaction(Effect.zipRight(Deferred.succeed(locked, undefined), Deferred.await(release)))
    )
    yield* Deferred.await(locked)
    const refused = yield* Effect.fork(Effect.flip(store.create({ id: "one" })))
    yield* Effect.repeatN(TestClock.adjust("100 millis"), 110)
    expect(yield* Fiber.join(refused)).toMatchObject({
      _tag: "StoreError",
      operation: "create",
      detail: expect.stringContaining("locked")
    })
    yield* Deferred.succeed(release, undefined)
    yield* Fiber.join(holder)
    yield* store.create({ id: "one" })
  })
)

const losses: Readonly<Record<string, (path: string) => void>> = {
  deleted: (path) => rmSync(path),
  replaced: (path) => {
    copyFileSync(path, `${path}.copy`)
    renameSync(`${path}.copy`, path)
  },
  emptied: (path) => truncateSync(path)
}
for (const [what, lose] of Object.entries(losses)) {
  it.scoped(`begins and writes nothing in a file that was ${what} while it was open`, () =>
    Effect.gen(function* () {
      const path = yield* temporaryFile
      const context = yield* Layer.build(FileStore.layer({ path }))
      const [store, journal] = [
        Context.get(context, ConversationStore.ConversationStore),
        Context.get(context, Journal.Journal)
      ]
      yield* store.create()
      lose(path)
      expect((yield* Effect.flip(store.create())).message).toContain("deleted, replaced or emptied while it was open")
      expect(yield* Effect.flip(journal.begin(key("one"), "pay"))).toMatchObject({ _tag: "JournalError" })
    })
  )
}

it.scoped("serves tables of the application beside its own", () =>
  Effect.gen(function* () {
    const sql = yield* clientOf(yield* temporaryFile)
    yield* sql`CREATE TABLE orders (id INTEGER PRIMARY KEY, paid INTEGER, note TEXT, length REAL)`
    const rows = [
      { id: 1, paid: true, note: null, length: 1.5 },
      { id: 2, paid: false, note: "it's", length: 2 }
    ]
    const read = [
      { id: 1, paid: 1, note: null, length: 1.5 },
      { id: 2, paid: 0, note: "it's", length: 2 }
    ]
    expect(yield* sql`INSERT INTO orders ${sql.insert(rows)} RETURNING *`).toStrictEqual(read)
    expect(yield* sql`SELECT id, note FROM orders WHERE paid = ${false}`.values).toStrictEqual([[2, "it's"]])
    expect(Array.from(yield* Stream.runCollect(sql`SELECT * FROM orders`.stream))).toStrictEqual(read)
    // What fails takes nothing with it and leaves no lock behind.
    expect((yield* Effect.flip(sql`INSERT INTO orders (id) VALUES (3), (1)`))._tag).toBe("SqlError")
    expect((yield* Effect.flip(sql`INSERT INTO nowhere (id) VALUES (3)`))._tag).toBe("SqlError")
    yield* sql`UPDATE orders SET note = 'changed' WHERE id = 1`
    expect(yield* sql`SELECT count(*) AS n FROM orders`).toStrictEqual([{ n: 2 }])
  })
)

it.scoped("rolls back a transaction that fails, and one within another alone", () =>
  Effect.gen(function* () {
    const path = yield* temporaryFile
    const sql = yield* clientOf(path)
    yield* sql`CREATE TABLE notes (text TEXT)`
    const note = (text: string) => sql`INSERT INTO notes VALUES (${text})`
    yield* Effect.flip(sql.withTransaction(Effect.zipRight(note("lost"), Effect.fail("no"))))
    yield* sql.withTransaction(
      Effect.gen(function* () {
        yield* note("kept")
        yield* Effect.flip(sql.withTransaction(Effect.zipRight(note("lost too"), Effect.fail("no"))))
        yield* sql.withTransaction(note("kept too"))
      })
    )
    expect(yield* (yield* clientOf(path))`SELECT text FROM notes`).toStrictEqual([
      { text: "kept" },
      { text: "kept too" }
    ])
  })
)

it.scoped("takes no part in a transaction on another database", () =>
  Effect.gen(function* () {
    const server = Layer.build(Layer.provide(Postgres.client, Postgres.layer))
    const path = yield* temporaryFile
    const store = Context.get(yield* Layer.build(FileStore.layer({ path })), ConversationStore.ConversationStore)
    const failing = Effect.zipRight(store.create({ id: "one" }), Effect.fail("no"))
    for (const application of [Context.get(yield* server, SqlClient), yield* clientOf(yield* temporaryFile)]) {
      expect(yield* Effect.flip(application.withTransaction(failing))).toBe("no")
      expect(yield* store.summary("one")).toMatchObject({ id: "one" })
      yield* store.delete("one")
    }
  })
)

it.scopedLive("writes down which runner has begun a call, where it has a name", () =>
  Effect.gen(function* () {
    const own = yield* clientOf(yield* temporaryFile)
    const context = yield* Layer.build(Layer.provide(SqlJournal.layer, Layer.succeed(SqlClient, own)))
    const journal = Context.get(context, Journal.Journal)
    yield* Effect.provideService(journal.begin(key("one"), "pay"), Journal.BegunBy, "10.0.0.7:34431")
    yield* journal.begin(key("two"), "pay")
    yield* Effect.provideService(journal.begin(key("one"), "pay"), Journal.BegunBy, "10.0.0.8:34431")
    expect(yield* own`SELECT call, begun_by FROM wield_calls ORDER BY call`).toEqual([
      { call: "one", begun_by: "10.0.0.7:34431" },
      { call: "two", begun_by: null }
    ])
  })
)

it.scoped("gives the columns that a table has now, also those that another connection has added", () =>
  Effect.gen(function* () {
    const path = yield* temporaryFile
    const own = yield* clientOf(path)
    const other = yield* clientOf(path)
    yield* own`CREATE TABLE visits (count INTEGER)`
    yield* own`INSERT INTO visits (count) VALUES (1)`
    expect(yield* own`SELECT * FROM visits`).toStrictEqual([{ count: 1 }])
    yield* other`ALTER TABLE visits ADD COLUMN page TEXT`
    expect(yield* own`SELECT * FROM visits`).toStrictEqual([{ count: 1, page: null }])
    // A statement that fails is prepared anew.
    const named = own`SELECT page AS name FROM visits LIMIT 1`
    expect(yield* named).toStrictEqual([{ name: null }])
    yield* other`ALTER TABLE visits RENAME COLUMN page TO site`
    expect((yield* Effect.either(named))._tag).toBe("Left")
    yield* other`ALTER TABLE visits RENAME COLUMN site TO page`
    expect(yield* named).toStrictEqual([{ name: null }])
  })
)
