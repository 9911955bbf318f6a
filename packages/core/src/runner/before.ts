/**
 * What became of a call that would wait for a person or a client, where it was
 * made before: nobody is asked about it a second time.
 */
import * as Effect from "effect/Effect"
import type * as Journal from "../Journal.js"
import type { Outcome } from "../Outcome.js"
import { keyOf, unrecorded, asJournalError } from "./begin.js"
import type { Execution, Step } from "./execution.js"
import { rememberedOf } from "./memory.js"
import { replay, replayed } from "./replay.js"

/** The outcome that it came to; `undefined` where it was begun, which the stage `begin` sees to. */
export const before = (execution: Execution, otherwise: () => Outcome): Step => {
  const { journal } = execution.run
  if (journal === undefined) {
    const remembered = rememberedOf(execution)
    if (remembered === undefined) return otherwise()
    return remembered.outcome === undefined ? undefined : replayed(execution, remembered.outcome)
  }
  const { immediate } = journal
  if (immediate !== undefined) {
    return follow(execution, immediate.look(execution.sent.keep(execution.arguments)), otherwise)
  }
  return Effect.matchEffect(
    Effect.suspend(() => asJournalError("look", journal.look(keyOf(execution)))),
    {
      onFailure: (error) => Effect.succeed<Outcome | undefined>(unrecorded(execution, error)),
      onSuccess: (known) => {
        const step = follow(execution, known, otherwise)
        return Effect.isEffect(step) ? step : Effect.succeed(step)
      }
    }
  )
}

const follow = (execution: Execution, known: Journal.Known, otherwise: () => Outcome): Step => {
  switch (known._tag) {
    case "Fresh":
      return otherwise()
    case "Finished":
      return replay(execution, known.ending)
    case "Running":
    case "Begun":
    case "Interrupted":
      // It was approved, or it would not have been begun.
      return undefined
  }
}
