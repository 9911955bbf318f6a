import { describe, expect, it } from "@effect/vitest"
import { ContextWindow, type Conversation, type Model, Tokens } from "@wield/agent"
import { Content, Turn } from "@wield/core"
import type { Message, TurnEvent } from "@wield/core"
import { ApiError } from "@wield/providers"
import { Deferred, Effect, Either, Exit, FastCheck, Fiber, Logger, Stream, TestClock } from "effect"
import { runs } from "../../../../test/sizes.js"
import { answered, ascending, called, conversations, numbers } from "./conversations.js"

const characters = Tokens.make("characters", (text) => text.length)

const nothing = { instructions: undefined, definitions: [] }

type Answer =
  | string
  | ApiError.ApiError
  | { readonly text: string; readonly finish?: Turn.Finish; readonly isComplete?: boolean }
  | { readonly instead: Stream.Stream<never> }

/** A model that answers what it is told to, and keeps what it was asked. */
const scribe = (answer: (request: Model.ModelRequest, count: number) => Answer) => {
  const requests: Array<Model.ModelRequest> = []
  const model: Model.Model = {
    id: "scribe",
    format: "openai-chat",
    stream: (request) => {
      requests.push(request)
      const given = answer(request, requests.length)
      if (given instanceof Error) return Stream.fail(given)
      if (typeof given === "object" && "instead" in given) return given.instead
      const { text, finish = "stop", isComplete = true } = typeof given === "string" ? { text: given } : given
      const turn: Turn.Turn = {
        format: "openai-chat",
        id: undefined,
        model: "scribe-1",
        parts: [{ _tag: "Text", text }],
        usage: { ...Turn.unknownUsage, input: 70, output: 7 },
        finish,
        nativeFinish: finish,
        native: [],
        isComplete
      }
      return Stream.make<Array<TurnEvent.TurnEvent>>({ _tag: "TextDelta", text }, { _tag: "Finished", turn })
    }
  }
  return { model, requests }
}

/** What was to be summarised, as text. */
const material = (request: Model.ModelRequest | undefined): string => {
  const message = request?.messages.at(-1)
  return message?._tag === "User" ? JSON.stringify(message.content).replaceAll("\\", "") : ""
}

const user = (id: string, length = 996): Conversation.Entry => ({
  id,
  message: { _tag: "User", content: [Content.text(id.padEnd(length, "."))], native: undefined },
  at: 0
})

const assistant = (id: string, length = 996): Conversation.Entry => ({
  id,
  message: { _tag: "Assistant", parts: [{ _tag: "Text", text: id.padEnd(length, ".") }], native: undefined },
  at: 0
})

const shownIds = (messages: ReadonlyArray<Message.Message>): string =>
  (JSON.stringify(messages).match(/"[a-z][0-9a-z]\.+"|SUMMARY \d+/g) ?? [])
    .map((text) => text.replaceAll(/[".]/g, ""))
    .join(" ")

const exchanges = (from: number, to: number): ReadonlyArray<Conversation.Entry> =>
  Array.from({ length: to - from + 1 }, (_, index) => {
    const place = (from + index).toString(36)
    return [user(`u${place}`), assistant(`a${place}`)]
  }).flat()

const windowWith = (model: Model.Model, budget = 16_030, instructions?: string) =>
  ContextWindow.make({
    budget,
    reserve: 0,
    count: characters,
    overflow: ContextWindow.summarise(model, { instructions })
  })

const numbered = (_: Model.ModelRequest, count: number): string => `SUMMARY ${count}`

describe("ContextWindow.make that summarises", () => {
  it.effect("a summary stands as a user's message in place of what is left out", () =>
    Effect.gen(function* () {
      const { model, requests } = scribe(numbered)
      const entries = exchanges(1, 9)
      const view = yield* windowWith(model).view(entries, nothing)
      expect(shownIds(view.messages)).toBe("SUMMARY 1 u6 a6 u7 a7 u8 a8 u9 a9")
      expect(view.messages[0]?._tag).toBe("User")
      expect(view.dropped).toBe(10)
      expect(view.summary).toMatchObject({
        summaryOf: "a5",
        turn: { model: "scribe-1", usage: { input: 70, output: 7 }, finish: "stop", isComplete: true }
      })
      expect(requests.length).toBe(1)
      expect(requests[0]?.definitions).toStrictEqual([])
      expect(material(requests[0])).toContain("u1.")
      expect(material(requests[0])).toContain("a5.")
      expect(material(requests[0])).not.toContain("u6.")
    })
  )

  it.effect("a summary that the conversation has is used and not made again", () =>
    Effect.gen(function* () {
      const { model, requests } = scribe(numbered)
      const window = windowWith(model)
      const first = yield* window.view(exchanges(1, 9), nothing)
      const entries = [...exchanges(1, 9), first.summary!, ...exchanges(10, 10)]
      const second = yield* window.view(entries, nothing)
      expect(shownIds(second.messages)).toBe("SUMMARY 1 u6 a6 u7 a7 u8 a8 u9 a9 ua aa")
      expect(second.summary).toBeUndefined()
      expect(requests.length).toBe(1)
      expect(JSON.stringify(second.messages.slice(0, first.messages.length))).toBe(JSON.stringify(first.messages))
      // In another process, read back from JSON.
      const restarted = windowWith(scribe(() => "never asked").model)
      const read = yield* restarted.view(JSON.parse(JSON.stringify(entries)), nothing)
      expect(JSON.stringify(read.messages)).toBe(JSON.stringify(second.messages))
    })
  )

  it.effect("a new summary builds on the one before and is given only what came since", () =>
    Effect.gen(function* () {
      const { model, requests } = scribe(numbered)
      const window = windowWith(model)
      const first = yield* window.view(exchanges(1, 9), nothing)
      const entries = [...exchanges(1, 9), first.summary!, ...exchanges(10, 15)]
      const second = yield* window.view(entries, nothing)
      expect(second.summary?.summaryOf).toBe("a9")
      expect(material(requests[1])).toContain('{"summary":"SUMMARY 1"}')
      expect(material(requests[1])).not.toContain("a5.")
      expect(material(requests[1])).toContain("u6.")
      expect(material(requests[1])).toContain("a9.")
      expect(material(requests[1])).not.toContain("ua.")
    })
  )

  it.effect("within one long exchange, the summary of its turns stands after its question", () =>
    Effect.gen(function* () {
      const { model, requests } = scribe(numbered)
      const window = windowWith(model, 11_930)
      const turns = (from: number, to: number) =>
        Array.from({ length: to - from + 1 }, (_, index) => assistant(`t${from + index}`))
      const entries = [user("u1"), assistant("a1"), user("u2"), ...turns(1, 9)]
      const first = yield* window.view([...entries, ...turns(0, 0)], nothing)
      expect(shownIds(first.messages)).toBe("u2 SUMMARY 1 t6 t7 t8 t9 t0")
      expect(material(requests[0])).toContain("u1.")
      expect(material(requests[0])).not.toContain("u2.")
      // When the question is left out in its turn, the next summary is told of it.
      const more = [...entries, ...turns(0, 0), first.summary!, ...exchanges(3, 7)]
      const second = yield* window.view(more, nothing)
      expect(shownIds(second.messages)).toBe("SUMMARY 2 u3 a3 u4 a4 u5 a5 u6 a6 u7 a7")
      expect(material(requests[1])).toContain("u2.")
      expect(material(requests[1])).not.toContain("t5.")
      expect(material(requests[1])).toContain("t6.")
    })
  )

  const failing: ReadonlyArray<readonly [string, Answer]> = [
    ["fails", new ApiError.RateLimited({ format: "openai-chat", detail: "slow down: a secret" })],
    ["says nothing", " "],
    ["breaks off", { text: "SUMMARY 9", isComplete: false }],
    ["is cut off by a limit", { text: "SUMMARY 9", finish: "length" }],
    ["is cut off by a filter", { text: "SUMMARY 9", finish: "filter" }],
    ["ends in an error", { text: "SUMMARY 9", finish: "error" }],
    ["only pauses", { text: "SUMMARY 9", finish: "paused" }],
    ["calls a tool", { text: "SUMMARY 9", finish: "calls" }],
    ["dies", { instead: Stream.die(new Error("a secret")) }],
    ["interrupts itself", { instead: Stream.fromEffect(Effect.interrupt) }],
    ["hangs", { instead: Stream.never }],
    ["hangs and cannot be interrupted", { instead: Stream.fromEffect(Effect.uninterruptible(Effect.never)) }]
  ]
  for (const [what, answer] of failing) {
    it.effect(`a model that ${what} leaves a shorter conversation and a line in the log`, () =>
      Effect.gen(function* () {
        const lines: Array<string> = []
        const logger = Logger.make(({ logLevel, message }) => lines.push(`${logLevel.label} ${String(message)}`))
        const fiber = yield* windowWith(scribe(() => answer).model)
          .view(exchanges(1, 9), nothing)
          .pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)), Effect.fork)
        if (what.startsWith("hangs")) yield* TestClock.adjust("61 seconds")
        const view = yield* Fiber.join(fiber)
        expect(shownIds(view.messages)).toBe("u6 a6 u7 a7 u8 a8 u9 a9")
        expect(view.summary).toBeUndefined()
        expect(lines).toHaveLength(1)
        expect(lines[0]).toMatch(/^WARN The model scribe gave no summary .* 10 entries/)
        expect(lines[0]).not.toContain("secret")
      })
    )
  }

  it.effect("a summary that was cut off does not take the place of the one before", () =>
    Effect.gen(function* () {
      const { model, requests } = scribe((_, count) =>
        count === 2 ? { text: "SUMMARY 2 and th", finish: "length" } : `SUMMARY ${count}`
      )
      const window = windowWith(model)
      const first = yield* window.view(exchanges(1, 9), nothing)
      const entries = [...exchanges(1, 9), first.summary!, ...exchanges(10, 15)]
      const second = yield* window.view(entries, nothing)
      expect(second.summary).toBeUndefined()
      expect(JSON.stringify(second.messages)).not.toContain("and th")
      // The next one is made of the whole one again.
      const third = yield* window.view([...entries, ...exchanges(16, 16)], nothing)
      expect(material(requests[2])).toContain('{"summary":"SUMMARY 1"}')
      expect(shownIds(third.messages)).toMatch(/^SUMMARY 3 ua/)
    })
  )

  it.effect("an interruption of the step is not taken for a failure of the summary", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const asked = Stream.fromEffect(Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never))
      const window = windowWith(scribe(() => ({ instead: asked })).model)
      const fiber = yield* Effect.fork(window.view(exchanges(1, 9), nothing))
      yield* Deferred.await(begun)
      expect(Exit.isInterrupted(yield* Fiber.interrupt(fiber))).toBe(true)
    })
  )

  it.effect("a summary that is too long is shortened by the model", () =>
    Effect.gen(function* () {
      const { model, requests } = scribe((_, count) => (count === 1 ? "word ".repeat(1000) : "SUMMARY in short"))
      const view = yield* windowWith(model).view(exchanges(1, 9), nothing)
      expect(JSON.stringify(view.messages[0])).toContain("SUMMARY in short")
      expect(requests).toHaveLength(2)
      expect(material(requests[1])).toContain('"summary":"word word')
      expect(view.summary?.turn?.usage).toMatchObject({ input: 140, output: 14 })
    })
  )

  for (const [what, answer] of [
    ["loses its end, at a word and with a mark", "word ".repeat(1000)],
    ["loses its end, at a sentence", "A sentence of words. ".repeat(1000)],
    ["without words loses its end anywhere but within a character", "😀".repeat(1000)]
  ] as const) {
    it.effect(`a summary that stays too long ${what}`, () =>
      Effect.gen(function* () {
        const { model } = scribe(() => answer)
        const view = yield* windowWith(model, 4000).view(exchanges(1, 30), nothing)
        const counts = yield* characters.counts
        expect(counts.message(view.messages[0]!)).toBeLessThanOrEqual(500)
        expect(counts.message(view.messages[0]!)).toBeGreaterThan(400)
        const text = JSON.stringify(view.messages[0])
        expect(text).toMatch(/(word|words\.|😀) \[…\]"/)
        expect(text).not.toContain("\\ud83d")
      })
    )
  }

  it.effect("a summary never takes more than its budget, where that is too small for one either", () =>
    Effect.gen(function* () {
      const { model, requests } = scribe(() => "SUMMARY 1 of many words")
      const counts = yield* characters.counts
      for (const budget of [400, 1000, 1200, 1400, 2000]) {
        const entries = exchanges(1, 9).map((_, index) =>
          index % 2 === 0 ? user(`u${index}`, 46) : assistant(`a${index}`, 46)
        )
        const { messages, summary } = yield* windowWith(model, budget).view(
          [...entries, ...entries, ...entries],
          nothing
        )
        if (summary !== undefined) expect(counts.message(summary.message)).toBeLessThanOrEqual(budget / 8)
        expect(messages.reduce((sum, message) => sum + counts.message(message), 3)).toBeLessThanOrEqual(budget)
      }
      expect(requests.length).toBeGreaterThan(0)
    })
  )

  it.effect("the model is told what matters to the application, and not to follow what it summarises", () =>
    Effect.gen(function* () {
      const { model, requests } = scribe(numbered)
      yield* windowWith(model, 16_030, "Keep every order number.").view(exchanges(1, 9), nothing)
      const system = requests[0]?.messages[0]
      expect(system?._tag === "System" && system.text).toMatch(/follow no instruction.*Keep every order number\./s)
    })
  )

  it.effect("what is too much for one request is summarised piece by piece, and a very long result is shortened", () =>
    Effect.gen(function* () {
      const { model, requests } = scribe(numbered)
      const counts = yield* characters.counts
      const long = exchanges(1, 35).map((entry, index) => (index === 1 ? assistant("a1", 50_000) : entry))
      const view = yield* windowWith(model).view(long, nothing)
      expect(requests.length).toBeGreaterThan(3)
      expect(view.summary?.turn?.usage.input).toBe(70 * requests.length)
      expect(shownIds(view.messages)).toContain(`SUMMARY ${requests.length} `)
      for (const request of requests) {
        expect(request.messages.reduce((sum, message) => sum + counts.message(message), 0)).toBeLessThan(16_030)
      }
      expect(material(requests[0])).toContain("46000 characters left out")
      expect(material(requests[2])).toContain('{"summary":"SUMMARY 2"}')
    })
  )

  it.effect("a summary of entries that are not there any more is not shown", () =>
    Effect.gen(function* () {
      const { model, requests } = scribe(numbered)
      const window = windowWith(model)
      const first = yield* window.view(exchanges(1, 9), nothing)
      const view = yield* window.view([first.summary!, ...exchanges(7, 9)], nothing)
      expect(shownIds(view.messages)).toBe("u7 a7 u8 a8 u9 a9")
      expect(requests.length).toBe(1)
    })
  )

  it.effect.prop(
    "whatever the conversation: nothing is lost, the budget is kept, and the model is asked only when the beginning changes",
    [conversations, FastCheck.integer({ min: 1600, max: 4000 })],
    ([{ asked, entries }, budget]) =>
      Effect.gen(function* () {
        const { model, requests } = scribe(numbered)
        const window = windowWith(model, budget)
        const counts = yield* characters.counts
        const conversation: Array<Conversation.Entry> = []
        let before: ContextWindow.View | undefined
        let taken = 0
        for (const length of asked) {
          conversation.push(...entries.slice(taken, length))
          taken = length
          const views = requests.length
          const result = yield* Effect.either(window.view(conversation, nothing))
          if (Either.isLeft(result)) return
          const view = result.right
          if (view.summary !== undefined) conversation.push(view.summary)
          expect(requests.length > views).toBe(view.summary !== undefined)
          if (before !== undefined && view.summary === undefined) {
            const again = view.messages.slice(0, before.messages.length)
            expect(JSON.stringify(again)).toBe(JSON.stringify(before.messages))
          }
          expect(view.messages.reduce((sum, message) => sum + counts.message(message), 3)).toBeLessThanOrEqual(budget)
          expect(ascending(answered(view.messages))).toStrictEqual(ascending(called(view.messages)))
          // Every number is shown, or was given to the model that summarised.
          const said = new Set([
            ...numbers(view.messages),
            ...requests.flatMap((request) => numbers(material(request)))
          ])
          const all = numbers(entries.slice(0, length))
          expect(all.filter((number) => !said.has(number))).toStrictEqual([])
          before = view
        }
      }),
    { fastCheck: { numRuns: runs(100) } }
  )
})
