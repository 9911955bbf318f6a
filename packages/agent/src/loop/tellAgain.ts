/**
 * What came of answers that are given once more, as events: a page that lost its
 * connection asks again. Nothing runs, and the conversation stays as it is.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as AgentEvent from "../AgentEvent.js"
import * as DeferredCall from "../DeferredCall.js"
import { isAnsweredBy } from "./answers.js"
import type { State } from "./state.js"

/** Of answers that were all taken before. Anything else is ignored. */
export const tellAgain = (state: State, answers: unknown): Effect.Effect<void> => {
  const places = isAnswers(answers) ? answers.map((answer) => placeOf(state, answer)) : []
  if (places.length === 0 || places.includes(-1)) return Effect.void
  const from = Math.min(...places)
  const prompt = state.entries.findIndex(({ message }, place) => place >= from && message._tag === "User")
  const events = AgentEvent.fromEntries(prompt === -1 ? state.entries : state.entries.slice(0, prompt), from)
  return Effect.forEach(events, (event) => state.emit(event), { discard: true })
}

// Read from JSON, what is `undefined` is absent.
const isAnswers = Schema.is(Schema.Array(DeferredCall.Answer), { exact: false })

/** Where the results stand that this very answer led to. */
const placeOf = (state: State, answer: DeferredCall.Answer): number =>
  state.entries.findIndex((entry) => isAnsweredBy({ conversation: state.conversation, entries: [entry] }, answer))
