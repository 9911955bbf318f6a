/**
 * Stage `begin`: the journal entry of the call. What the journal knows to be
 * finished is replayed; what was begun and never finished is run again only if
 * the tool is idempotent.
 */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Journal from "../Journal.js"
import { Defect, type Outcome, Uncertain } from "../Outcome.js"
import type { Execution, Step } from "./execution.js"
import { recall } from "./memory.js"
import { reference } from "./reference.js"
import { replay, replayed } from "./replay.js"

export const begin = (execution: Execution): Step => {
  const { journal, memory } = execution.run
  if (journal === undefined) return memory === undefined ? undefined : recall(execution, memory)
  const { machine, run } = execution
  const key: Journal.Key = { run: run.id, call: execution.call.id, digest: execution.digest }
  return Effect.suspend((): Effect.Effect<Outcome | undefined> => {
    const flight = `${key.run}\n${key.digest}\n${key.call}`
    const running = machine.inFlight.get(flight)
    // The same call is being handled right now: its outcome is this one's too.
    if (running !== undefined)
      return Effect.flatMap(execution.restore(Deferred.await(running)), (outcome) => replayed(execution, outcome))
    const landing = Deferred.unsafeMake<Outcome>(execution.fiber.id())
    machine.inFlight.set(flight, landing)
    execution.land = (outcome) => {
      machine.inFlight.delete(flight)
      return Deferred.succeed(landing, outcome)
    }
    return Effect.matchEffect(journal.begin(key, execution.name), {
      onSuccess: (known) => follow(execution, key, known),
      // What cannot be recorded is not run: after a crash nobody would know.
      onFailure: (error) =>
        Effect.succeed(new Defect(execution.call, execution.name, execution.notes, reference(), Cause.fail(error)))
    })
  })
}

const follow = (execution: Execution, key: Journal.Key, known: Journal.Known): Effect.Effect<Outcome | undefined> => {
  switch (known._tag) {
    case "Fresh":
      execution.key = key
      return Effect.succeed(undefined)
    case "Finished":
      return replay(execution, known.ending)
    case "Begun":
    case "Interrupted": {
      const { isIdempotent, isReadOnly } = execution.entry.definition.facts
      if (!isIdempotent && !isReadOnly) {
        return Effect.succeed(new Uncertain(execution.call, execution.name, execution.notes))
      }
      execution.key = key
      return Effect.succeed(undefined)
    }
  }
}
