/**
 * Stage `begin`: the journal entry of the call. What the journal knows to be
 * finished is replayed; what was begun and never finished is run again only if
 * the tool is idempotent.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Journal from "../Journal.js"
import { Defect, isOutcome, type Outcome, Uncertain } from "../Outcome.js"
import type { Execution, Step } from "./execution.js"
import type { Flight } from "./machine.js"
import { recall } from "./memory.js"
import { reference } from "./reference.js"
import { replay, replayed } from "./replay.js"

export const begin = (execution: Execution): Step => {
  const { journal, memory } = execution.run
  if (journal === undefined) return memory === undefined ? undefined : recall(execution, memory)
  const key: Journal.Key = { run: execution.run.id, call: execution.call.id, digest: execution.digest }
  return journal.immediate === undefined
    ? Effect.suspend(() => effectOf(board(execution, key, (follow) => waited(execution, key, journal, follow))))
    : board(execution, key, (follow) => follow(journal.immediate?.begin(key, execution.name) ?? { _tag: "Begun" }))
}

/** What the answer of the journal means for the call. */
type Follow = (known: Journal.Known) => Step

/** Asks the journal, unless the same call is being handled right now: then its outcome is this one's, too. */
const board = (execution: Execution, key: Journal.Key, ask: (follow: Follow) => Step): Step => {
  const { machine } = execution
  const name = `${key.run}\n${key.digest}\n${key.call}`
  const flight = machine.inFlight.get(name)
  if (flight !== undefined && flight.fiber.unsafePoll() === null) {
    flight.landing ??= Deferred.unsafeMake<Outcome>(execution.fiber.id())
    return Effect.flatMap(execution.restore(Deferred.await(flight.landing)), (outcome) => replayed(execution, outcome))
  }
  const own: Flight = { fiber: execution.fiber, landing: undefined }
  machine.inFlight.set(name, own)
  execution.land = (outcome) => {
    if (machine.inFlight.get(name) === own) machine.inFlight.delete(name)
    if (own.landing !== undefined) Deferred.unsafeDone(own.landing, Effect.succeed(outcome))
  }
  return ask((known) => follow(execution, key, known))
}

const waited = (execution: Execution, key: Journal.Key, journal: Journal.Service, follow: Follow): Step =>
  Effect.matchEffect(journal.begin(key, execution.name), {
    onSuccess: (known) => effectOf(follow(known)),
    // What cannot be recorded is not run: after a crash nobody would know.
    onFailure: (error) =>
      Effect.succeed(new Defect(execution.call, execution.name, execution.notes, reference(), Cause.fail(error)))
  })

const effectOf = (step: Step): Effect.Effect<Outcome | undefined> =>
  step === undefined || isOutcome(step) ? Effect.succeed(step) : step

const follow = (execution: Execution, key: Journal.Key, known: Journal.Known): Step => {
  switch (known._tag) {
    case "Fresh":
      execution.key = key
      return undefined
    case "Finished":
      return replay(execution, known.ending)
    case "Begun":
    case "Interrupted": {
      const { isIdempotent, isReadOnly } = execution.entry.definition.facts
      if (!isIdempotent && !isReadOnly) return new Uncertain(execution.call, execution.name, execution.notes)
      execution.key = key
      return undefined
    }
  }
}
