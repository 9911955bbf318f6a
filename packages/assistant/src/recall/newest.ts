/** The newest of a conversation: what was said, and what tools have shown. */
import { Conversation } from "@wield/agent"
import type { Message, ToolResult } from "@wield/core"
import { linesOf } from "./lines.js"

/** The latest messages. What the user has said last stands last: before its next call a model says little. */
export const saidIn = (entries: ReadonlyArray<Conversation.Entry>, count: number): ReadonlyArray<string> => {
  const lines = linesOf(Conversation.messages(entries)).slice(-count)
  const latest = lines.findLast(({ role }) => role === "user")
  return [...lines.filter((line) => line !== latest), ...(latest === undefined ? [] : [latest])].map(({ text }) => text)
}

/** The results that stand in the newest so many tokens. What a summary stands for may be told by it or not. */
export const resultsIn = (
  entries: ReadonlyArray<Conversation.Entry>,
  count: (message: Message.Message) => number,
  tokens: number
): ReadonlyArray<ToolResult.ToolResult> => {
  const last = entries.findLast(({ summaryOf }) => summaryOf !== undefined)?.summaryOf
  const unsummed = entries.slice(entries.findIndex(({ id }) => id === last) + 1)
  const newest = Conversation.messages(unsummed).toReversed()
  let left = tokens
  const end = newest.findIndex((message) => (left -= count(message)) < 0)
  return newest
    .slice(0, end === -1 ? newest.length : end)
    .flatMap((message) => (message._tag === "Results" ? message.results : []))
}
