import { Tool, Toolkit } from "@effect/ai"
import { Reactivity } from "@effect/experimental"
import { PgClient } from "@effect/sql-pg"
import * as SqlClient from "@effect/sql/SqlClient"
import { Conversation } from "@wield/agent"
import * as SqlConversationStore from "@wield/agent/SqlConversationStore"
import * as SqlJournal from "@wield/agent/SqlJournal"
import * as SqlOperation from "@wield/agent/SqlOperation"
import { ToolRunner, Toolset } from "@wield/core"
import { Cause, Effect, Layer, Schema, Stream } from "effect"
import { afterEach, beforeEach, expect, it, vi } from "vitest"

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }))
afterEach(() => vi.useRealTimers())

/** Takes a statement and says nothing more, not even when it is interrupted. */
const silent = Effect.uninterruptible(Effect.never)
const connection = {
  execute: () => silent,
  executeRaw: () => silent,
  executeStream: () => Stream.never,
  executeValues: () => silent,
  executeUnprepared: () => silent
}
const client = Layer.effect(
  SqlClient.SqlClient,
  SqlClient.make({ acquirer: Effect.succeed(connection), compiler: PgClient.makeCompiler(), spanAttributes: [] })
).pipe(Layer.provide(Reactivity.layer))

const afterAMinute = async <A>(asked: Promise<A>): Promise<A> => {
  await vi.advanceTimersByTimeAsync(60_000)
  return asked
}

const words = "the database has not answered for a minute"

it("a database in SQL that is silent for a minute is an error of the store, also in a transaction", async () => {
  const program = Effect.gen(function* () {
    const store = yield* SqlConversationStore.make
    const entry = yield* Conversation.entry(Conversation.user("Go on"))
    const sql = yield* SqlClient.SqlClient
    return yield* Effect.all(
      {
        create: Effect.flip(store.create({ entries: [entry, { ...entry, id: "two" }] })),
        read: Effect.flip(store.summary("one")),
        list: Effect.flip(store.list()),
        delete: Effect.flip(store.delete("one")),
        operation: Effect.map(Effect.flip(SqlOperation.attempt(sql`SELECT 1`)), (error) => ({
          detail: SqlOperation.reason(error)
        }))
      },
      { concurrency: "unbounded" }
    )
  })
  const errors = await afterAMinute(Effect.runPromise(Effect.provide(program, client)))
  for (const error of Object.values(errors)) expect(error).toMatchObject({ detail: words })
})

it("an operation that interrupts itself is over", async () => {
  const exit = await Effect.runPromiseExit(SqlOperation.attempt(Effect.interrupt))
  expect(exit).toMatchObject({ cause: { _tag: "Interrupt" } })
})

it("a call whose begin a silent database does not write ends by name, and is not made", async () => {
  let paid = 0
  const Bank = Toolkit.make(Tool.make("pay", { success: Schema.String }))
  const handlers = Bank.toLayer({ pay: () => Effect.sync(() => `paid ${++paid}`) })
  const program = Effect.gen(function* () {
    const runner = yield* ToolRunner.make(yield* Toolset.fromToolkit(Bank), { journal: yield* SqlJournal.make })
    return yield* runner.run({ id: "call_1", name: "pay", arguments: {} })
  }).pipe(Effect.provide(Layer.merge(handlers, client)))
  const outcome = await afterAMinute(Effect.runPromise(program))
  expect([outcome._tag, paid]).toEqual(["Defect", 0])
  const cause = outcome._tag === "Defect" ? Cause.squash(outcome.cause) : undefined
  expect(cause).toMatchObject({ _tag: "JournalError", operation: "begin", cause: { cause: { message: words } } })
})

it("who stops waiting for a silent database waits no longer than that", async () => {
  const asked = Effect.flatMap(SqlClient.SqlClient, (sql) => SqlOperation.attempt(sql`SELECT 1`))
  const end = Effect.runPromise(Effect.provide(Effect.exit(Effect.timeout(asked, "1 second")), client))
  expect((await afterAMinute(end))._tag).toBe("Failure")
  expect(vi.getTimerCount()).toBe(0)
})
