/**
 * Calls that wait for a person or a client: asked about at once where the
 * program has a person to ask, otherwise handed out as requests.
 */
import type { Response, ToolDefinition } from "@wield/core"
import * as Outcome from "@wield/core/Outcome"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as DeferredCall from "../DeferredCall.js"
import { effectBy } from "./config.js"
import type { Run } from "./plan.js"
import { appendAnswers } from "./record.js"
import { recordOf, resume } from "./settle.js"
import { waitsWithin } from "./within.js"
import type { State } from "./state.js"

/** How the calls that were answered at once ended, and the requests for the others. */
export interface Asked {
  readonly outcomes: ReadonlyArray<Outcome.Outcome>
  readonly requests: ReadonlyArray<DeferredCall.DeferredCall>
}

/** Asks about those of these outcomes that wait, one after the other. */
export const askAbout = (
  state: State,
  entry: string,
  run: Run,
  outcomes: ReadonlyArray<Outcome.Outcome>
): Effect.Effect<Asked, unknown> =>
  outcomes.some(Outcome.isDeferred)
    ? askAboutEach(state, entry, run, outcomes)
    : Effect.succeed({ outcomes, requests: [] })

const askAboutEach = (
  state: State,
  entry: string,
  run: Run,
  outcomes: ReadonlyArray<Outcome.Outcome>
): Effect.Effect<Asked, unknown> =>
  Effect.gen(function* () {
    const definitions = yield* run.definitions
    const requests: Array<DeferredCall.DeferredCall> = []
    const ended: Array<Outcome.Outcome> = []
    for (const given of outcomes) {
      let outcome = given
      // What a client executes waits for it, once it is approved.
      while (Outcome.isDeferred(outcome)) {
        const waits = waitsWithin(outcome)
        if (waits !== undefined) {
          requests.push(...(yield* Effect.forEach(waits.requests, (request) => passOn(state, entry, request))))
          break
        }
        const request = yield* requestOf(state, entry, outcome, definitions)
        const response = yield* askAnswer(state, request)
        if (response === undefined) {
          requests.push(request)
          break
        }
        yield* run.check(outcome, response)
        const taken = [yield* recordOf({ request, response })]
        yield* Effect.repeat(appendAnswers(state, entry, taken), { until: (isRecorded) => isRecorded })
        outcome = yield* resume(state, entry, run, outcome, response, taken)
      }
      ended.push(outcome)
    }
    return { outcomes: ended, requests }
  })

const askAnswer = (
  state: State,
  request: DeferredCall.DeferredCall
): Effect.Effect<Response.Response | undefined, unknown> => {
  const answer = state.plan.answer ?? state.inherited.answer
  return answer === undefined ? Effect.succeed(undefined) : effectBy("answer", answer(request))
}

/** A request as one of this run. That of a sub-agent goes on in the sub-agent once it is answered. */
const passOn = (
  state: State,
  entry: string,
  request: DeferredCall.DeferredCall
): Effect.Effect<DeferredCall.DeferredCall> => signed(state, { ...request, conversation: state.conversation.id, entry })

const requestOf = (
  state: State,
  entry: string,
  deferred: Outcome.Deferred,
  definitions: ReadonlyArray<ToolDefinition.ToolDefinition>
): Effect.Effect<DeferredCall.DeferredCall> =>
  passOn(
    state,
    entry,
    DeferredCall.fromOutcome(deferred, definitions.find((definition) => definition.name === deferred.name)?.description)
  )

const signed = (state: State, request: DeferredCall.DeferredCall): Effect.Effect<DeferredCall.DeferredCall> => {
  const { signing } = state.plan
  if (signing === undefined) return Effect.succeed({ ...request, signature: undefined })
  const { secrets, timeToLive } = signing
  return timeToLive === undefined
    ? DeferredCall.sign(secrets, request)
    : Effect.flatMap(Clock.currentTimeMillis, (now) =>
        DeferredCall.sign(secrets, { ...request, expiresAt: Math.min(request.expiresAt ?? Infinity, now + timeToLive) })
      )
}
