/** Conversations and the record of calls in a database of your own, and the laws that it has to keep. */
import * as RecordStore from "@wield/agent/RecordStore"
import { show } from "@wield/core/Issue"
import * as Layer from "effect/Layer"
import { checkKind } from "./internal/checkNames.js"
import { Running } from "./internal/Running.js"
import { clear, open, storeLaws } from "./internal/storeLaws.js"
import { type Law, tryLaws } from "./internal/tryLaws.js"
import type { Store } from "./wield.js"

/**
 * Five functions over a database: texts under keys. A key is ASCII of at most 250 characters; a text is JSON of any
 * length. Each function rejects where the database fails.
 *
 * - `create` writes under a key that has no text, and says whether it did: of two processes at once one gets `true`
 *   (`SET NX`, `INSERT … ON CONFLICT DO NOTHING`, `attribute_not_exists`).
 * - `set` writes, whatever is there; `get` reads; `delete` deletes what is there.
 * - `list` gives those whose keys begin with a prefix and come after a key, in the order of their bytes.
 */
export type Records = RecordStore.Records

/**
 * A store for `wield({ store })` over five functions of yours. Several processes may use one database.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { tool, wield } from "wield"
 * import { memoryRecords, storeOf, testRecords } from "wield/store"
 *
 * const records = memoryRecords() // yours: { create, set, get, delete, list }
 * await testRecords(records) // rejects with what the functions do otherwise than they have to
 *
 * let paid = 0
 * const pay = tool("pay", { execute: () => `payment ${++paid}` })
 * const calls = [{ id: "call_1", type: "function", function: { name: "pay", arguments: "{}" } }]
 * const response = { choices: [{ message: { role: "assistant", content: null, tool_calls: calls } }] }
 * for (let process = 1; process <= 2; process++) {
 *   await using shop = await wield({ tools: [pay], store: storeOf(records) })
 *   await shop.run({ id: "order 12" }).answer("openai-chat", response)
 * }
 * assert.strictEqual(paid, 1)
 * ```
 */
export const storeOf = (records: Records): Store => {
  const missing = functions.filter((name) => typeof records?.[name] !== "function")
  if (missing.length > 0) {
    throw new TypeError(`A store needs the functions ${functions.join(", ")}: ${missing.join(", ")} is missing`)
  }
  return RecordStore.layer(records)
}

const functions = ["create", "set", "get", "delete", "list"] as const

/** Records in memory: for tests, and as an example of the five functions. */
export const memoryRecords: () => Records = RecordStore.memory

/**
 * Tries the laws of the five functions on your database, under keys of its own, which it deletes. Resolves with how many
 * hold; rejects with a sentence for each that does not.
 */
export const testRecords = async (records: Records): Promise<number> => {
  storeOf(records)
  return tryLaws(laws, records, async (at) => {
    for (const { key } of await records.list(at)) await records.delete(key)
  })
}

/**
 * Tries the laws of stores on any store: it opens it twice, as two processes would, and deletes what it has written.
 * Resolves with how many hold; rejects with a sentence for each that does not.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { memoryRecords, storeOf, testStore } from "wield/store"
 *
 * assert.strictEqual(await testStore(storeOf(memoryRecords())), 9)
 * ```
 */
export const testStore = async (store: Store): Promise<number> => {
  checkKind("What `testStore` tries", store ?? null, "what `storeOf` gives, or another store", Layer.isLayer(store))
  const [one, other] = [new Running(store), new Running(store)]
  try {
    const both = [await one.run(open), await other.run(open)] as const
    return await tryLaws(storeLaws, both, (at) => clear(both[0], at))
  } finally {
    await Promise.all([one.close(), other.close()])
  }
}

const unless = (isRight: boolean, problem: string): string | undefined => (isRight ? undefined : problem)

const otherThan = (text: string, given: unknown): string =>
  `${typeof given === "string" ? "another text" : show(given)} than the text ${text.slice(0, 60)}`

const texts = ["{}", '{"a":"ä 漢 😀 \\\\ \' \\" % _ $ \\u0000 \\ud800"}', " [1,\n2] ", `"${"x".repeat(300_000)}"`]

const laws: ReadonlyArray<Law<Records>> = [
  [
    "a text is read as it was written, with every sign and any length",
    async (records, at) => {
      for (const [index, text] of texts.entries()) {
        await records.create(`${at}created-${index}`, text)
        await records.set(`${at}set-${index}`, text)
        for (const key of [`${at}created-${index}`, `${at}set-${index}`]) {
          const got = await records.get(key)
          if (got !== text) return `\`get\` gives ${otherThan(text, got)}`
          const [listed] = await records.list(key)
          if (listed?.text !== text) return `\`list\` gives ${otherThan(text, listed?.text)}`
        }
      }
      return undefined
    }
  ],
  [
    "a key may have 250 characters",
    async (records, at) => {
      const keys = ["a", "b"].map((end) => `${at}${"k".repeat(249 - at.length)}${end}`)
      for (const key of keys) if (!(await records.create(key, key))) return "two keys that differ at their ends are one"
      return unless((await records.get(keys[0]!)) === keys[0], "the text is another one")
    }
  ],
  [
    "a key without a text has none",
    async (records, at) => {
      const found = await records.get(`${at}nothing`)
      return unless(found === undefined || found === null, `\`get\` gives ${JSON.stringify(found)}`)
    }
  ],
  [
    "a key is created once",
    async (records, at) => {
      const first = await records.create(`${at}one`, "1")
      const again = async () => records.create(`${at}one`, "2")
      const second = await again().catch((error: unknown) => error)
      if (first !== true || second !== false) {
        return `\`create\` gives ${show(first)}, then ${show(second)}; true, then false is right, whatever the database gives`
      }
      return unless((await records.get(`${at}one`)) === "1", "the second `create` has changed the text")
    }
  ],
  [
    "of many who create a key at once one does",
    async (records, at) => {
      for (let round = 0; round < 10; round++) {
        const key = `${at}many-${round}`
        const all = await Promise.all(Array.from({ length: 10 }, (_, index) => records.create(key, String(index))))
        const winners = all.flatMap((isCreated, index) => (isCreated === true ? [String(index)] : []))
        if (winners.length !== 1) return `${winners.length} of 10 got true`
        if ((await records.get(key)) !== winners[0]) return "the text is of one that got false"
      }
      return undefined
    }
  ],
  [
    "set writes over what is there",
    async (records, at) => {
      await records.create(`${at}one`, "1")
      await records.set(`${at}one`, "2")
      return unless((await records.get(`${at}one`)) === "2", "the old text is still there")
    }
  ],
  [
    "what is deleted is gone, and can be created again",
    async (records, at) => {
      await records.set(`${at}one`, "1")
      await records.delete(`${at}one`)
      await records.delete(`${at}never`)
      const found = await records.get(`${at}one`)
      if (found !== undefined && found !== null) return "`get` still gives it"
      if ((await records.list(`${at}one`)).length > 0) return "`list` still has it"
      return unless(await records.create(`${at}one`, "2"), "`create` gives false")
    }
  ],
  [
    "list has the keys of a prefix and no others, in the order of their bytes",
    async (records, at) => {
      // `_` and `%` are any sign to LIKE; capitals come before small letters; `~` comes last.
      const names = ["0000000002", "0000000010", "A", "_", "a", "a_b", "ab", "axb", "~"]
      for (const name of names.toReversed()) await records.set(`${at}in/${name}`, `"${name}"`)
      for (const name of ["in0", "in.", "iN/a", "in"]) await records.set(`${at}${name}`, "0")
      const keysOf = async (prefix: string, after?: string) =>
        (await records.list(`${at}in/${prefix}`, after)).map(({ key }) => key.slice(`${at}in/`.length)).join(" ")
      const all = await keysOf("")
      if (all !== names.join(" ")) return `it gives ${all}; ${names.join(" ")} is right`
      const some = await keysOf("a_")
      if (some !== "a_b") return `of the prefix a_ it gives ${some}; a_b is right`
      const rest = await keysOf("", `${at}in/a_b`)
      return unless(rest === "ab axb ~", `after a_b it gives ${rest}; ab axb ~ is right`)
    }
  ],
  [
    "list has all of eleven hundred, however long",
    async (records, at) => {
      // Databases give a thousand, or a megabyte or four, and say where the next page begins.
      const text = `"${"x".repeat(4_000)}"`
      await Promise.all(Array.from({ length: 1_100 }, (_, index) => records.set(`${at}${1_000 + index}`, text)))
      const { length } = await records.list(at)
      return unless(length === 1_100, `it gives ${length}; ask for its next pages, too`)
    }
  ]
]
