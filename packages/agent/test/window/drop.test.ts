import { describe, expect, it } from "@effect/vitest"
import { ContextWindow, Conversation, Tokens } from "@wield/agent"
import { Content, ToolDefinition } from "@wield/core"
import type { Message } from "@wield/core"
import { Effect, Either, FastCheck } from "effect"
import { runs } from "../../../../test/sizes.js"
import { answered, ascending, called, conversations, grown, numbers } from "./conversations.js"

/** One token a character, so that budgets are exact. */
const characters = Tokens.make("characters", (text) => text.length)

const nothing = { instructions: undefined, definitions: [] }

const sizeOf = (messages: ReadonlyArray<Message.Message>) =>
  Effect.map(characters.counts, (counts) => messages.reduce((sum, message) => sum + counts.message(message), 3))

const limits = FastCheck.integer({ min: 150, max: 1500 })

const user = (id: string, length: number): Conversation.Entry => ({
  id,
  message: { _tag: "User", content: [Content.text(id.padEnd(length, "."))], native: undefined },
  at: 0
})

const assistant = (id: string, length: number): Conversation.Entry => ({
  id,
  message: { _tag: "Assistant", parts: [{ _tag: "Text", text: id.padEnd(length, ".") }], native: undefined },
  at: 0
})

const isQuestion = ({ message }: Conversation.Entry): boolean => message._tag === "User"

const shownIds = (messages: ReadonlyArray<Message.Message>): string =>
  (JSON.stringify(messages).match(/"[a-z]\d\.*"/g) ?? []).map((text) => text.slice(1, 3)).join(" ")

describe("ContextWindow.make that drops", () => {
  it.effect.prop(
    "no call is shown without its result, no result without its call, and the order is kept",
    [conversations, limits],
    ([{ entries }, budget]) =>
      Effect.gen(function* () {
        const window = ContextWindow.make({ budget, reserve: 0, count: characters })
        const view = yield* Effect.either(window.view(entries, nothing))
        if (Either.isLeft(view)) return
        const { messages } = view.right
        const calls = called(messages)
        expect(ascending(answered(messages))).toStrictEqual(ascending(calls))
        expect(numbers(messages)).toStrictEqual(ascending(numbers(messages)))
        expect(answered(messages)).toStrictEqual(
          answered(Conversation.messages(entries)).filter((number) => calls.includes(number))
        )
      }),
    { fastCheck: { numRuns: runs(150) } }
  )

  it.effect.prop(
    "the budget is kept, or the view fails because what is always shown is too much for it",
    [conversations, limits],
    ([{ entries }, budget]) =>
      Effect.gen(function* () {
        const window = ContextWindow.make({ budget, reserve: 0, count: characters })
        const view = yield* Effect.either(window.view(entries, nothing))
        if (Either.isRight(view)) {
          expect(yield* sizeOf(view.right.messages)).toBeLessThanOrEqual(budget)
          return
        }
        expect(view.left._tag).toBe("ContextOverflow")
        // The smallest window that is possible, and it is too small.
        const smallest = yield* ContextWindow.make({ budget: 1e9, keep: 0, reserve: 0, count: characters }).view(
          entries,
          nothing
        )
        expect(yield* sizeOf(smallest.messages)).toBeGreaterThan(budget)
      }),
    { fastCheck: { numRuns: runs(150) } }
  )

  it.effect.prop(
    "the first system messages, the newest user's message and the newest turn are shown",
    [conversations, limits],
    ([{ entries }, budget]) =>
      Effect.gen(function* () {
        const window = ContextWindow.make({ budget, reserve: 0, count: characters })
        const view = yield* Effect.either(window.view(entries, nothing))
        if (Either.isLeft(view)) return
        const shown = numbers(view.right.messages)
        const first = entries.findIndex(({ message }) => message._tag !== "System")
        const always = [
          ...entries.slice(0, Math.max(0, first)),
          ...entries.filter(({ message }) => message._tag === "User").slice(-1),
          ...entries.filter(({ message }) => message._tag === "Assistant").slice(-1)
        ]
        // The newest turn may stand before the newest user's message; then it is owed where there is room for both.
        const newest = entries.findLast(({ message }) => message._tag === "User" || message._tag === "Assistant")
        const turn = entries.findLastIndex(({ message }) => message._tag === "Assistant")
        const withTurn = yield* sizeOf(
          [
            ...entries.slice(0, Math.max(0, first)),
            // Whatever belongs to the turn, its question included.
            ...entries.slice(
              Math.max(
                first,
                entries.findLastIndex((entry, index) => index < turn && isQuestion(entry))
              )
            )
          ].map(({ message }) => message)
        )
        const owed =
          newest?.message._tag === "User" && withTurn > budget
            ? always.filter(({ message }) => message._tag !== "Assistant")
            : always
        expect(shown).toEqual(expect.arrayContaining([...numbers(owed.map(({ message }) => message))]))
      }),
    { fastCheck: { numRuns: runs(150) } }
  )

  it.effect.prop(
    "a restart shows the same, and while entries are appended the beginning changes only when something is dropped",
    [conversations, limits],
    ([{ asked, entries }, budget]) =>
      Effect.gen(function* () {
        const window = ContextWindow.make({ budget, reserve: 0, count: characters })
        let before: ContextWindow.View | undefined
        for (const length of asked) {
          const view = yield* Effect.either(window.view(entries.slice(0, length), nothing))
          if (Either.isLeft(view)) {
            before = undefined
            continue
          }
          const restarted = ContextWindow.make({ budget, reserve: 0, count: characters })
          expect(yield* restarted.view(structuredClone(entries.slice(0, length)), nothing)).toStrictEqual(view.right)
          if (before !== undefined && before.dropped === view.right.dropped) {
            const again = view.right.messages.slice(0, before.messages.length)
            expect(JSON.stringify(again)).toBe(JSON.stringify(before.messages))
          }
          if (before !== undefined) expect(view.right.dropped).toBeGreaterThanOrEqual(before.dropped)
          before = view.right
        }
      }),
    { fastCheck: { numRuns: runs(100) } }
  )

  it.effect("the beginning changes once in as many steps as the lower mark leaves room for", () =>
    Effect.gen(function* () {
      const turn = { calls: [{ length: 40, isAlone: false, isLate: false }], length: 20, repeatsIds: true }
      const { asked, entries } = grown(
        1,
        true,
        Array.from({ length: 60 }, () => ({ length: 30, note: false, turns: [turn, turn, turn] }))
      )
      const changes = (keep: number) =>
        Effect.gen(function* () {
          const window = ContextWindow.make({ budget: 4000, reserve: 0, keep, count: characters })
          let changed = 0
          let dropped = 0
          for (const length of asked) {
            const view = yield* window.view(entries.slice(0, length), nothing)
            if (view.dropped !== dropped) changed++
            dropped = view.dropped
          }
          return changed
        })
      expect(asked.length).toBe(240)
      const total = yield* sizeOf(entries.map(({ message }) => message))
      // Each change makes room for at least 1,600 tokens, less an exchange that did not fit.
      expect(yield* changes(0.6)).toBeLessThanOrEqual(Math.ceil((total - 4000) / (1600 - 500)))
      expect(yield* changes(0.6)).toBeGreaterThan(5)
      // Without a lower mark nearly every exchange would change it.
      expect(yield* changes(1)).toBeGreaterThan(3 * (yield* changes(0.6)))
    })
  )

  it.effect("whole exchanges are left out, the oldest first, down to the lower mark", () =>
    Effect.gen(function* () {
      const entries = [1, 2, 3, 4, 5].flatMap((n) => [user(`u${n}`, 46), assistant(`a${n}`, 46)])
      const view = (budget: number) =>
        ContextWindow.make({ budget, reserve: 0, count: characters }).view(entries, nothing)
      // Five exchanges of 100 tokens, and 3.
      expect(shownIds((yield* view(503)).messages)).toBe("u1 a1 u2 a2 u3 a3 u4 a4 u5 a5")
      const less = yield* view(502)
      expect(shownIds(less.messages)).toBe("u4 a4 u5 a5")
      expect(less.dropped).toBe(6)
      expect(shownIds((yield* view(150)).messages)).toBe("u5 a5")
    })
  )

  it.effect("where one exchange is too long, its oldest turns are left out and its question is kept", () =>
    Effect.gen(function* () {
      const turns = [1, 2, 3, 4, 5, 6].map((n) => assistant(`a${n}`, 96))
      const entries = [user("u1", 96), assistant("b1", 96), user("u2", 96), ...turns]
      const view = yield* ContextWindow.make({ budget: 603, reserve: 0, count: characters }).view(entries, nothing)
      expect(shownIds(view.messages)).toBe("u2 a5 a6")
      expect(view.dropped).toBe(6)
    })
  )

  it.effect("what is too much even then is a ContextOverflow that says how much it is", () =>
    Effect.gen(function* () {
      const window = ContextWindow.make({ budget: 150, reserve: 0, count: characters })
      const error = yield* Effect.flip(window.view([user("u1", 60), assistant("a1", 96)], nothing))
      expect(error).toMatchObject({ _tag: "ContextOverflow", format: "context-window" })
      expect(error.message).toContain("167 tokens, but there is room for 150")
    })
  )

  it.effect(
    "the turn before the newest question is shown beside it, even if less would be left at the lower mark",
    () =>
      Effect.gen(function* () {
        const turns = (...ids: ReadonlyArray<string>) => ids.map((id) => assistant(id, 96))
        const shown = (budget: number, entries: ReadonlyArray<Conversation.Entry>) =>
          Effect.map(
            ContextWindow.make({ budget, reserve: 0, count: characters }).view(entries, nothing),
            ({ messages }) => shownIds(messages)
          )
        // With a budget of 403, the lower mark leaves room for two of them.
        const one = [user("u1", 96), ...turns("a1"), user("u2", 96), ...turns("a2"), user("u3", 96)]
        expect(yield* shown(403, one)).toBe("u2 a2 u3")
        // Its question is kept, as that of every exchange is whose oldest turns are left out.
        const long = [user("u1", 96), ...turns("a1", "a2", "a3", "a4"), user("u2", 96)]
        expect(yield* shown(403, long)).toBe("u1 a4 u2")
        // What is shown of a conversation does not shrink to the question when it is opened again.
        expect(yield* shown(403, [...one, ...turns("a3"), user("u4", 96)])).toBe("u3 a3 u4")
      })
  )

  it.effect("after a turn that was too long, the next question can be asked", () =>
    Effect.gen(function* () {
      const window = ContextWindow.make({ budget: 150, reserve: 0, count: characters })
      const view = yield* window.view([user("u1", 60), assistant("a1", 960), user("u2", 60)], nothing)
      expect(shownIds(view.messages)).toBe("u2")
    })
  )

  it.effect("instructions, tools and what is reserved for the answer count", () =>
    Effect.gen(function* () {
      const entries = [user("u1", 96), user("u2", 96), user("u3", 96)]
      const all = ContextWindow.make({ budget: 303, reserve: 0, keep: 1, count: characters })
      const shown = (window: ContextWindow.ContextWindow, beside: Parameters<typeof window.view>[1]) =>
        Effect.map(window.view(entries, beside), ({ messages }) => shownIds(messages))
      expect(yield* shown(all, nothing)).toBe("u1 u2 u3")
      expect(yield* shown(all, { ...nothing, instructions: "Be brief" })).toBe("u2 u3")
      const tools = ContextWindow.make({ budget: 1200, reserve: 0, keep: 1, count: characters })
      expect(yield* shown(tools, nothing)).toBe("u1 u2 u3")
      const definitions = [ToolDefinition.make({ name: "now", description: "x".repeat(150) })]
      expect(yield* shown(tools, { ...nothing, definitions })).toBe("u3")
      const reserving = ContextWindow.make({ budget: 333, keep: 1, count: characters })
      expect(yield* shown(reserving, nothing)).toBe("u2 u3")
    })
  )

  it.effect("a conversation without a user is cut between turns", () =>
    Effect.gen(function* () {
      const entries = [1, 2, 3, 4].map((n) => assistant(`a${n}`, 96))
      const view = yield* ContextWindow.make({ budget: 350, reserve: 0, count: characters }).view(entries, nothing)
      expect(shownIds(view.messages)).toBe("a3 a4")
    })
  )

  it.effect("an empty conversation is shown as it is", () =>
    Effect.gen(function* () {
      const view = yield* ContextWindow.make({ budget: 10, reserve: 0, count: characters }).view([], nothing)
      expect(view).toStrictEqual({ messages: [], dropped: 0, summary: undefined })
    })
  )

  it.effect("ten thousand entries are looked through in less than a second", () =>
    Effect.gen(function* () {
      const entries = Array.from({ length: 10_000 }, (_, n) =>
        n % 3 === 0 ? user(`u${n}`, 50) : assistant(`a${n}`, 50)
      )
      const window = ContextWindow.make({ budget: 5000, count: characters })
      yield* window.view(entries, nothing)
      yield* window.view(entries, nothing)
    })
  )
})

describe("ContextWindow.everything", () => {
  it.effect.prop("shows the whole conversation", [conversations], ([{ entries }]) =>
    Effect.gen(function* () {
      const view = yield* ContextWindow.everything.view(entries, nothing)
      expect(view).toStrictEqual({ messages: Conversation.messages(entries), dropped: 0, summary: undefined })
    })
  )
})
