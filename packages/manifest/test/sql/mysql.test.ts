/** What is sent to MySQL, over a connection that does one statement after the other, as MySQL's does. */
import { Reactivity } from "@effect/experimental"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import { MysqlClient } from "@effect/sql-mysql2"
import { expect, it } from "@effect/vitest"
import * as SqlExecutor from "@wield/manifest/SqlExecutor"
import { Effect, Either, Fiber, Stream, TestClock } from "effect"
import { run } from "./run.js"

/** A statement that sleeps is never done, and no interruption reaches it; nor is one that has the text `silent`. */
const connectionTo = (sent: Array<string>, silent = "SLEEP"): Connection => {
  let isBusy = false
  const ask = (text: string) =>
    Effect.async<ReadonlyArray<never>>((resume) => {
      sent.push(text)
      isBusy ||= text.includes(silent)
      if (!isBusy) resume(Effect.succeed([]))
    })
  return {
    execute: ask,
    executeRaw: ask,
    executeStream: () => Stream.empty,
    executeValues: ask,
    executeUnprepared: ask
  }
}

const openedBy = (silent?: string) =>
  Effect.gen(function* () {
    const sent: Array<string> = []
    const client = yield* SqlClient.make({
      acquirer: Effect.succeed(connectionTo(sent, silent)),
      compiler: MysqlClient.makeCompiler(),
      spanAttributes: []
    })
    const executor = yield* Effect.provideService(SqlExecutor.make({ timeout: 1_000 }), SqlClient.SqlClient, client)
    return { sent, query: run(executor) }
  }).pipe(Effect.provide(Reactivity.layer))

const opened = openedBy()

it.effect("a write whose end the database does not answer may have been kept, and a read is over", () =>
  Effect.gen(function* () {
    for (const [text, silent, end] of [
      ["UPDATE a SET b = 1", "COMMIT", { reason: "unreachable", mayHaveTakenEffect: true }],
      ["UPDATE a SET b = SLEEP(60)", "SLEEP", { reason: "timeout" }],
      ["SELECT 1 AS a", "ROLLBACK", undefined]
    ] as const) {
      const { query } = yield* openedBy(silent)
      const isWriting = text.startsWith("UPDATE")
      const calling = yield* Effect.forkDaemon(Effect.either(query(text, {}, { isWriting })))
      for (let second = 0; second < 30; second++) yield* TestClock.adjust("1 second")
      expect(yield* Fiber.poll(calling)).toMatchObject({ _tag: "Some" })
      const result = yield* Fiber.join(calling)
      expect(result).toMatchObject(end === undefined ? Either.right({ rows: [] }) : Either.left(end))
      if (text.includes("SLEEP")) expect(Either.flip(result)).not.toMatchObject({ right: { mayHaveTakenEffect: true } })
    }
  })
)

it.effect("a call ends though the database does not answer, neither to its statement nor to what ends it", () =>
  Effect.gen(function* () {
    const { query, sent } = yield* opened
    const calling = yield* Effect.forkDaemon(Effect.either(query("SELECT SLEEP(60) AS a")))
    // What waits begins to when what was waited for before is over.
    for (let second = 0; second < 20; second++) yield* TestClock.adjust("1 second")
    const ended = yield* Fiber.poll(calling)
    expect(ended).toMatchObject({ _tag: "Some" })
    expect(yield* Fiber.join(calling)).toMatchObject(Either.left({ reason: "timeout" }))
    expect(sent.slice(-2)).toEqual(["SET SESSION sql_select_limit = DEFAULT", "ROLLBACK"])
  })
)

it.effect("limits of a call are taken back after it", () =>
  Effect.gen(function* () {
    const { query, sent } = yield* opened
    expect(yield* query("SELECT 1 AS a")).toEqual({ rows: [] })
    expect(sent).toEqual([
      "START TRANSACTION READ ONLY",
      "SET SESSION max_execution_time = 1000",
      "SET SESSION sql_select_limit = 1001",
      "SELECT 1 AS a",
      "SET SESSION sql_select_limit = DEFAULT",
      "SET SESSION max_execution_time = DEFAULT",
      "ROLLBACK"
    ])
  })
)
