/** The live channel: complete, in order, once, over reconnects. */
import { describe, expect, it } from "@effect/vitest"
import { ToolCall } from "@wield/core"
import { Recorder, Studio } from "@wield/studio"
import { Effect, Logger, Redacted, TestClock } from "effect"
import { makeShop, token } from "./shop.js"

interface Message {
  readonly event: string | undefined
  readonly id: number | undefined
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any
}

/** Reads messages until a test has what it waits for; then hangs up. */
const read = (
  port: number,
  query: string,
  isEnough: (messages: ReadonlyArray<Message>) => boolean,
  headers: { readonly [name: string]: string } = {}
) =>
  Effect.promise(async () => {
    const gone = new AbortController()
    const response = await fetch(`http://127.0.0.1:${port}/api/events${query}`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
      signal: gone.signal
    })
    const messages: Array<Message> = []
    let text = ""
    const decoder = new TextDecoder()
    for await (const piece of response.body ?? []) {
      text += decoder.decode(piece, { stream: true })
      const blocks = text.split("\n\n")
      text = blocks.pop() ?? ""
      for (const block of blocks) {
        const field = (name: string) =>
          block
            .split("\n")
            .find((line) => line.startsWith(`${name}: `))
            ?.slice(name.length + 2)
        const id = field("id")
        const data = field("data")
        messages.push({
          event: field("event"),
          id: id === undefined ? undefined : Number(id),
          data: data === undefined ? undefined : JSON.parse(data)
        })
      }
      if (isEnough(messages)) break
    }
    gone.abort()
    return messages
  })

const ids = (messages: ReadonlyArray<Message>) => messages.flatMap(({ id }) => id ?? [])

describe("Events", () => {
  it.scopedLive("come from the first on, then live, and after a reconnect without loss or repetition", () =>
    Effect.gen(function* () {
      const shop = yield* makeShop()
      const { port } = yield* Studio.serve({ ...shop.options })
      const record = Effect.provideService(
        Recorder.calls({ name: "calls" }, () => Effect.void),
        Recorder.Recorder,
        shop.recorder
      )
      yield* record
      const writing = yield* Effect.fork(Effect.repeatN(Effect.zipRight(record, Effect.sleep("1 millis")), 300))
      const seen: Array<number> = []
      while (seen.length < 400) {
        const after = seen.at(-1) ?? 0
        const enough = 3 + ((seen.length * 7) % 50)
        const messages = yield* read(port, `?after=${after}`, (all) => ids(all).length >= enough)
        expect(messages[0]).toMatchObject({ event: "hello", data: { epoch: shop.recorder.epoch } })
        // What came in the same piece counts: the page has shown it.
        seen.push(...ids(messages))
      }
      expect(seen).toEqual(seen.map((_, index) => index + 1))
      yield* writing.interruptAsFork(writing.id())
    })
  )

  it.scopedLive("are not made for readers that read nothing", () =>
    Effect.gen(function* () {
      const shop = yield* makeShop()
      // How far each reader was read for.
      let asked = 0
      const event = { at: 0, run: "r", event: { _tag: "TextDelta" as const, step: 1, text: "x".repeat(100_000) } }
      const recorder: Recorder.Service = {
        ...shop.recorder,
        events: ({ after, limit }) =>
          Effect.sync(() => {
            asked = Math.max(asked, after)
            return Array.from({ length: Math.min(limit, 1_000 - after) }, (_, index) => ({
              ...event,
              sequence: after + index + 1
            }))
          })
      }
      const { handler } = yield* Studio.toWebHandler({ ...shop.options, recorder })
      const readers = yield* Effect.forEach(Array.from({ length: 10 }), () =>
        Effect.promise(() =>
          handler(
            new Request("http://localhost/api/events", {
              headers: { host: "localhost", authorization: `Bearer ${token}` }
            })
          )
        )
      )
      for (let before = -1; before !== asked;) {
        before = asked
        for (let turn = 0; turn < 50; turn++)
          yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      }
      // Of a hundred megabytes.
      expect(asked).toBeLessThan(20)
      for (const { body } of readers) yield* Effect.promise(() => body?.cancel() ?? Promise.resolve())
    })
  )

  it.scoped("end for a reader that takes none for a minute, which goes on from the last one that it saw", () =>
    Effect.gen(function* () {
      const logged: Array<string> = []
      const logger = Logger.make(({ message }) => void logged.push(String(message)))
      const shop = yield* makeShop()
      const { handler } = yield* Effect.provide(
        Studio.toWebHandler(shop.options),
        Logger.replace(Logger.defaultLogger, logger)
      )
      const long = yield* shop.recorder.begin({ name: "long" })
      const count = 2_000
      for (let index = 0; index < count; index++) long.watcher.started(ToolCall.make(`c${index}`, "tidy", {}))
      const open = (after: number) =>
        Effect.promise(async () => {
          const request = new Request(`http://localhost/api/events?after=${after}`, {
            headers: { host: "localhost", authorization: `Bearer ${token}` }
          })
          return (await handler(request)).body!.pipeThrough(new TextDecoderStream()).getReader()
        })
      const lastIn = (text: string) =>
        Number(
          text
            .match(/^id: (\d+)$/gm)
            ?.at(-1)
            ?.slice(4) ?? 0
        )
      const idle = yield* open(0)
      let seen = ""
      while (lastIn(seen) === 0) seen += (yield* Effect.promise(() => idle.read())).value
      const busy = yield* open(0)
      let all = ""
      // The other one takes all that there is.
      for (let turn = 0; turn < 4; turn++) {
        while (lastIn(all) <= count) all += (yield* Effect.promise(() => busy.read())).value
        yield* TestClock.adjust("1 minute")
        yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))
      }
      const ended = yield* Effect.promise(async () => {
        for (;;) {
          const { done, value } = await idle.read().catch(() => ({ done: true, value: undefined }))
          if (done) return true
          seen += value
          if (lastIn(seen) > count) return false
        }
      })
      expect(ended).toBe(true)
      expect(logged.join()).toMatch(/took none for a minute/)
      expect(logged).toHaveLength(1)
      const again = yield* open(lastIn(seen))
      let rest = ""
      while (lastIn(rest) <= count) rest += (yield* Effect.promise(() => again.read())).value
      const ids = `${seen}${rest}`.match(/^id: \d+$/gm)
      expect(new Set(ids).size).toBe(count + 1)
      for (const reader of [busy, again]) yield* Effect.promise(() => reader.cancel())
    })
  )

  it.scopedLive("begin at the first again for another epoch, and tell of a gap", () =>
    Effect.gen(function* () {
      const shop = yield* makeShop({ recording: { runs: 2 } })
      const { port } = yield* Studio.serve({ ...shop.options })
      for (let index = 0; index < 10; index++) yield* shop.recorder.begin({ name: `run ${index}` })
      const other = yield* read(port, "?after=7&epoch=another", (all) => ids(all).length >= 2)
      expect(ids(other)).toEqual([9, 10])
      const behind = yield* read(port, `?after=3&epoch=${shop.recorder.epoch}`, (all) => ids(all).length >= 2)
      expect(behind.find(({ event }) => event === "gap")?.data).toEqual({ after: 8 })
      expect(ids(behind)).toEqual([9, 10])
    })
  )

  it.scopedLive("have what is left of older runs after a gap, also by the id that a browser saw last", () =>
    Effect.gen(function* () {
      const shop = yield* makeShop({ recording: { runs: 2 } })
      const { port } = yield* Studio.serve({ ...shop.options })
      const long = yield* shop.recorder.begin({ name: "long" })
      for (let index = 0; index < 300; index++) long.watcher.started(ToolCall.make(`c${index}`, "tidy", {}))
      const short = yield* shop.recorder.begin({ name: "short" })
      short.end({ result: "Finished" })
      // The one that has ended makes room.
      yield* shop.recorder.begin({ name: "last" })
      const left = Array.from({ length: 301 }, (_, index) => index + 1).concat(304)
      const known = `?epoch=${shop.recorder.epoch}`
      const all = yield* read(port, `${known}&after=1`, (messages) => ids(messages).includes(304))
      expect(all.filter(({ event }) => event === "gap").map(({ data }) => data)).toEqual([{ after: 303 }])
      expect(ids(all)).toEqual(left.slice(1))
      const again = yield* read(port, known, (messages) => ids(messages).includes(304), { "last-event-id": "290" })
      expect(ids(again)).toEqual(left.slice(290))
      const one = yield* read(port, `${known}&after=300&run=${long.id}`, (messages) => ids(messages).length > 0)
      expect(one.map(({ event }) => event)).toEqual(["hello", "event"])
    })
  )

  it.scopedLive("tell of changed lists, and of one run only when asked", () =>
    Effect.gen(function* () {
      const shop = yield* makeShop()
      const { port } = yield* Studio.serve({ ...shop.options })
      const one = yield* shop.recorder.begin({ name: "one" })
      yield* shop.recorder.begin({ name: "two" })
      const messages = yield* Effect.all(
        [
          read(port, `?run=${one.id}`, (all) => all.some(({ event }) => event === "changed")),
          Effect.sleep("50 millis").pipe(
            Effect.zipRight(shop.manager.activate("c1", "none")),
            Effect.repeat({ times: 20 })
          )
        ],
        { concurrency: 2 }
      )
      expect(ids(messages[0])).toEqual([1])
      expect(messages[0].find(({ event }) => event === "changed")?.data).toEqual({ what: "toolsets" })
    })
  )

  it.scopedLive("stop being read when the client goes away", () =>
    Effect.gen(function* () {
      const shop = yield* makeShop()
      const { port, url } = yield* Studio.serve({ ...shop.options })
      expect(Redacted.value(url)).toContain(String(port))
      yield* shop.recorder.begin({ name: "one" })
      for (let index = 0; index < 20; index++) yield* read(port, "", (all) => all.length >= 2)
      yield* shop.recorder.begin({ name: "two" })
      expect((yield* shop.get("/api/runs")).json.runs).toHaveLength(2)
    })
  )
})
