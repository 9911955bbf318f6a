/** A database of one's own: the laws find what is wrong with it, and what is kept in it outlives a process. */
import { PGlite } from "@electric-sql/pglite"
import { SqlClient } from "@effect/sql/SqlClient"
import { ScriptedModel } from "@wield/testing"
import { Effect, ManagedRuntime } from "effect"
import * as Layer from "effect/Layer"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { ConversationNotFound, tool, wield } from "wield"
import { type PostgresClient, postgresRecords, postgresStore } from "wield/postgres"
import { fileStore } from "wield/file"
import { memoryRecords, type Records, storeOf, testRecords, testStore } from "wield/store"
import * as Postgres from "../../../../test/postgres/Postgres.js"
import { bundleOf } from "../../../../test/programs.js"
import { folderRecords } from "./folder.js"
import { FakeRedis, redisRecords } from "./redis.js"

const folder = mkdtempSync(join(tmpdir(), "wield-records-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const postgres = ManagedRuntime.make(Postgres.client.pipe(Layer.provide(Postgres.layer)))
afterAll(() => postgres.dispose())

let pglite: PGlite | undefined
afterAll(() => pglite?.close())

/** A database in this process, or one on a server, asked as the clients of Node are: each test has a table of its own. */
const clients: Readonly<Record<string, () => PostgresClient>> = {
  // To make one takes seconds of the processor.
  PGlite: () => (pglite ??= new PGlite()),
  "a server": () => ({
    query: async (text, values) => ({
      rows: await postgres.runPromise(Effect.flatMap(SqlClient, (sql) => sql.unsafe(text, values)))
    })
  })
}

describe.each(Object.entries(clients))("a store in Postgres (%s)", (_, clientOf) => {
  it("keeps calls and conversations, also of two that open it at once", async () => {
    const client = clientOf()
    let paid = 0
    const pay = tool("pay", { execute: () => `payment ${++paid}` })
    const calls = [{ id: "call_1", type: "function", function: { name: "pay", arguments: "{}" } }]
    const response = { choices: [{ message: { role: "assistant", content: null, tool_calls: calls } }] }
    const process = async () => {
      await using shop = await wield({ tools: [pay], store: postgresStore(client) })
      const { messages } = await shop.run({ id: "order 12" }).answer("openai-chat", response)
      const model = ScriptedModel.make([ScriptedModel.text("Hello.")])
      const { conversation } = await shop.agent({ model }).ask("Hello?")
      return { conversation, text: JSON.stringify(messages) }
    }
    const [first] = await Promise.all([process(), process()])
    const { conversation, text } = await process()
    expect([paid, text]).toEqual([1, expect.stringContaining("payment 1")])
    await using shop = await wield({ tools: [], store: postgresStore(client) })
    const { conversations } = await shop.conversations.list()
    expect(conversations.map(({ id }) => id)).toEqual(expect.arrayContaining([conversation, first.conversation]))
  })
})

it("a store in Postgres tries again to make its table, says what it needs, and rejects as the database does", async () => {
  const client = clients["PGlite"]!()
  let isDown = true
  const query: PostgresClient["query"] = (text, values) =>
    isDown ? Promise.reject(new Error("no connection")) : client.query(text, values)
  const records = postgresRecords({ query }, "of_outages")
  await expect(records.get("a")).rejects.toThrow("no connection")
  isDown = false
  expect(await records.create("a", "{}")).toBe(true)
  expect(() => postgresStore({} as never)).toThrow(/needs a client with a function `query`/)
  expect(() => postgresStore(client, { tabel: "a" } as never)).toThrow(/no option `tabel` \(did you mean "table"\?\)/)
})

it("a store in Postgres writes beside others where transactions are serializable", async () => {
  const client: PostgresClient = {
    query: async (text, values) => {
      const asked = Effect.flatMap(SqlClient, (sql) =>
        sql.withTransaction(
          Effect.zipRight(sql`SET TRANSACTION ISOLATION LEVEL SERIALIZABLE`, sql.unsafe<object>(text, values))
        )
      )
      const answer = await postgres.runPromise(Effect.either(Effect.mapError(asked, ({ cause }) => cause)))
      // As the client of Node rejects.
      if (answer._tag === "Left") throw answer.left
      return { rows: answer.right }
    }
  }
  const records = postgresRecords(client, "serializable")
  await records.set("one", "0")
  const writes = Array.from({ length: 40 }, (_, index) =>
    index % 2 === 0 ? records.set("one", `${index}`) : records.create(`two ${index % 8}`, `${index}`)
  )
  const made = (await Promise.all(writes)).filter((isMade) => isMade === true)
  expect(made).toHaveLength(4)
})

describe("the laws of records", () => {
  it.each([
    ["memory", async () => memoryRecords()],
    ["a folder", () => folderRecords(join(folder, "laws"))],
    ["Redis", async () => redisRecords(new FakeRedis())],
    ["Postgres as PGlite", async () => postgresRecords(clients["PGlite"]!(), "of_records")],
    ["Postgres", async () => postgresRecords(clients["a server"]!(), 'my "records"')]
  ])("hold for %s, which has nothing of them afterwards", async (_, make) => {
    const records = await make()
    expect(await testRecords(records)).toBe(9)
    expect(await records.list("laws/")).toEqual([])
  })

  const pause = () => new Promise((resolve) => setImmediate(resolve))
  const wrong: Record<string, readonly [(records: Records) => Partial<Records>, RegExp]> = {
    "that look first and write then": [
      (records) => ({
        create: async (key, text) => {
          if ((await records.get(key)) !== undefined) return false
          await pause()
          await records.set(key, text)
          return true
        }
      }),
      /of many who create.*10 of 10/
    ],
    "that take _ for any sign": [
      (records) => ({
        list: async (prefix, after = "") => {
          const like = new RegExp(`^${prefix.replaceAll("_", ".")}`)
          return (await records.list("")).filter(({ key }) => like.test(key) && key > after)
        }
      }),
      /list has the keys of a prefix/
    ],
    "that sort as a dictionary does": [
      (records) => ({
        list: async (...given) =>
          (await records.list(...given)).toSorted((one, other) => one.key.localeCompare(other.key))
      }),
      /in the order of their bytes/
    ],
    "that give a page only": [
      (records) => ({ list: async (...given) => (await records.list(...given)).slice(0, 100) }),
      /eleven hundred, however long: it gives 100;/
    ],
    "that cut long texts": [
      (records) => ({ set: (key, text) => records.set(key, text.slice(0, 65_535)) }),
      /any length/
    ],
    "that keep what is deleted": [() => ({ delete: async () => {} }), /is gone/],
    "that write over what is created": [
      (records) => ({
        create: async (key, text) => {
          await records.set(key, text)
          return true
        }
      }),
      /a key is created once/
    ],
    "that cut long keys": [
      (records) => ({
        create: (key, text) => records.create(key.slice(0, 100), text),
        get: (key) => records.get(key.slice(0, 100))
      }),
      /differ at their ends/
    ],
    "that reject": [() => ({ get: () => Promise.reject(new Error("no connection")) }), /rejects with no connection/]
  }
  it.each(Object.entries(wrong))("find records %s", async (_, [mutate, message]) => {
    const records = memoryRecords()
    await expect(testRecords({ ...records, ...mutate(records) })).rejects.toThrow(message)
  })

  it("find a store over such records, too", async () => {
    const records = memoryRecords()
    const create: Records["create"] = async (key, text) => {
      await records.set(key, text)
      return true
    }
    await expect(testStore(storeOf({ ...records, create }))).rejects.toThrow(/who begin a call at once.*10 of 10/)
  })

  it("need all five functions", () => {
    expect(() => storeOf({ get: async () => "" } as never)).toThrow(/create, set, delete, list is missing/)
  })
})

describe("the laws of stores", () => {
  it.each([
    ["memory", async () => storeOf(memoryRecords())],
    ["a file", async () => fileStore({ path: join(folder, "laws.db") })],
    ["a folder", async () => storeOf(await folderRecords(join(folder, "stores")))],
    ["Redis", async () => storeOf(redisRecords(new FakeRedis()))],
    ["Postgres as PGlite", async () => postgresStore(clients["PGlite"]!(), { table: "of_laws" })],
    ["Postgres", async () => postgresStore(clients["a server"]!(), { table: "of_laws" })]
  ])("hold for %s, which has no conversation of them afterwards", async (_, make) => {
    const store = await make()
    expect(await testStore(store)).toBe(9)
    await using shop = await wield({ tools: [], store })
    expect((await shop.conversations.list()).conversations).toEqual([])
  })
})

/** The lines of a process: the first when it comes, the last when it has ended. */
const start = async (run: string, pause = 0) => {
  const program = await Effect.runPromise(bundleOf(new URL("process.ts", import.meta.url)))
  const child = spawn(process.execPath, [program, folder, run, String(pause)], { stdio: ["ignore", "pipe", "inherit"] })
  let output = ""
  const first = new Promise<void>((resolve) =>
    child.stdout.on("data", (data: Buffer) => {
      output += data.toString()
      if (output.includes("\n")) resolve()
    })
  )
  const last = once(child, "close").then(() => output.trim().split("\n").at(-1))
  return { child, first, last: () => last }
}

const payments = () => readFileSync(join(folder, "paid"), "utf8").trim().split("\n").length

it("a call is made once by two processes at once, and its end is read by a third", async () => {
  const both = await Promise.all([start("order 1", 300), start("order 1", 300)])
  expect(await Promise.all(both.map(({ last }) => last()))).toEqual(["Success", "Success"])
  expect(await (await start("order 1")).last()).toBe("Success")
  expect(payments()).toBe(1)
})

it("a call whose process was killed is not made again, and its end is said to be unknown", async () => {
  const before = payments()
  const { child, first, last } = await start("order 2", 60_000)
  await first
  child.kill("SIGKILL")
  expect(await last()).toBe("paying")
  expect(await (await start("order 2")).last()).toBe("Uncertain")
  expect(payments()).toBe(before + 1)
})

it("conversations are listed, read, forked, renamed and deleted, also by another program over the same records", async () => {
  const records = memoryRecords()
  const look = tool("look", { execute: () => "rain" })
  const open = () => wield({ tools: [look], store: storeOf(records) })
  await using app = await open()
  const agent = app.agent({ model: ScriptedModel.make([ScriptedModel.call("look"), ScriptedModel.text("It rains.")]) })
  await agent.ask("The weather?", { conversation: "c1" })

  await using page = await open()
  const drawn = await page.conversations.read("c1")
  expect(
    JSON.parse(JSON.stringify(drawn)).entries.map(({ message }: { message: { _tag: string } }) => message._tag)
  ).toEqual(["User", "Assistant", "Results", "Assistant"])
  const fork = await page.conversations.fork("c1", { at: drawn.entries[0]!.id })
  await page.conversations.update(fork, { title: "Again" })
  const { conversations } = await page.conversations.list()
  expect(conversations.map(({ id, length, title }) => [id, length, title])).toEqual(
    expect.arrayContaining([
      [fork, 1, "Again"],
      ["c1", 4, undefined]
    ])
  )
  await page.conversations.delete("c1")
  await page.conversations.delete("c1")
  await expect(app.conversations.read("c1")).rejects.toBeInstanceOf(ConversationNotFound)
  expect((await app.conversations.list({ query: "again" })).conversations).toHaveLength(1)
})
