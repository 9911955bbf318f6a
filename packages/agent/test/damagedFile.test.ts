import { describe, expect, it } from "@effect/vitest"
import { Conversation, ConversationStore } from "@wield/agent"
import * as FileStore from "@wield/agent/FileStore"
import { SqlClient } from "@effect/sql/SqlClient"
import { Journal } from "@wield/core"
import { Cause, Context, Effect, Exit, Layer } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { temporaryFile } from "./store/temporaryFile.js"

const build = (path: string) => Layer.build(Layer.fresh(FileStore.layer({ path, synchronous: "normal" })))

const text = "These are the words of an entry, ü included."
const key = (call: string): Journal.Key => ({ run: "r", call, digest: "d" })

/** A file with conversations and calls, whose last writer is gone. */
const whole = Effect.gen(function* () {
  const path = yield* temporaryFile
  yield* Effect.scoped(
    Effect.gen(function* () {
      const context = yield* build(path)
      const store = Context.get(context, ConversationStore.ConversationStore)
      const journal = Context.get(context, Journal.Journal)
      for (let index = 0; index < 5; index++) {
        const entries = yield* Effect.forEach(["a", "b", "c"], (id) =>
          Conversation.entry(Conversation.user(text), { id })
        )
        yield* store.create({ id: `c${index}`, title: "The title", metadata: { of: "the metadata" }, entries })
        yield* journal.begin(key(`call_${index}`), "pay")
        yield* journal.finish(key(`call_${index}`), { _tag: "Success", encoded: "the ending" })
      }
    })
  )
  // Out of the log beside the file, into the file.
  const sql = Context.get(yield* Layer.build(FileStore.layerClient({ path })), SqlClient)
  yield* sql`PRAGMA wal_checkpoint(TRUNCATE)`
  return path
})

/** Everything that reads. */
const readAll = (path: string): Effect.Effect<ReadonlyArray<Exit.Exit<unknown, unknown>>, unknown> =>
  Effect.scoped(
    Effect.gen(function* () {
      const context = yield* build(path)
      const store = Context.get(context, ConversationStore.ConversationStore)
      const journal = Context.get(context, Journal.Journal)
      const exits: Array<Exit.Exit<unknown, unknown>> = [yield* Effect.exit(store.list({ limit: 10 }))]
      for (let index = 0; index < 5; index++) {
        const id = `c${index}`
        exits.push(
          yield* Effect.exit(Effect.flatMap(store.open(id), ({ entries }) => entries)),
          yield* Effect.exit(store.summary(id)),
          yield* Effect.exit(journal.begin(key(`call_${index}`), "pay")),
          yield* Effect.exit(store.export(id))
        )
      }
      return exits
    })
  )

const defects = (exits: ReadonlyArray<Exit.Exit<unknown, unknown>>) =>
  exits.flatMap((exit) => (Exit.isFailure(exit) && Cause.isDie(exit.cause) ? [Cause.pretty(exit.cause)] : []))

describe("a file with texts that are no UTF-8", () => {
  for (const [what, word] of [
    ["an entry", "the words"],
    ["a title", "The title"],
    ["metadata", "the metadata"],
    ["an ending", "the ending"],
    ["an id", "call_3"]
  ] as const) {
    it.scopedLive(`in ${what} fails with a typed error`, () =>
      Effect.gen(function* () {
        const path = yield* whole
        const bytes = readFileSync(path)
        expect(bytes.includes(word)).toBe(true)
        for (let at = bytes.indexOf(word); at !== -1; at = bytes.indexOf(word, at + 1)) bytes[at + 1] = 0xff
        writeFileSync(path, bytes)
        const exits = yield* readAll(path)
        expect(defects(exits)).toEqual([])
        if (what !== "an id") expect(exits.some(Exit.isFailure)).toBe(true)
      })
    )
  }

  it.scopedLive(
    "fails with a typed error in statements of the application, too, in rows and in what a write returns",
    () =>
      Effect.gen(function* () {
        const path = yield* temporaryFile
        const sql = Context.get(yield* Layer.build(FileStore.layerClient({ path })), SqlClient)
        yield* sql`CREATE TABLE notes (id INTEGER PRIMARY KEY, "a note" TEXT)`
        yield* sql`INSERT INTO notes VALUES (1, ${"whole ü"}), (2, CAST(X'61FF62' AS TEXT)), (3, NULL), (4, X'FF')`
        const damaged = [
          sql`SELECT * FROM notes ORDER BY id`,
          sql`WITH two AS (SELECT "a note" AS note FROM notes WHERE id = 2) SELECT note FROM two -- a comment`,
          sql`UPDATE notes SET id = id WHERE id = 2 RETURNING *`,
          sql`UPDATE notes SET id = id WHERE id = 2 RETURNING id, "a note" AS note`,
          sql`SELECT "a note" FROM notes WHERE id = 2`.values
        ]
        for (const statement of damaged) {
          expect(yield* Effect.flip(statement as Effect.Effect<unknown, unknown>)).toHaveProperty("_tag", "SqlError")
        }
        expect(yield* sql`SELECT *, id AS id, 1.5 AS half FROM notes WHERE id <> 2 ORDER BY id DESC;`).toEqual([
          { id: 4, "a note": Buffer.from([0xff]), half: 1.5 },
          { id: 3, "a note": null, half: 1.5 },
          { id: 1, "a note": "whole ü", half: 1.5 }
        ])
        expect(
          yield* sql`UPDATE notes SET "a note" = ${"\0new"} WHERE id = 2 RETURNING id + 1 AS next, "a note"`
        ).toEqual([{ next: 3, "a note": "\0new" }])
      })
  )
})

describe("a file whose bytes were changed anywhere", () => {
  it.scopedLive("is read, or fails with a typed error", () =>
    Effect.gen(function* () {
      const path = yield* whole
      const bytes = readFileSync(path)
      let state = 20_251
      const random = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below
      for (let round = 0; round < 40; round++) {
        const damaged = Buffer.from(bytes)
        const reach = round % 4 === 0 ? 4096 : bytes.length
        for (let change = 0; change < [1, 20, 300][round % 3]!; change++) {
          damaged[random(reach)] = round % 2 === 0 ? 0xff : random(256)
        }
        const copy = `${path}.${round}`
        writeFileSync(copy, damaged)
        const exit = yield* Effect.exit(readAll(copy))
        expect([round, ...defects(Exit.isSuccess(exit) ? exit.value : [exit])]).toEqual([round])
      }
    })
  )
})
