/**
 * Stage `begin`: the journal entry of the call. What the journal knows to be
 * finished is replayed; what was begun and never finished is run again only if
 * the tool is idempotent.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Journal from "../Journal.js"
import { JournalError } from "../JournalError.js"
import { Defect, isOutcome, type Outcome } from "../Outcome.js"
import type { Execution, Step } from "./execution.js"
import { awaitLanding, takeOff } from "./flight.js"
import { recall } from "./memory.js"
import { reference } from "./reference.js"
import { replay, replayed } from "./replay.js"
import { mayRunAgain, uncertain } from "./uncertain.js"

export const begin = (execution: Execution): Step => {
  const { journal, memory } = execution.run
  if (journal === undefined) {
    if (execution.run.isRecovered && !mayRunAgain(execution)) return uncertain(execution)
    return memory === undefined ? undefined : recall(execution, memory)
  }
  const { immediate } = journal
  if (immediate !== undefined) {
    const key = execution.sent.keep(execution.arguments)
    return sameInFlight(execution, key) ?? beginAt(execution, key, immediate)
  }
  return Effect.suspend(() => {
    const key = keyOf(execution)
    return effectOf(sameInFlight(execution, key) ?? waited(execution, key, journal))
  })
}

/** A journal elsewhere reads the digest in any case, and may spread its key. */
export const keyOf = ({ call, digest, run }: Execution): Journal.Key => ({
  run: run.id,
  call: run.nameOf(call.id),
  digest
})

/** The outcome of the same call where it is being handled right now. */
const sameInFlight = (execution: Execution, key: Journal.Key): Step => {
  const flight = takeOff(execution, key)
  return flight === undefined
    ? undefined
    : Effect.flatMap(execution.restore(awaitLanding(execution, flight)), (outcome) => replayed(execution, outcome))
}

const beginAt = (execution: Execution, key: Journal.Key, journal: Journal.Immediate): Step =>
  follow(execution, key, journal.begin(key, execution.name), () => effectOf(beginAt(execution, key, journal)))

const waited = (execution: Execution, key: Journal.Key, journal: Journal.Service): Effect.Effect<Outcome | undefined> =>
  Effect.matchEffect(asJournalError("begin", journal.begin(key, execution.name)), {
    onSuccess: (known) => effectOf(follow(execution, key, known, () => waited(execution, key, journal))),
    onFailure: (error) => Effect.succeed(unrecorded(execution, error))
  })

/** A journal that dies has written no more than one that fails. */
export const asJournalError = <A>(
  operation: string,
  effect: Effect.Effect<A, JournalError>
): Effect.Effect<A, JournalError> => Effect.catchAllDefect(effect, (cause) => new JournalError({ operation, cause }))

/**
 * What cannot be recorded is not run: after a crash nobody would know. Where the
 * call may have been begun before, nobody knows now.
 */
export const unrecorded = (execution: Execution, error: JournalError, isBegun = execution.run.isRecovered): Outcome =>
  isBegun && !mayRunAgain(execution)
    ? uncertain(execution)
    : new Defect(execution.call, execution.name, execution.notes, reference(), Cause.fail(error))

const effectOf = (step: Step): Effect.Effect<Outcome | undefined> =>
  step === undefined || isOutcome(step) ? Effect.succeed(step) : step

const follow = (
  execution: Execution,
  key: Journal.Key,
  known: Journal.Known,
  again: () => Effect.Effect<Outcome | undefined>
): Step => {
  switch (known._tag) {
    case "Fresh":
      execution.key = key
      return undefined
    case "Running":
      return Effect.matchEffect(execution.restore(known.over), {
        onSuccess: again,
        onFailure: (error) => Effect.succeed(unrecorded(execution, error, true))
      })
    case "Finished":
      return replay(execution, known.ending)
    case "Begun":
    case "Interrupted":
      if (!mayRunAgain(execution)) return uncertain(execution)
      execution.key = key
      return undefined
  }
}
