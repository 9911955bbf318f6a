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
