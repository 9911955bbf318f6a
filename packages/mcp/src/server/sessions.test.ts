import { expect, it } from "vitest"
import { Events, type Together } from "./sessions.js"

it("keeps of the events of all sessions no more than 64 million characters: the idle lose theirs first", async () => {
  const together: Together = { sessions: new Set(), length: 0 }
  const [idle, busy, last] = [new Events(together), new Events(together), new Events(together)]
  const large = "a".repeat(30_000_000)
  const ids = { idle: await idle.storeEvent("one", large), busy: await busy.storeEvent("one", large) }
  expect(await idle.getStreamIdForEventId(ids.idle)).toBe("one")
  const id = await last.storeEvent("one", large)
  expect(await idle.getStreamIdForEventId(ids.idle)).toBe(undefined)
  expect(await busy.getStreamIdForEventId(ids.busy)).toBe("one")
  expect(await last.getStreamIdForEventId(id)).toBe("one")
  // A session that has ended keeps none.
  for (const events of [busy, last]) events.forget()
  expect(together).toEqual({ sessions: new Set(), length: 0 })
})

it("gives the last event to who has only the beginning of its stream, however long it is", async () => {
  const events = new Events({ sessions: new Set(), length: 0 })
  const before = await events.storeEvent("before", {})
  const beginning = await events.storeEvent("one", {})
  const large = "a".repeat(5_000_000)
  const id = await events.storeEvent("one", large)
  expect(await events.getStreamIdForEventId(before)).toBe(undefined)
  const sent: Array<string> = []
  await events.replayEventsAfter(beginning, { send: async (each) => void sent.push(each) })
  expect(sent).toEqual([id])
})
