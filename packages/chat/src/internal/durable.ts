/** Runs in whatever process of a cluster has the conversation. */
import * as AgentEvent from "@wield/agent/AgentEvent"
import * as DeferredCall from "@wield/agent/DeferredCall"
import type { AgentClient, RunResult, Runs } from "@wield/cluster"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { Event } from "../Chat.js"
import { refuse } from "./refuse.js"
import type { Elsewhere, Given, Runner } from "./runner.js"

/** A client's context is what `authorize` gives. */
export type AnyClient = AgentClient.AgentClient<unknown, unknown>

export const durableRunner = (client: AnyClient): Runner & Elsewhere => ({
  isRunElsewhere: () => Effect.succeed(false),
  run: (given) =>
    Effect.gen(function* () {
      const { answers, context, conversation, prompt = [], promptId, tell } = given
      if (answers !== undefined) {
        const answered = yield* client.answer(conversation.id, answers, { context })
        if (given.prompt === undefined) return yield* follow(given, answered)
        const before = { ...given, tell: (event: Event) => (event._tag === "Done" ? Effect.void : tell(event)) }
        yield* follow(before, answered)
        // Sent while something waits again, the message would be kept as a run that has failed.
        if ((yield* answered.result)._tag === "Paused")
          return yield* refuse("WaitsForAnswers", "Answer first what waits")
      }
      const asked = yield* client.prompt(conversation.id, { prompt, promptId, context })
      yield* follow({ ...given, answers: undefined }, asked)
    }),
  running: ({ id: conversation }) =>
    Effect.map(client.status(conversation), (run) =>
      run === undefined || !isOpen[run.state]
        ? undefined
        : { id: run.id, run: (given) => follow(given, client.run(conversation, run.id)) }
    ),
  stop: client.cancel
})

const isOpen: { readonly [State in Runs.State]: boolean } = {
  Waiting: true,
  Running: true,
  Again: true,
  Finished: false,
  Paused: false,
  Stopped: false,
  Cancelled: false,
  Failed: false
}

/** Tells the events of a run, and how it ended. */
const follow = (given: Given, run: AgentClient.Run<unknown>): Effect.Effect<void, unknown> =>
  Effect.gen(function* () {
    const { answers, conversation, keep, promptId, tell } = given
    let open: string | undefined
    /** The entry behind which the page knows nothing yet, where it is known. */
    let behind = answers?.[0]?.request.entry ?? promptId
    /** Who comes late hears only that a turn is recorded: the conversation has the rest. */
    const tellRecorded = (last: string | undefined) =>
      Effect.gen(function* () {
        const entries = yield* conversation.entries
        const place = entries.findIndex(({ id }) => id === last)
        const next = entries.findIndex(({ message }, index) => index > place && message._tag !== "Results")
        const end = place === -1 || next === -1 ? entries.length : next
        const from = behind === undefined ? place : entries.findIndex(({ id }) => id === behind) + 1
        behind = entries[end - 1]?.id
        const missed = AgentEvent.fromEntries(entries.slice(0, end), Math.max(0, from))
        yield* Effect.forEach(missed, (event) => tell(AgentEvent.toJson(event)), { discard: true })
      })
    yield* Stream.runForEach(run.events, (event): Effect.Effect<unknown, unknown> => {
      if (event._tag === "Resumed") return Effect.void
      if (event._tag === "TurnFinished" && open !== event.entry) return tellRecorded(event.entry)
      if (event._tag === "TurnStarted") open = event.entry
      if (event._tag !== "UsageKnown") behind = undefined
      return tell(event)
    })
    const result = yield* run.result
    if (result._tag === "Failed")
      return yield* Effect.fail(Object.assign(new Error(result.message), { _tag: result.error }))
    if (result._tag === "Cancelled") return yield* Effect.interrupt
    if (behind !== undefined && open === undefined) yield* tellRecorded(undefined)
    yield* keep(result._tag === "Paused" ? result.requests : [])
    yield* tell(doneOf(conversation.id, result))
  })

const doneOf = (
  conversation: string,
  result: RunResult.Finished<unknown> | RunResult.Paused | RunResult.Stopped
): Event => {
  const { steps, text, usage } = result
  // What is not known of the usage is absent in JSON.
  const ended = { conversation, text, steps, usage: JSON.parse(JSON.stringify(usage)) as {} }
  switch (result._tag) {
    case "Finished":
      return { _tag: "Done", result: { _tag: "Finished", ...ended, output: result.output } }
    case "Paused":
      return { _tag: "Done", result: { _tag: "Paused", ...ended, requests: encodeRequests(result.requests) } }
    case "Stopped":
      return { _tag: "Done", result: { _tag: "Stopped", ...ended, by: result.by } }
  }
}

const encodeRequests = Schema.encodeSync(Schema.Array(DeferredCall.DeferredCall))
