/** What only records can come to: a sign of life that arrives late, and an end that another process has written. */
import { expect, it } from "@effect/vitest"
import * as RecordStore from "@wield/agent/RecordStore"
import { ConversationStore } from "@wield/agent"
import { Journal } from "@wield/core"
import { Effect, TestClock } from "effect"

const key = { run: "order", call: "call_1", digest: "d" }

const keysOf = (records: RecordStore.Records) =>
  Effect.map(
    Effect.promise(() => records.list("")),
    (all) => all.map((one) => one.key)
  )

it.scoped("a sign of life that comes after a call was given up says nothing of it", () => {
  const records = RecordStore.memory()
  return Effect.gen(function* () {
    const journal = yield* Journal.Journal
    yield* journal.begin(key, "pay")
    yield* TestClock.adjust("2 seconds")
    const beat = (yield* keysOf(records)).find((one) => one.includes("/beat")) ?? ""
    yield* journal.abandon(key)
    yield* Effect.promise(() => records.set(beat, '{"at":1,"owner":null}'))
    expect(yield* journal.look(key)).toEqual({ _tag: "Fresh" })
    yield* TestClock.adjust("1 minute")
    expect((yield* journal.begin(key, "pay"))._tag).toBe("Fresh")
    expect((yield* journal.begin(key, "pay"))._tag).toBe("Running")
  }).pipe(Effect.provide(RecordStore.layer(records)))
})

it.scoped("a call that another process has taken over is neither given up here nor kept alive", () => {
  const records = RecordStore.memory()
  return Effect.gen(function* () {
    const journal = yield* Journal.Journal
    yield* journal.begin(key, "pay")
    const [begun = ""] = yield* keysOf(records)
    yield* Effect.promise(() => records.set(begun, '{"at":1,"owner":"elsewhere"}'))
    yield* journal.abandon(key)
    expect((yield* journal.begin(key, "pay"))._tag).toBe("Running")
    // This process still says that it is at the call, and the other one, too.
    yield* TestClock.adjust("11 seconds")
    const others = begun.replace(/begun$/, "beat.elsewhere")
    yield* Effect.promise(() => records.set(others, '{"at":5000,"owner":"elsewhere"}'))
    expect((yield* journal.begin(key, "pay"))._tag).toBe("Running")
    yield* TestClock.adjust("11 seconds")
    expect((yield* journal.begin(key, "pay"))._tag).toBe("Begun")
    yield* journal.abandon(key)
    expect((yield* journal.begin(key, "pay"))._tag).toBe("Fresh")
  }).pipe(Effect.provide(RecordStore.layer(records)))
})

it.scoped("a call that is given up here and was finished elsewhere stays finished", () => {
  const records = RecordStore.memory()
  return Effect.gen(function* () {
    const journal = yield* Journal.Journal
    yield* journal.begin(key, "pay")
    yield* journal.finish(key, { _tag: "Success", encoded: "paid" })
    yield* journal.abandon(key)
    expect((yield* journal.begin(key, "pay"))._tag).toBe("Finished")
  }).pipe(Effect.provide(RecordStore.layer(records)))
})

it.scoped.each(["..", ".", "../etc", "a/b", "", "\ud800", "x".repeat(500)])("the id %j is no path in a key", (id) => {
  const records = RecordStore.memory()
  return Effect.gen(function* () {
    const store = yield* ConversationStore.ConversationStore
    yield* store.create({ id })
    expect((yield* store.summary(id)).id).toBe(id)
    for (const each of yield* keysOf(records)) expect(each).toMatch(/^[a-z]+\/[\w~-][\w.-]*$/)
  }).pipe(Effect.provide(RecordStore.layer(records)))
})

/** Each command works until so many have been given; none does after. */
const lose = (records: RecordStore.Records, count: number): RecordStore.Records => {
  let given = 0
  const unlessLost = <A>(command: () => Promise<A>) =>
    ++given > count ? Promise.reject(new Error("the connection is lost")) : command()
  return {
    create: (key, text) => unlessLost(() => records.create(key, text)),
    set: (key, text) => unlessLost(() => records.set(key, text)),
    get: (key) => unlessLost(() => records.get(key)),
    delete: (key) => unlessLost(() => records.delete(key)),
    list: (prefix, after) => unlessLost(() => records.list(prefix, after))
  }
}

it.effect("a list says of an updated conversation what it says itself, wherever its process lost the records", () =>
  Effect.gen(function* () {
    const change = Effect.flatMap(ConversationStore.ConversationStore, (store) =>
      Effect.zipRight(
        store.create({ id: "one" }),
        Effect.forEach([true, false], (waits) => store.update("one", { metadata: { waits } }))
      )
    )
    const read = Effect.flatMap(ConversationStore.ConversationStore, (store) =>
      Effect.all([store.list(), store.summary("one")])
    )
    let count = 0
    for (let isWhole = false; !isWhole;) {
      const records = RecordStore.memory()
      isWhole =
        (yield* Effect.either(Effect.provide(change, RecordStore.layer(lose(records, ++count)))))._tag === "Right"
      const [{ conversations }, own] = yield* Effect.provide(read, RecordStore.layer(records))
      expect(conversations).toEqual([own])
    }
    expect(count).toBeGreaterThan(8)
  })
)

it.effect("a list says of a conversation what it says itself, though one of two writers is slow to say it", () =>
  Effect.gen(function* () {
    const records = RecordStore.memory()
    let others: () => Promise<unknown> = () => Promise.resolve()
    const slow: RecordStore.Records = {
      ...records,
      // Before it says to lists what it has changed, the other one changes it, and says so.
      set: (key, text) => others().then(() => records.set(key, text))
    }
    const [one, other] = yield* Effect.all(
      [slow, records].map((each) =>
        Effect.provide(ConversationStore.ConversationStore, RecordStore.layer(each)).pipe(Effect.scoped)
      )
    )
    if (one === undefined || other === undefined) return yield* Effect.dieMessage("there are two")
    const change = (store: ConversationStore.Service, title: string) => store.update("one", { title })
    yield* other.create({ id: "one" })
    others = () => Effect.runPromise(change(other, "second")).finally(() => (others = () => Promise.resolve()))
    yield* change(one, "first")
    expect((yield* other.list()).conversations).toEqual([yield* other.summary("one")])
    expect((yield* other.summary("one")).title).toBe("second")
  })
)
