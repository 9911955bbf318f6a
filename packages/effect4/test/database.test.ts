import * as assert from "node:assert"
import { rmSync } from "node:fs"
import { mkdtemp } from "node:fs/promises"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Agent, Approval, Conversation, DeferredCall, ToolCall, ToolRunner, Toolset } from "@wield/effect4"
import * as SqlStore from "@wield/effect4/SqlStore"
import { Effect, Layer, Redacted } from "effect"
import type { Response } from "effect/ai"
import { SqlClient, type SqlError } from "effect/sql"
import { describe, expect, inject, it } from "vitest"
import * as Sqlite from "../../../examples/effect-4/sqlite.js"
import { call, finish, modelOf, text } from "./script.js"
import { happened, inShop, only, Shop, type ShopLive, type Who } from "./shop.js"

const refund = { orderId: "o_1", amount: 5 }

type Client = Layer.Layer<SqlClient.SqlClient, SqlError.SqlError>

/** Databases of Effect 4, each with a client that is made anew, as by another process, where it is opened. */
const databases: Readonly<Record<string, (use: (client: Client) => Promise<void>) => Promise<void>>> = {
  SQLite: async (use) => {
    const folder = await mkdtemp(join(inject("temporary"), "sqlite-"))
    try {
      await use(Sqlite.layer(join(folder, "shop.db")))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
  Postgres: async (use) => use(PgClient.layer({ url: await newDatabase() })),
  // Which spells names its own way: the stores do not.
  "Postgres in another spelling": async (use) =>
    use(
      PgClient.layer({
        url: await newDatabase(),
        transformQueryNames: (name) => `q_${name}`,
        transformResultNames: (name) => name.toUpperCase()
      })
    )
}

/** On the server that all tests of the run share. */
const newDatabase = async (): Promise<Redacted.Redacted> => {
  const answer = await fetch(new URL("/database", inject("shared")), { method: "POST" })
  assert.ok(answer.ok)
  return Redacted.make(await answer.text())
}

describe.each(Object.keys(databases))("a database of Effect 4, %s", (name) => {
  const within = <E>(
    use: (
      open: <B, E2, R>(
        effect: Effect.Effect<B, E2, R>
      ) => Effect.Effect<
        B,
        E2 | Conversation.StoreError | SqlError.SqlError,
        Exclude<R, Conversation.ConversationStore | SqlStore.SqlJournalService | SqlClient.SqlClient>
      >
    ) => Effect.Effect<void, E, Layer.Success<typeof ShopLive> | Who>
  ): Promise<void> | undefined =>
    databases[name]?.((client) => {
      const store = SqlStore.layer.pipe(Layer.provideMerge(client))
      return inShop(use((effect) => Effect.provide(effect, store, { local: true })))
    })

  it("keeps a paused conversation and its journal, so that another process goes on and no call runs twice", () =>
    within((open) =>
      Effect.gen(function* () {
        const agentOf = (turns: ReadonlyArray<ReadonlyArray<Response.PartEncoded>>) =>
          Effect.gen(function* () {
            const journal = yield* SqlStore.SqlJournalService
            return yield* Agent.make({
              model: yield* modelOf(turns),
              toolset: yield* Toolset.fromToolkit(Shop),
              policy: { journal, approval: { refund: () => Approval.ask() } }
            })
          })
        const context = { customerId: "c_42" }
        const before = happened.refunds
        const requests = yield* open(
          Effect.gen(function* () {
            const store = yield* Conversation.ConversationStore
            const conversation = yield* store.create({ id: "order 12" })
            const agent = yield* agentOf([[call("1", "refund", refund), finish]])
            return JSON.stringify(
              only(yield* Agent.run(agent, { prompt: "Refund", conversation, context }), "Paused").requests
            )
          })
        )
        expect(happened.refunds).toBe(before)
        const goOn = open(
          Effect.gen(function* () {
            const store = yield* Conversation.ConversationStore
            const conversation = yield* store.open("order 12")
            const [request] = JSON.parse(requests) as ReadonlyArray<unknown>
            const answer = yield* DeferredCall.decodeAnswer({ request, response: { _tag: "Approve" } })
            const agent = yield* agentOf([[text("Done."), finish]])
            return yield* Agent.run(agent, { conversation, answers: [answer], context })
          })
        )
        expect((yield* goOn).text).toBe("Done.")
        expect(happened.refunds).toBe(before + 1)
        const again = yield* Effect.exit(goOn)
        assert.ok(again._tag === "Failure" || again.value._tag === "Finished")
        expect(happened.refunds).toBe(before + 1)
        const listed = yield* open(Effect.flatMap(Conversation.ConversationStore, (store) => store.list()))
        expect(listed.conversations.map(({ id }) => id)).toEqual(["order 12"])
        const missing = yield* Effect.flip(
          open(Effect.flatMap(Conversation.ConversationStore, (store) => store.open("nothing")))
        )
        expect(missing._tag).toBe("ConversationNotFound")
      })
    ))

  it("writes what belongs to a transaction of the application with it", () =>
    within((open) =>
      open(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const store = yield* Conversation.ConversationStore
          const left = yield* Effect.exit(
            sql.withTransaction(Effect.andThen(store.create({ id: "undone" }), Effect.fail("no")))
          )
          expect(left._tag).toBe("Failure")
          yield* sql.withTransaction(store.create({ id: "done" }))
          expect((yield* store.list()).conversations.map(({ id }) => id)).toEqual(["done"])
        })
      )
    ))

  it("keeps what two processes write at once, in one order", () =>
    within((open) =>
      Effect.gen(function* () {
        const write = (part: string) =>
          open(
            Effect.gen(function* () {
              const store = yield* Conversation.ConversationStore
              const journal = yield* SqlStore.SqlJournalService
              const runner = yield* ToolRunner.make(yield* Toolset.fromToolkit(Shop), { journal })
              const made = yield* Effect.exit(store.create({ id: "of both", title: part }))
              const run = runner.forRun({ id: "of both", context: { customerId: "c_42" } })
              return [
                made._tag,
                (yield* run.settle([ToolCall.make("1", "refund", refund)])).map(({ _tag }) => _tag)
              ] as const
            })
          )
        const before = happened.refunds
        const both = yield* Effect.all([write("a"), write("b")], { concurrency: 2 })
        expect(both.map(([made]) => made).toSorted()).toEqual(["Failure", "Success"])
        expect(happened.refunds - before).toBe(1)
        expect((yield* write("c"))[1]).toEqual(["Success"])
      })
    ))

  it("says by a StoreError what the database did not do, and the tables are its own", () =>
    within((open) =>
      open(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const store = yield* Conversation.ConversationStore
          yield* store.create({ id: "kept", title: "Tea & “cups”" })
          expect((yield* store.list({ query: "cups" })).conversations.map(({ title }) => title)).toEqual([
            "Tea & “cups”"
          ])
          yield* sql.unsafe("ALTER TABLE wield_conversations RENAME TO gone")
          const error = yield* Effect.flip(store.create({ id: "new" }))
          expect(error._tag).toBe("StoreError")
        })
      )
    ))
})
