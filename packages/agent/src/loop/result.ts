/** How a run ended, as its caller gets it, and what the conversation says of its last turn. */
import * as Turn from "@wield/core/Turn"
import type { AgentResult, Ended, Finished } from "../AgentResult.js"
import type { Entry } from "../Conversation.js"
import type { DeferredCall } from "../DeferredCall.js"
import type { State } from "./state.js"

/** The result with its types erased. */
export type Result = AgentResult<unknown, unknown>

export const finishedResult = (state: State, output: unknown): Finished<unknown, unknown> => ({
  _tag: "Finished",
  output,
  ...endOf(state)
})

export const pausedResult = (state: State, requests: ReadonlyArray<DeferredCall>): Result => ({
  _tag: "Paused",
  requests,
  ...endOf(state)
})

export const stoppedResult = (state: State, by: string): Result => ({ _tag: "Stopped", by, ...endOf(state) })

export const handedOverResult = (state: State): Result => stoppedResult(state, "handOver")

const endOf = (state: State): Ended<unknown> => ({
  conversation: state.conversation,
  entries: state.entries,
  text: lastTurnOf(state.entries)?.text ?? "",
  steps: state.steps,
  usage: state.usage,
  usageByModel: state.usageByModel
})

/** The last turn of a conversation: what the model said and called, and the results that follow it. */
export const lastTurnOf = (entries: ReadonlyArray<Entry>) => {
  const at = entries.findLastIndex(({ message, summaryOf }) => message._tag === "Assistant" && summaryOf === undefined)
  const entry = entries[at]
  if (entry?.message._tag !== "Assistant") return undefined
  const following = entries.slice(at + 1).filter(({ summaryOf }) => summaryOf === undefined)
  return {
    entry,
    text: Turn.text(entry.message),
    calls: Turn.calls(entry.message),
    results: following.flatMap(({ message }) => (message._tag === "Results" ? message.results : [])),
    /** Nothing but its results comes after it. */
    isLast: following.every(({ message }) => message._tag === "Results")
  }
}
