/**
 * Calls of the conversation that have no result yet: those that wait for an
 * answer, and those that a process did not live to finish.
 */
import type { Outcome } from "@wield/core"
import * as Effect from "effect/Effect"
import { AlreadyAnswered, UnknownRequest } from "../AnswerError.js"
import * as Conversation from "../Conversation.js"
import * as DeferredCall from "../DeferredCall.js"
import type { Run } from "./plan.js"
import { checked } from "./checked.js"
import { recovered } from "./recovered.js"
import { append, resultsEntry } from "./record.js"
import type { State } from "./state.js"
import { raised } from "./turn.js"
import { askAbout, resume } from "./waiting.js"

/**
 * Settles what can be settled, and gives the requests for what waits still. An
 * answer that is wrong changes nothing, nor do those that came with it.
 */
export const settleOpen = (
  state: State,
  answers: ReadonlyArray<DeferredCall.Answer>
): Effect.Effect<ReadonlyArray<DeferredCall.DeferredCall>, unknown> =>
  Effect.gen(function* () {
    const open = Conversation.unanswered(state.entries)
    const byCall = new Map<string, DeferredCall.Answer>()
    for (const answer of answers) {
      yield* verified(state, answer.request)
      const isOpen =
        answer.request.conversation === state.conversation.id &&
        open?.entry === answer.request.entry &&
        open.calls.some((call) => call.id === answer.request.call.id)
      if (!isOpen) return yield* notOpen(state, answer.request)
      if (byCall.has(answer.request.call.id)) return yield* new AlreadyAnswered(idsOf(answer.request))
      byCall.set(answer.request.call.id, answer)
    }
    if (open === undefined) return []
    const run = state.run.forRun({ turn: open.entry })
    for (const call of open.calls) {
      const answer = byCall.get(call.id)
      if (answer !== undefined) yield* checked(run, call, answer)
    }
    return yield* settle(state, open, run, byCall)
  })

const settle = (
  state: State,
  open: NonNullable<ReturnType<typeof Conversation.unanswered>>,
  run: Run,
  byCall: ReadonlyMap<string, DeferredCall.Answer>
): Effect.Effect<ReadonlyArray<DeferredCall.DeferredCall>, unknown> =>
  Effect.gen(function* () {
    const outcomes: Array<Outcome.Outcome> = []
    for (const call of open.calls) {
      const answer = byCall.get(call.id)
      const outcome =
        answer === undefined
          ? yield* recovered(state, run, call)
          : yield* resume(state, run, { call, name: call.name, digest: answer.request.digest }, answer.response)
      outcomes.push(outcome)
      // One after the other, each recorded before the next begins.
      yield* append(state, ...(yield* resultsEntry(state, open.entry, [outcome])))
    }
    const asked = yield* askAbout(state, open.entry, run, outcomes)
    const late = asked.outcomes.filter((outcome, index) => outcome !== outcomes[index])
    yield* append(state, ...(yield* resultsEntry(state, open.entry, late)))
    yield* raised(asked.outcomes)
    return asked.requests
  })

const verified = (state: State, request: DeferredCall.DeferredCall): Effect.Effect<void, unknown> =>
  state.plan.signing === undefined
    ? DeferredCall.checkExpiry(request)
    : DeferredCall.verify(state.plan.signing.secrets, request)

/** The call has its result, or never was. */
const notOpen = (state: State, request: DeferredCall.DeferredCall): Effect.Effect<never, unknown> => {
  const entry = state.entries.find(({ id }) => id === request.entry)
  const isCall =
    request.conversation === state.conversation.id &&
    entry?.message._tag === "Assistant" &&
    entry.message.parts.some((part) => part._tag === "Call" && part.call.id === request.call.id)
  return isCall ? new AlreadyAnswered(idsOf(request)) : new UnknownRequest(idsOf(request))
}

const idsOf = (request: DeferredCall.DeferredCall) => ({
  conversation: request.conversation,
  entry: request.entry,
  call: request.call.id
})
