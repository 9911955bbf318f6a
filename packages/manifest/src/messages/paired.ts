/**
 * A history of which the beginning may be cut off, or a message be missing,
 * with each result behind its call and each call before its result: models'
 * APIs refuse any other.
 */
import type { Conversation } from "@wield/agent"
import type { Message, ToolCall, ToolResult } from "@wield/core"

export interface Paired {
  readonly entries: ReadonlyArray<Conversation.Entry>
  /** What is left out, and why. */
  readonly omitted: ReadonlyArray<string>
}

interface Open {
  /** Where the assistant's entry stands among those that are kept. */
  readonly index: number
  calls: ReadonlyArray<ToolCall.ToolCall>
}

export const paired = (entries: ReadonlyArray<Conversation.Entry>): Paired => {
  const kept: Array<Conversation.Entry> = []
  const omitted: Array<string> = []
  let open: Open | undefined
  const close = () => {
    if (open === undefined || open.calls.length === 0) return
    const { calls, index } = open
    const entry = kept[index]
    omitted.push(...calls.map(({ name }) => `a call of ${name}, for it has no result`))
    if (entry?.message._tag !== "Assistant") return
    const parts = entry.message.parts.filter((part) => part._tag !== "Call" || !calls.includes(part.call))
    kept[index] = { ...entry, message: { _tag: "Assistant", parts, native: undefined } }
  }
  for (const entry of entries) {
    const { message } = entry
    if (message._tag === "Results") {
      const results = message.results.flatMap((result) => {
        const call = answered(open?.calls ?? [], result)
        if (open === undefined || call === undefined) {
          omitted.push(`a result of ${result.name}, for its call is not there`)
          return []
        }
        open.calls = open.calls.filter((other) => other !== call)
        return [result.id === call.id ? result : { ...result, id: call.id }]
      })
      if (results.length === 0) continue
      const isWhole = results.every((result, index) => result === message.results[index])
      const whole = isWhole && results.length === message.results.length
      kept.push(whole ? entry : { ...entry, message: { _tag: "Results", results, native: undefined } })
      continue
    }
    if (entry.summaryOf === undefined) {
      close()
      open = message._tag === "Assistant" ? { index: kept.length, calls: callsOf(message) } : undefined
    }
    kept.push(entry)
  }
  // Calls of the last message may still be answered.
  return { entries: kept.filter(({ message }) => message._tag !== "Assistant" || message.parts.length > 0), omitted }
}

const callsOf = (message: Message.Assistant): ReadonlyArray<ToolCall.ToolCall> =>
  message.parts.flatMap((part) => (part._tag === "Call" && part.executedBy === "application" ? [part.call] : []))

/** By the id; rows of other programs have none, and tell by the tool's name. */
const answered = (
  calls: ReadonlyArray<ToolCall.ToolCall>,
  result: ToolResult.ToolResult
): ToolCall.ToolCall | undefined =>
  calls.find(({ id }) => id === result.id) ?? calls.find(({ id, name }) => name === result.name && !isOwn(id))

/** An id that a model's API gave, rather than a row. */
const isOwn = (id: string): boolean => !id.startsWith("row-")
