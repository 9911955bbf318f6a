import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { memory, type Records } from "../RecordStore.js"
import { checkedRecords } from "./checkedRecords.js"

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }))
afterEach(() => vi.useRealTimers())

it("a database that is silent for a minute is an error, whichever of its functions was asked", async () => {
  const silent = () => new Promise<never>(() => {})
  const database: Records = { create: silent, set: silent, get: silent, delete: silent, list: silent }
  const records = checkedRecords(database)
  const asked = [
    records.create("a", "{}"),
    records.set("a", "{}"),
    records.get("a"),
    records.delete("a"),
    records.list("")
  ]
  const ends = Promise.allSettled(asked)
  await vi.advanceTimersByTimeAsync(60_000)
  expect((await ends).map((end) => (end.status === "rejected" ? String(end.reason) : end.value))).toEqual(
    ["create", "set", "get", "delete", "list"].map((name) =>
      expect.stringContaining(`\`${name}\` of the records has not answered for a minute`)
    )
  )
})

it("one that answers leaves nothing that keeps the process", async () => {
  const records = checkedRecords(memory())
  expect(await records.create("a", "{}")).toBe(true)
  expect(await records.get("a")).toBe("{}")
  expect(vi.getTimerCount()).toBe(0)
})
