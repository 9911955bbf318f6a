import { describe, expect, it, layer } from "@effect/vitest"
import { Conversation, ConversationStore } from "@wield/agent"
import * as FileStore from "@wield/agent/FileStore"
import * as SqlConversationStore from "@wield/agent/SqlConversationStore"
import * as SqlJournal from "@wield/agent/SqlJournal"
import { Journal } from "@wield/core"
import { Effect, Layer } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { readdirSync } from "node:fs"
import * as Postgres from "../../../test/postgres/Postgres.js"
import { bundleOf } from "../../../test/programs.js"
import { sized } from "../../../test/sizes.js"
import { appendPersistently } from "./store/appendPersistently.js"
import { temporaryFile } from "./store/temporaryFile.js"

type Both = ConversationStore.ConversationStore | Journal.Journal

const bothOf = (layer: Layer.Layer<Both, unknown, never>) =>
  Effect.gen(function* () {
    // A fresh layer has connections of its own.
    const context = yield* Layer.build(Layer.fresh(layer))
    const { ConversationStore: Store } = ConversationStore
    return {
      store: yield* Effect.provide(Store, context),
      journal: yield* Effect.provide(Journal.Journal, context)
    }
  })

/** Each append follows those of all others: the work grows with the square. */
const writers = sized(20, 50)

/** So many writers of one conversation, every other one through the other connection. */
const writeAtOnce = (layer: Layer.Layer<Both, unknown, never>) =>
  Effect.gen(function* () {
    // At once, so that both make the tables.
    const sides = yield* Effect.all([bothOf(layer), bothOf(layer)], { concurrency: "unbounded" })
    const ids = Array.from({ length: writers }, (_, index) => `e${index}`)
    const conflicts = yield* Effect.forEach(
      ids,
      (id, index) =>
        Effect.gen(function* () {
          const conversation = yield* sides[index % 2]!.store.openOrCreate("shared")
          const entry = yield* Conversation.entry(Conversation.user("Hello"), { id })
          return yield* appendPersistently(conversation, entry)
        }),
      { concurrency: "unbounded" }
    )
    const entries = yield* (yield* sides[0].store.open("shared")).entries
    expect(entries.map(({ id }) => id).sort()).toStrictEqual([...ids].sort())
    expect((yield* sides[1].store.summary("shared")).length).toBe(writers)
    // Otherwise they were not at once.
    expect(conflicts.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(0)

    const calls = Array.from({ length: 100 }, (_, index) => ({ run: "r", call: `call_${index >> 1}`, digest: "d" }))
    const known = yield* Effect.forEach(
      calls,
      (key, index) => Effect.map(sides[index % 2]!.journal.begin(key, "pay"), ({ _tag }) => `${key.call} ${_tag}`),
      { concurrency: "unbounded" }
    )
    expect(new Set(known).size).toBe(100) // each call is fresh to one and begun to the other
  })

/** A process of `store/process.ts`. */
const start = (...parameters: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.map(bundleOf(new URL("store/process.ts", import.meta.url)), (program) =>
      spawn(process.execPath, [program, ...parameters], { stdio: ["ignore", "pipe", "inherit"] })
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

const exitOf = (child: ChildProcess) =>
  Effect.async<{ readonly code: number | null; readonly signal: string | null; readonly output: string }>((resume) => {
    let output = ""
    child.stdout?.on("data", (data) => (output += String(data)))
    child.on("close", (code, signal) => resume(Effect.succeed({ code, signal, output })))
  })

const run = (...parameters: ReadonlyArray<string>) =>
  Effect.flatMap(start(...parameters), (child) =>
    Effect.map(exitOf(child), ({ code, output }) => {
      expect(code).toBe(0)
      return JSON.parse(output)
    })
  )

describe("Writers of one file", () => {
  it.scopedLive("lose nothing, many at once over two connections", () =>
    Effect.gen(function* () {
      const path = yield* temporaryFile
      yield* writeAtOnce(FileStore.layer({ path, synchronous: "normal" }))
    })
  )

  it.scopedLive("keep one quota of a tenant, in three processes that run agents", () =>
    Effect.gen(function* () {
      const path = yield* temporaryFile
      const looks = yield* Effect.forEach(["a", "b", "c"], (name) => run("look", path, name, "4"), {
        concurrency: "unbounded"
      })
      expect(looks.reduce((sum: number, one) => sum + one, 0)).toBe(5)
      // One that starts later finds it used up.
      expect(yield* run("look", path, "d", "1")).toBe(0)
    })
  )

  it.scopedLive("lose nothing from three processes", () =>
    Effect.gen(function* () {
      const path = yield* temporaryFile
      const names = ["a", "b", "c"]
      const count = sized(30, 100)
      yield* Effect.forEach(names, (name) => run("append", path, name, String(count)), { concurrency: "unbounded" })
      const { store } = yield* bothOf(FileStore.layer({ path }))
      const entries = yield* (yield* store.open("shared")).entries
      expect(entries).toHaveLength(3 * count)
      // Each writer's own entries stand in the order in which it wrote them.
      for (const name of names) {
        const own = entries.map(({ id }) => id).filter((id) => id.startsWith(`${name} `))
        expect(own).toStrictEqual(Array.from({ length: count }, (_, index) => `${name} ${index}`))
      }
    })
  )

  it.scopedLive("begin each call in one process only", () =>
    Effect.gen(function* () {
      const path = yield* temporaryFile
      const count = sized(60, 200)
      const fresh = yield* Effect.forEach(["a", "b", "c"], (name) => run("begin", path, name, String(count)), {
        concurrency: "unbounded"
      })
      const all = fresh.flat().sort((one, other) => one - other)
      expect(all).toStrictEqual(Array.from({ length: count }, (_, index) => index))
    })
  )

  it.scopedLive("find after a kill which calls were begun and which are over", () =>
    Effect.gen(function* () {
      const path = yield* temporaryFile
      const child = yield* start("handle", path)
      const exit = exitOf(child)
      yield* Effect.async<void>((resume) => void child.stdout.once("data", () => resume(Effect.void)))
      child.kill("SIGKILL")
      expect((yield* exit).signal).toBe("SIGKILL")
      const { journal } = yield* bothOf(FileStore.layer({ path }))
      expect(yield* journal.begin({ run: "run", call: "open", digest: "d" }, "pay")).toStrictEqual({ _tag: "Begun" })
      expect(yield* journal.begin({ run: "run", call: "over", digest: "d" }, "pay")).toStrictEqual({
        _tag: "Finished",
        ending: { _tag: "Success", encoded: "paid" }
      })
    })
  )

  it.scopedLive("leave no file open behind their transactions", () =>
    Effect.gen(function* () {
      const path = yield* temporaryFile
      const { store } = yield* bothOf(FileStore.layer({ path, synchronous: "normal" }))
      const openFiles = Effect.sync(() => readdirSync("/proc/self/fd").length)
      yield* store.create()
      const before = yield* openFiles
      for (let index = 0; index < 100; index++) yield* store.create()
      expect((yield* openFiles) - before).toBeLessThan(10)
    })
  )
})

layer(Postgres.layer, { excludeTestServices: true })("Writers of one Postgres", (it) => {
  it.scoped("lose nothing, many at once over two pools of connections", () =>
    Effect.gen(function* () {
      const server = Layer.succeed(Postgres.Postgres, yield* Postgres.Postgres)
      const client = Layer.provide(Postgres.client, server)
      yield* writeAtOnce(Layer.provide(Layer.merge(SqlConversationStore.layer, SqlJournal.layer), client))
    })
  )
})
