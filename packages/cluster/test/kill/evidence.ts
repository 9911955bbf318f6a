/** What is left of processes that were killed, and what of it is wrong. */
import { ConversationStore } from "@wield/agent"
import { ToolResult } from "@wield/core"
import { Effect } from "effect"
import type { Row } from "../../../../test/kill/Effects.js"
import { planOf } from "../shop.js"

/** A conversation with one prompt, whose calls are named by it. */
export interface Order {
  readonly conversation: string
  readonly id: string
  readonly prompt: string
}

export interface Verdict {
  /** Each thing that does not hold. */
  readonly violations: ReadonlyArray<string>
  /** Effects that a result claims and that did not happen; that happened twice; and that are named uncertain. */
  readonly lost: number
  readonly doubled: number
  readonly uncertain: number
  /** Results that speak of an interruption. */
  readonly interrupted: number
}

/**
 * What the conversations say, beside what the tools did. Where the database itself fails, a call may be refused because it
 * could not be recorded: the model reads so, and nothing happened.
 */
export const verdictOf = (
  orders: ReadonlyArray<Order>,
  rows: ReadonlyArray<Row>,
  { mayRefuse = false }: { readonly mayRefuse?: boolean } = {}
) =>
  Effect.gen(function* () {
    const store = yield* ConversationStore.ConversationStore
    const violations: Array<string> = []
    let lost = 0
    let doubled = 0
    let uncertain = 0
    let interrupted = 0
    const planned = new Set<string>()
    for (const { conversation, id, prompt } of orders) {
      const entries = yield* (yield* store.openOrCreate(conversation)).entries
      const claim = (holds: boolean, text: string) => {
        if (!holds) violations.push(`${conversation}: ${text}`)
      }
      claim(new Set(entries.map((entry) => entry.id)).size === entries.length, "two entries have one id")
      claim(entries.filter((entry) => entry.id === id).length === 1, "its prompt is not there once")
      const calls = entries.flatMap(({ message }) =>
        message._tag === "Assistant" ? message.parts.flatMap((part) => (part._tag === "Call" ? [part.call] : [])) : []
      )
      const results = entries.flatMap(({ message }) => (message._tag === "Results" ? message.results : []))
      const expected = planOf(prompt).flat()
      claim(calls.length === expected.length, `it has ${calls.length} calls, not ${expected.length}`)
      const last = entries.at(-1)?.message
      const answer =
        last?._tag === "Assistant" ? last.parts.map((part) => ("text" in part ? part.text : "")).join("") : ""
      claim(answer.startsWith(`Done: ${prompt}`), `it ends with ${JSON.stringify(last)}`)
      for (const { item, tool } of expected) {
        planned.add(`${tool} ${item}`)
        const own = results.filter((result) => result.id === `call ${item}`)
        const happened = rows.filter((row) => row.tool === tool && row.item === item).length
        claim(own.length === 1, `${tool} ${item} has ${own.length} results`)
        const text = own.map(ToolResult.toText).join()
        const isUncertain = text.includes("may already have taken effect")
        if (/interrupt/i.test(text)) interrupted++
        if (isUncertain) uncertain++
        if (happened > 1) doubled++
        else if (happened === 0 && tool !== "look" && own[0]?.isError === false) lost++
        claim(happened <= 1, `${tool} ${item} happened ${happened} times`)
        claim(!isUncertain || tool === "pay" || tool === "refund", `${tool} ${item} may be repeated, but is uncertain`)
        claim(
          isUncertain ||
            (own[0]?.isError === false && (tool === "look" || happened === 1)) ||
            (mayRefuse && happened === 0 && text.includes("was not run: the program could not record the call")),
          `${tool} ${item} happened ${happened} times, and the model read: ${text}`
        )
      }
    }
    for (const { item, tool } of rows) {
      if (!planned.has(`${tool} ${item}`)) violations.push(`no conversation has ${tool} ${item}`)
    }
    return { violations, lost, doubled, uncertain, interrupted } satisfies Verdict
  })
