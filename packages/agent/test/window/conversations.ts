/**
 * Arbitrary conversations. Everything that is said, called or returned has a
 * number of its own, by which it is found again in what a model is shown.
 */
import type { Conversation } from "@wield/agent"
import { Content, ToolCall } from "@wield/core"
import type { Message, ToolResult } from "@wield/core"
import { FastCheck } from "effect"

type Entry = Conversation.Entry

interface Turn {
  readonly calls: ReadonlyArray<{ readonly length: number; readonly isAlone: boolean; readonly isLate: boolean }>
  readonly length: number
  /** Its calls have the ids of every other turn's calls. */
  readonly repeatsIds: boolean
}

interface Exchange {
  readonly length: number
  readonly note: boolean
  readonly turns: ReadonlyArray<Turn>
}

const length = FastCheck.integer({ min: 1, max: 60 })

const turn: FastCheck.Arbitrary<Turn> = FastCheck.record({
  calls: FastCheck.array(
    FastCheck.record({
      length,
      isAlone: FastCheck.boolean(),
      // Answered after the user has spoken again.
      isLate: FastCheck.integer({ min: 0, max: 9 }).map((value) => value === 0)
    }),
    { maxLength: 3 }
  ),
  length,
  repeatsIds: FastCheck.boolean()
})

const exchange: FastCheck.Arbitrary<Exchange> = FastCheck.record({
  length,
  note: FastCheck.integer({ min: 0, max: 5 }).map((value) => value === 0),
  turns: FastCheck.array(turn, { maxLength: 6 })
})

/** The entries, and after how many of them a model is asked: every call has its result there. */
export interface Grown {
  readonly entries: ReadonlyArray<Entry>
  readonly asked: ReadonlyArray<number>
}

export const conversations: FastCheck.Arbitrary<Grown> = FastCheck.tuple(
  FastCheck.integer({ min: 0, max: 2 }),
  FastCheck.boolean(),
  FastCheck.array(exchange, { minLength: 1, maxLength: 12 })
).map(([systems, beginsWithUser, exchanges]) => grown(systems, beginsWithUser, exchanges))

export const grown = (systems: number, beginsWithUser: boolean, exchanges: ReadonlyArray<Exchange>): Grown => {
  const entries: Array<Entry> = []
  const asked: Array<number> = []
  let number = 0
  let late: Array<ToolResult.ToolResult> = []
  const next = (length: number): string => `#${++number}#${"x".repeat(length)}`
  const push = (message: Message.Message): void => {
    entries.push({ id: `entry_${entries.length}`, message, at: entries.length })
  }
  const results = (all: ReadonlyArray<ToolResult.ToolResult>): void => {
    if (all.length > 0) push({ _tag: "Results", results: all, native: undefined })
  }
  const ask = (): void => {
    if (late.length === 0) asked.push(entries.length)
  }
  for (let index = 0; index < systems; index++) push({ _tag: "System", text: next(5), native: undefined })
  exchanges.forEach((each, place) => {
    if (beginsWithUser || place > 0) {
      push({ _tag: "User", content: [Content.text(next(each.length))], native: undefined })
    }
    if (each.note) push({ _tag: "System", text: next(5), native: undefined })
    results(late)
    late = []
    ask()
    for (const { calls, length: said, repeatsIds } of each.turns) {
      const words = next(said)
      const made = calls.map((call, index) => {
        const text = next(call.length)
        const id = repeatsIds ? `call_${index}` : `call_${text.replaceAll("#", "_")}`
        return { ...call, id, call: ToolCall.make(id, "tool", { text }), text }
      })
      push({
        _tag: "Assistant",
        parts: [
          { _tag: "Text", text: words },
          ...made.map(({ call, id }) => ({
            _tag: "Call" as const,
            call,
            executedBy: "application" as const,
            nativeName: "tool",
            nativeId: id
          }))
        ],
        native: undefined
      })
      const answers = made.map(({ id, isAlone, isLate, text }) => ({
        isAlone,
        // Ids that come again cannot be told apart once turns lie between.
        isLate: isLate && !repeatsIds,
        // The number of its call, so that each is known to be the other's.
        result: { id, name: "tool", isError: false, content: [Content.text(text.replaceAll("#", "="))] }
      }))
      results(answers.filter((answer) => !answer.isAlone && !answer.isLate).map(({ result }) => result))
      for (const answer of answers) if (answer.isAlone && !answer.isLate) results([answer.result])
      late.push(...answers.filter((answer) => answer.isLate).map(({ result }) => result))
      ask()
    }
  })
  results(late)
  late = []
  ask()
  return { entries, asked: [...new Set(asked)] }
}

/** The numbers of what is said and called, in order. */
export const numbers = (value: unknown): ReadonlyArray<number> =>
  [...JSON.stringify(value).matchAll(/#(\d+)#/g)].map((match) => Number(match[1]))

/** The numbers of the calls whose results are there, in order. */
export const answered = (value: unknown): ReadonlyArray<number> =>
  [...JSON.stringify(value).matchAll(/=(\d+)=/g)].map((match) => Number(match[1]))

/** The numbers of the calls, in order. */
export const called = (messages: ReadonlyArray<Message.Message>): ReadonlyArray<number> =>
  numbers(
    messages.flatMap((message) =>
      message._tag === "Assistant" ? message.parts.filter((part) => part._tag === "Call").map(({ call }) => call) : []
    )
  )

export const ascending = (values: ReadonlyArray<number>): ReadonlyArray<number> =>
  values.toSorted((left, right) => left - right)
