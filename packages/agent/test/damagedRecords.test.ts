/** Records of which a part is cut off, missing, or of another: a typed error, no call again, nothing of another shown. */
import { describe, expect, it } from "@effect/vitest"
import { SqlClient } from "@effect/sql/SqlClient"
import { Conversation, ConversationStore } from "@wield/agent"
import * as FileStore from "@wield/agent/FileStore"
import * as RecordStore from "@wield/agent/RecordStore"
import * as SqlConversationStore from "@wield/agent/SqlConversationStore"
import * as SqlJournal from "@wield/agent/SqlJournal"
import { Journal } from "@wield/core"
import { Effect, Layer, TestClock } from "effect"
import { temporaryFile } from "./store/temporaryFile.js"

const key: Journal.Key = { run: "order", call: "call_1", digest: "d" }

const entriesOf = (...texts: ReadonlyArray<string>) =>
  Effect.forEach(texts, (text) => Conversation.entry(Conversation.user(text), { id: text }))

const idsOf = (conversation: Conversation.Conversation<unknown>) =>
  Effect.map(conversation.entries, (entries) => entries.map(({ id }) => id).join())

/** A conversation whose three entries came one after the other, and a call that has ended. */
const whole = Effect.gen(function* () {
  const store = yield* ConversationStore.ConversationStore
  const journal = yield* Journal.Journal
  const conversation = yield* store.create({ id: "c1" })
  let last: string | undefined
  for (const entry of yield* entriesOf("a", "b", "c")) {
    yield* conversation.append([entry], last)
    last = entry.id
  }
  yield* journal.begin(key, "pay")
  yield* journal.finish(key, { _tag: "Success", encoded: "paid" })
  return { store, journal }
})

describe("records", () => {
  const damaged = (damage: (records: RecordStore.Records, key: string) => Promise<unknown>, place: RegExp) => {
    const records = RecordStore.memory()
    return Effect.gen(function* () {
      const { journal, store } = yield* whole
      yield* Effect.promise(async () => {
        for (const { key } of await records.list("")) if (place.test(key)) await damage(records, key)
      })
      return { journal, records, store }
    }).pipe(Effect.provide(RecordStore.layer(records)))
  }

  it.scoped("a change that is missing, cut off or impossible is a typed error", () =>
    Effect.gen(function* () {
      const damages: ReadonlyArray<Parameters<typeof damaged>[0]> = [
        (records, key) => records.delete(key),
        (records, key) => records.set(key, '{"_tag":"Appe'),
        (records, key) => records.set(key, '{"_tag":"Truncated","at":1,"length":-1}'),
        (records, key) => records.set(key, '{"_tag":"Truncated","at":1,"length":0.5}')
      ]
      for (const damage of damages) {
        const { store } = yield* damaged(damage, /^logs\/.*1$/)
        const refused = yield* Effect.flip(store.open("c1"))
        expect(refused).toMatchObject({ _tag: "StoreError", detail: "a record is not what was written" })
      }
    })
  )

  it.scoped("a summary that is cut off, missing or of another conversation is read from the log", () =>
    Effect.gen(function* () {
      const damages: ReadonlyArray<Parameters<typeof damaged>[0]> = [
        (records, key) => records.delete(key),
        (records, key) => records.set(key, ""),
        (records, key) => records.set(key, '{"id":"c2","metadata":{},"createdAt":1,"changedAt":1,"length":9}')
      ]
      for (const damage of damages) {
        const { store } = yield* damaged(damage, /^summaries/)
        const { conversations } = yield* store.list()
        expect(conversations.map(({ id, length }) => [id, length])).toEqual([["c1", 3]])
      }
    })
  )

  it.scoped("a database that takes two keys for one shows no one a conversation of another id", () => {
    const records = RecordStore.memory()
    const folded: RecordStore.Records = {
      ...records,
      create: (key, text) => records.create(key.toLowerCase(), text),
      get: (key) => records.get(key.toLowerCase())
    }
    return Effect.gen(function* () {
      const store = yield* ConversationStore.ConversationStore
      yield* store.create({ id: "Ada" })
      expect((yield* Effect.flip(store.openOrCreate("ada")))._tag).toBe("StoreError")
      expect((yield* Effect.flip(store.summary("ada")))._tag).toBe("StoreError")
    }).pipe(Effect.provide(RecordStore.layer(folded)))
  })

  it.scoped("a sign of life that is none says that the call was begun", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 hour")
      for (const sign of ["null", "5", '"a"', "{}", '{"at":"now","owner":5}', "[", '{"at":1e999,"owner":null}']) {
        const { journal, records } = yield* damaged((records, key) => records.delete(key), /ended$/)
        const [begun] = yield* Effect.promise(() => records.list("calls/"))
        yield* Effect.promise(() => records.set(begun?.key ?? "", sign))
        expect([sign, (yield* journal.look(key))._tag, (yield* journal.begin(key, "pay"))._tag]).toEqual([
          sign,
          "Begun",
          "Begun"
        ])
      }
    })
  )
})

describe("rows", () => {
  const layer = Layer.unwrapScoped(
    Effect.map(temporaryFile, (path) =>
      Layer.mergeAll(SqlConversationStore.layer, SqlJournal.layer).pipe(
        Layer.provideMerge(FileStore.layerClient({ path }))
      )
    )
  )

  it.scoped("of entries that are missing, doubled or moved are a typed error", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const { store } = yield* whole
      const conversation = yield* store.open("c1")
      const damages = [
        sql`DELETE FROM wield_entries WHERE id = 'b'`,
        sql`DELETE FROM wield_entries WHERE id = 'c'`,
        sql`DELETE FROM wield_entries`,
        sql`UPDATE wield_entries SET position = 7 WHERE id = 'a'`,
        sql`INSERT INTO wield_entries SELECT conversation, 3, 'd', json FROM wield_entries WHERE id = 'a'`
      ]
      for (const damage of damages) {
        yield* sql
          .withTransaction(
            Effect.gen(function* () {
              yield* damage
              const refused = [yield* Effect.flip(conversation.entries), yield* Effect.flip(store.export("c1"))]
              for (const { message } of refused) {
                expect(message).toMatch(/the entries are not the 3 that were written: the data is damaged/)
              }
              return yield* Effect.fail("undo")
            })
          )
          .pipe(Effect.ignore)
        expect(yield* idsOf(conversation)).toBe("a,b,c")
      }
    }).pipe(Effect.provide(layer))
  )

  it.scoped("of a call that is over, and not what it came to, do not begin it again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const { journal } = yield* whole
      for (const [state, begins] of [
        ["finished", 0],
        ["finished", 1],
        ["later", 0]
      ]) {
        yield* sql`UPDATE wield_calls SET ending = NULL, state = ${state ?? ""}, begins = ${begins ?? 0}`
        expect([(yield* journal.look(key))._tag, (yield* journal.begin(key, "pay"))._tag]).toEqual([
          "Interrupted",
          "Interrupted"
        ])
      }
    }).pipe(Effect.provide(layer))
  )
})
