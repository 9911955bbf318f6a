/** The entries of a conversation as the messages that a model is sent. */
import type { Message, ToolCall, ToolResult } from "@wield/core"
import * as Turn from "@wield/core/Turn"
import type { Entry } from "../Conversation.js"

/** Leaves summaries out and puts the results of one turn together. */
export const messagesOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<Message.Message> => {
  const messages: Array<Message.Message> = []
  let calls: ReadonlyArray<ToolCall.ToolCall> = []
  const places = new Map<ToolResult.ToolResult, number>()
  for (const entry of entries) {
    const { message, summaryOf } = entry
    if (summaryOf !== undefined) continue
    for (const [result, place] of placesIn(entry)) places.set(result, place)
    if (message._tag === "Results" && message.results.length === 0) continue
    const before = messages.at(-1)
    if (message._tag === "Results" && before?._tag === "Results") {
      messages[messages.length - 1] = together(calls, [...before.results, ...message.results], places)
      continue
    }
    if (message._tag === "Assistant") calls = Turn.calls(message)
    messages.push(entry.turn?.isStopped === true && message._tag === "Assistant" ? stopped(message) : message)
  }
  return messages
}

/** So that the model does not take half of its answer for the whole. */
const stopped = (message: Message.Assistant): Message.Assistant => ({
  ...message,
  parts: [...message.parts, { _tag: "Text", text: "\n\n[The user stopped this answer here.]" }]
})

/** The provider's own messages say each their part; no one of them says the whole. */
const together = (
  calls: ReadonlyArray<ToolCall.ToolCall>,
  results: ReadonlyArray<ToolResult.ToolResult>,
  places: ReadonlyMap<ToolResult.ToolResult, number>
): Message.Results => {
  const { answers, others } = pairing(calls, results, places)
  return {
    _tag: "Results",
    results: [...answers.filter((answer) => answer !== undefined), ...others],
    native: undefined
  }
}

/** Which call of its turn each result of an entry answers, where the ids do not tell. */
const placesIn = ({ answers, message }: Entry): ReadonlyArray<readonly [ToolResult.ToolResult, number]> =>
  message._tag !== "Results" || answers === undefined
    ? []
    : message.results.flatMap((result, index) => {
        const place = answers[index]
        return place === undefined ? [] : [[result, place] as const]
      })

/** The last turn's calls, each with its result, if it has one yet. */
export const answersOf = (entries: ReadonlyArray<Entry>) => {
  const places = new Map<ToolResult.ToolResult, number>()
  const last = entries.findLastIndex(
    ({ message, summaryOf }) => summaryOf === undefined && message._tag === "Assistant"
  )
  const turn = entries[last]
  if (turn?.message._tag !== "Assistant") return undefined
  const results = entries.slice(last + 1).flatMap((entry) => {
    if (entry.summaryOf !== undefined || entry.message._tag !== "Results") return []
    for (const [result, place] of placesIn(entry)) places.set(result, place)
    return entry.message.results
  })
  const calls = Turn.calls(turn.message)
  return { entry: turn.id, calls, answers: pairing(calls, results, places).answers }
}

/** The entries as another conversation has them: whether a call without a result has been begun is known in this one only. */
export const copyOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<Entry> => {
  const open = openCallsOf(entries)?.entry
  return open === undefined ? entries : entries.map((entry) => (entry.id === open ? { ...entry, isCopy: true } : entry))
}

/** The last assistant's entry, and which of its calls have no result yet. */
export const openCallsOf = (
  entries: ReadonlyArray<Entry>
): { readonly entry: string; readonly calls: ReadonlyArray<ToolCall.ToolCall> } | undefined => {
  const answered = answersOf(entries)
  const calls = answered?.calls.filter((_, place) => answered.answers[place] === undefined) ?? []
  return answered === undefined || calls.length === 0 ? undefined : { entry: answered.entry, calls }
}

/**
 * Pairs by place where it is known, and by id; among calls of the same id by
 * name and order: some servers use an id again within one turn. `answers` are in
 * the order of the calls, `undefined` for one that is still open; `others` answer
 * no call.
 */
const pairing = (
  calls: ReadonlyArray<ToolCall.ToolCall>,
  results: ReadonlyArray<ToolResult.ToolResult>,
  places: ReadonlyMap<ToolResult.ToolResult, number>
) => {
  const answers: Array<ToolResult.ToolResult | undefined> = calls.map(() => undefined)
  const open = results.filter((result) => {
    const place = places.get(result)
    if (place === undefined || calls[place]?.id !== result.id || answers[place] !== undefined) return true
    answers[place] = result
    return false
  })
  const take = (fits: (call: ToolCall.ToolCall, result: ToolResult.ToolResult) => boolean): void => {
    calls.forEach((call, index) => {
      if (answers[index] !== undefined) return
      const found = open.findIndex((result) => fits(call, result))
      if (found >= 0) answers[index] = open.splice(found, 1)[0]
    })
  }
  take((call, result) => call.id === result.id && call.name === result.name)
  take((call, result) => call.id === result.id)
  return { answers, others: open }
}
