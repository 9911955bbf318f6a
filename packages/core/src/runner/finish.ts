/**
 * Stage `finish`: the journal, the metrics, and a log line for what went wrong
 * inside. Every call comes here, however it ended.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { toText } from "../Issue.js"
import type { Outcome } from "../Outcome.js"
import type { Execution } from "./execution.js"
import { land } from "./flight.js"
import { settle } from "./memory.js"
import { count } from "./metrics.js"
import { endingOf } from "./replay.js"
import { end } from "./span.js"
import { isUnrecorded } from "./unrecorded.js"

export const finish = (execution: Execution, outcome: Outcome): Outcome | Effect.Effect<Outcome> => {
  execution.outcome = outcome
  count(execution, outcome)
  end(execution, outcome)
  settle(execution, outcome, isOver(execution, outcome))
  const recorded = record(execution, outcome)
  const reported = report(execution, outcome)
  if (recorded === undefined && reported === undefined) {
    land(execution, outcome)
    return outcome
  }
  // Neither a journal nor a logger that dies may take the outcome with it.
  const written = Effect.catchAllCause(
    Effect.zipRight(recorded ?? Effect.void, reported ?? Effect.void),
    () => Effect.void
  )
  // Who waits for the same call is told when it is recorded.
  return Effect.map(written, () => {
    land(execution, outcome)
    return outcome
  })
}

const isReplayed = (outcome: Outcome): boolean => outcome.notes.some((note) => note._tag === "Replayed")

const isOver = (execution: Execution, outcome: Outcome): boolean => {
  switch (outcome._tag) {
    case "InvalidResult":
      // What a client answered did not fit: it may answer again.
      return execution.attempt > 0
    case "Denied":
      // A person's no is the last word; an approval rule is asked again.
      return execution.answer?.response._tag === "Deny"
    default:
      return true
  }
}

/** A call that never came to its handler leaves no entry: it may be made again. */
const record = (execution: Execution, outcome: Outcome): Effect.Effect<void> | undefined => {
  const { key } = execution
  const { journal } = execution.run
  if (key === undefined || journal === undefined) return undefined
  execution.key = undefined
  const ending = isOver(execution, outcome) ? endingOf(outcome) : undefined
  const { immediate } = journal
  // The effect has happened; that its end is not recorded makes it uncertain
  // after a restart, but not now.
  const unrecorded = (why: string) =>
    Effect.logError(`The journal did not record the end of a call of ${execution.name}`, why)
  if (immediate !== undefined) {
    // No effect is involved: what is wrong with such a journal, it throws.
    try {
      if (ending !== undefined) immediate.finish(key, ending)
      else if (execution.attempt > 0) immediate.interrupt(key)
      else immediate.abandon(key)
      return undefined
    } catch {
      return unrecorded("defect")
    }
  }
  const written = Effect.suspend(() =>
    ending !== undefined
      ? journal.finish(key, ending)
      : execution.attempt > 0
        ? journal.interrupt(key)
        : journal.abandon(key)
  )
  return Effect.catchAllCause(written, (cause) =>
    // What else a cause says may hold the result.
    unrecorded(Option.match(Cause.failureOption(cause), { onNone: () => "defect", onSome: (error) => error.operation }))
  )
}

/** Names the reference that the model was given. No arguments, no result, no cause unless asked for. */
const report = (execution: Execution, outcome: Outcome): Effect.Effect<void> | undefined => {
  // It was logged when it happened.
  if (isReplayed(outcome)) return undefined
  switch (outcome._tag) {
    case "Defect": {
      const line = isUnrecorded(outcome)
        ? `A call of ${outcome.name} was not run, since the journal could not record it (reference ${outcome.reference})`
        : `The tool ${outcome.name} failed internally (reference ${outcome.reference})`
      return execution.machine.policy.observe?.causes === true
        ? Effect.logError(line, outcome.cause)
        : Effect.logError(line)
    }
    case "InvalidResult": {
      const line = `The tool ${outcome.name} gave a result that does not fit its schema (reference ${outcome.reference})`
      return execution.machine.policy.observe?.causes === true
        ? Effect.logError(line, outcome.issues.map(toText).join("; "))
        : Effect.logError(line)
    }
    case "MissingContext":
      return Effect.logError(
        `The call context lacks what the tool ${outcome.name} needs, or has it in another form (reference ${outcome.reference}): ${outcome.issues
          .map((issue) => issue.path.join("."))
          .join(", ")}`
      )
    default:
      return undefined
  }
}
