/**
 * What came of answers that are given once more, as events: a page that lost its
 * connection asks again. Nothing runs, and the conversation stays as it is.
 */
import * as Outcome from "@wield/core/Outcome"
import * as ToolResult from "@wield/core/ToolResult"
import * as Turn from "@wield/core/Turn"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Entry } from "../Conversation.js"
import type { AgentEvent } from "../AgentEvent.js"
import * as DeferredCall from "../DeferredCall.js"
import { isAnsweredBy } from "./answers.js"
import type { State } from "./state.js"

/** Of answers that were all taken before. Anything else is ignored. */
export const tellAgain = (state: State, answers: unknown): Effect.Effect<void> => {
  const places = isAnswers(answers) ? answers.map((answer) => placeOf(state, answer)) : []
  if (places.length === 0 || places.includes(-1)) return Effect.void
  const after = state.entries.slice(Math.min(...places))
  const prompt = after.findIndex(({ message }) => message._tag === "User")
  return Effect.forEach(eventsOf(state, prompt === -1 ? after : after.slice(0, prompt)), (event) => state.emit(event), {
    discard: true
  })
}

// Read from JSON, what is `undefined` is absent.
const isAnswers = Schema.is(Schema.Array(DeferredCall.Answer), { exact: false })

/** Where the results stand that this very answer led to. */
const placeOf = (state: State, answer: DeferredCall.Answer): number =>
  state.entries.findIndex((entry) => isAnsweredBy({ conversation: state.conversation, entries: [entry] }, answer))

const eventsOf = (state: State, entries: ReadonlyArray<Entry>): ReadonlyArray<AgentEvent> => {
  let step = 0
  return entries.flatMap(({ id, message, summaryOf, turn }): ReadonlyArray<AgentEvent> => {
    if (message._tag === "Results") return message.results.flatMap((result) => resultEvents(state, result))
    if (message._tag !== "Assistant" || summaryOf !== undefined) return []
    step++
    const recorded: Turn.Turn = {
      format: message.native?.format ?? "",
      id: undefined,
      model: turn?.model,
      parts: message.parts,
      usage: turn?.usage ?? Turn.unknownUsage,
      finish: turn?.finish ?? "stop",
      nativeFinish: undefined,
      native: message.native?.json ?? [],
      isComplete: turn?.isComplete ?? true
    }
    const text = Turn.text(recorded)
    return [
      { _tag: "TurnStarted", step, entry: id, model: turn?.model ?? "" },
      ...(text === "" ? [] : [{ _tag: "TextDelta", text } as const]),
      { _tag: "TurnFinished", step, entry: id, turn: recorded, outcomes: [] }
    ]
  })
}

/** A conversation keeps what the model read: whether it was an error, and no other way to end. */
const resultEvents = (state: State, result: ToolResult.ToolResult): ReadonlyArray<AgentEvent> => {
  const call = state.entries
    .flatMap(({ message }) => (message._tag === "Assistant" ? Turn.calls(message) : []))
    .findLast(({ id }) => id === result.id)
  if (call === undefined) return []
  const value = ToolResult.toValue(result)
  // Results that are recorded are JSON.
  const outcome = (result.isError ? Outcome.failure : Outcome.success)(call, value as never)
  return [
    { _tag: "CallStarted", call },
    { _tag: "CallFinished", call, outcome }
  ]
}
