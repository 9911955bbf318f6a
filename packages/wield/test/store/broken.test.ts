/** Five functions as they come out over drivers that answer otherwise: no call is made twice, and the error says what to do. */
import { ScriptedModel } from "@wield/testing"
import { expect, it } from "vitest"
import { tool, wield } from "wield"
import { memoryRecords, type Records, storeOf, testRecords, testStore } from "wield/store"

const call = { id: "call_1", type: "function", function: { name: "pay", arguments: "{}" } }
const response = { choices: [{ message: { role: "assistant", content: null, tool_calls: [call] } }] }

/** What a program without types gives. */
type Functions = { readonly [Name in keyof Records]: (...given: Parameters<Records[Name]>) => unknown }

// Plain JavaScript has no compiler that would say what is wrong.
const recordsOf = (functions: Functions) => functions as Records

const creates =
  (yes: unknown, no: unknown) =>
  ({ create }: Records) => ({ create: async (key: string, text: string) => ((await create(key, text)) ? yes : no) })

const lists =
  (change: (rows: ReadonlyArray<{ readonly key: string; readonly text: string }>) => unknown) =>
  ({ list }: Records) => ({ list: async (prefix: string, after?: string) => change(await list(prefix, after)) })

const broken: Record<string, readonly [(records: Records) => Partial<Functions>, RegExp]> = {
  "whose `create` gives the rows of Drizzle": [
    creates([{ key: "a" }], []),
    /`create` of the records gave an array of 1/
  ],
  "whose `create` gives the count of Prisma": [creates({ count: 1 }, { count: 0 }), /gave an object with count/],
  "whose `create` gives the result of `pg`": [
    creates({ rowCount: 1 }, { rowCount: 0 }),
    /gave an object with rowCount/
  ],
  "whose `create` gives the OK of Redis": [creates("OK", null), /gave "OK"/],
  "whose `create` gives a count as text": [creates("1", "0"), /gave "1"/],
  "whose `create` gives a count": [creates(1n, 0n), /gave 1/],
  "whose `create` gives nothing": [creates(undefined, undefined), /gave nothing; it has to give true where it has/],
  "whose `get` gives bytes": [
    ({ get }) => ({ get: async (key) => Buffer.from((await get(key)) ?? "") }),
    /`get` of the records gave an instance of Buffer/
  ],
  "whose `get` gives what was in a column of JSON": [
    ({ get }) => ({ get: async (key) => JSON.parse((await get(key)) ?? "null") }),
    /`get` of the records gave an object with id, log/
  ],
  "whose `list` gives a result with rows": [lists((rows) => ({ rows })), /gave an object with rows; .* an array of/],
  "whose `list` names its columns otherwise": [
    lists((rows) => rows.map(({ key, text }) => ({ key, value: text }))),
    /gave an object with key, value; it has to give a key and a text/
  ],
  "whose `list` gives the pages of a scan in no order": [lists((rows) => rows.toReversed()), /order of their bytes/],
  "whose `list` gives a key twice": [lists((rows) => rows.flatMap((row) => [row, row])), /each once/],
  "whose `list` gives the others, too": [
    ({ list }) => ({ list: (_: string, after?: string) => list("", after) }),
    /it has to give keys that begin with/
  ]
}

it.each(Object.entries(broken))(
  "records %s lead to no second call, and to an error that says why",
  async (_, [mutate, message]) => {
    const whole = memoryRecords()
    const records = recordsOf({ ...whole, ...mutate(whole) })
    let paid = 0
    const pay = tool("pay", { execute: () => `payment ${++paid}` })
    const open = () => wield({ tools: [pay], store: storeOf(records), logger: () => {} })
    for (let process = 1; process <= 3; process++) {
      await using shop = await open()
      await Promise.all([1, 2].map(() => shop.run({ id: "order 12" }).answer("openai-chat", response)))
    }
    expect(paid).toBeLessThanOrEqual(1)

    const talk = async () => {
      for (let turn = 1; turn <= 3; turn++) {
        await using shop = await open()
        const model = ScriptedModel.make([
          ScriptedModel.call("pay", {}, { id: `${turn}` }),
          ScriptedModel.text("Paid.")
        ])
        await shop.agent({ model }).ask("Pay", { conversation: "c1" })
      }
    }
    await expect(talk()).rejects.toThrow(message)
    await expect(testRecords(records)).rejects.toThrow(/These laws do not hold/)
    await expect(testStore(storeOf(records))).rejects.toThrow(message)
  }
)

it("functions that give their answer without a promise, frozen and with more columns, are as good", async () => {
  const texts = new Map<string, string>()
  const records = recordsOf({
    create: (key, text) => !texts.has(key) && texts.set(key, text) === texts,
    set: (key, text) => texts.set(key, text),
    get: (key) => texts.get(key) ?? null,
    delete: (key) => texts.delete(key),
    list: (prefix, after = "") =>
      Object.freeze(
        Array.from(texts, ([key, text]) => Object.freeze({ changed: new Date(), id: 5n, text, key }))
          .filter(({ key }) => key.startsWith(prefix) && key > after)
          .toSorted((one, other) => (one.key < other.key ? -1 : 1))
      )
  })
  expect(await testRecords(records)).toBe(9)
  expect(await testStore(storeOf(records))).toBe(9)
})

it("the laws of records say what a `create` does that rejects where a text is there", async () => {
  const whole = memoryRecords()
  const create = async (key: string, text: string) => {
    if (!(await whole.create(key, text))) throw new Error("E11000 duplicate key")
    return true
  }
  await expect(testRecords({ ...whole, create })).rejects.toThrow(
    /gives true, then .*Error.*; true, then false is right/
  )
})

it("the laws of records find a database that gives a thousand at once, or a megabyte", async () => {
  const whole = memoryRecords()
  const pages: ReadonlyArray<Records["list"]> = [
    async (...given) => (await whole.list(...given)).slice(0, 1_000),
    async (...given) => {
      let length = 0
      return (await whole.list(...given)).filter(({ text }) => (length += text.length) < 1_000_000)
    }
  ]
  for (const list of pages) await expect(testRecords({ ...whole, list })).rejects.toThrow(/ask for its next pages/)
})
