/**
 * The entries of a conversation as the messages that a model is sent.
 */
import type { Message, ToolCall, ToolResult } from "@wield/core"
import type { Entry } from "../Conversation.js"
import { pairing } from "./pairing.js"

/** The calls of an assistant's message that the application has to run. */
export const callsOf = (message: Message.Assistant): ReadonlyArray<ToolCall.ToolCall> =>
  message.parts.flatMap((part) => (part._tag === "Call" && part.executedBy === "application" ? [part.call] : []))

/** Leaves summaries out and puts the results of one turn together. */
export const messagesOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<Message.Message> => {
  const messages: Array<Message.Message> = []
  let calls: ReadonlyArray<ToolCall.ToolCall> = []
  for (const { message, summaryOf } of entries) {
    if (summaryOf !== undefined) continue
    const before = messages.at(-1)
    if (message._tag === "Results" && before?._tag === "Results") {
      messages[messages.length - 1] = together(calls, [...before.results, ...message.results])
      continue
    }
    if (message._tag === "Assistant") calls = callsOf(message)
    messages.push(message)
  }
  return messages
}

/** The provider's own messages say each their part; no one of them says the whole. */
const together = (
  calls: ReadonlyArray<ToolCall.ToolCall>,
  results: ReadonlyArray<ToolResult.ToolResult>
): Message.Results => {
  const { answers, others } = pairing(calls, results)
  return {
    _tag: "Results",
    results: [...answers.filter((answer) => answer !== undefined), ...others],
    native: undefined
  }
}

/** The last assistant's entry, and which of its calls have no result yet. */
export const unansweredOf = (
  entries: ReadonlyArray<Entry>
): { readonly entry: string; readonly calls: ReadonlyArray<ToolCall.ToolCall> } | undefined => {
  const results: Array<ToolResult.ToolResult> = []
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index]
    if (entry === undefined || entry.summaryOf !== undefined) continue
    if (entry.message._tag === "Results") results.unshift(...entry.message.results)
    if (entry.message._tag !== "Assistant") continue
    const all = callsOf(entry.message)
    const { answers } = pairing(all, results)
    const calls = all.filter((_, place) => answers[place] === undefined)
    return calls.length === 0 ? undefined : { entry: entry.id, calls }
  }
  return undefined
}
