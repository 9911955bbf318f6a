/** `guard`, of what follows a call: looks at a result before the model reads it. */
import * as Effect from "effect/Effect"
import { ask, guardsOn } from "../Guard.js"
import { Withheld, type Outcome } from "../Outcome.js"
import { recordEnd } from "./ending.js"
import type { Execution } from "./execution.js"
import { text } from "./render.js"

export const guard = (execution: Execution, outcome: Outcome): Outcome | Effect.Effect<Outcome> => {
  const { call, machine, values } = execution
  if (machine.policy.guards === undefined) return outcome
  if (outcome._tag !== "Success" && (outcome._tag !== "Failure" || outcome.isRaised)) return outcome
  const guards = guardsOn(machine.policy.guards, "result")
  if (guards.length === 0) return outcome
  const asked = Effect.map(ask(guards, text(outcome) ?? "", { on: "result", context: values, call }), (blocked) =>
    blocked === undefined ? outcome : new Withheld({ call, notes: outcome.notes, ...blocked, of: outcome })
  )
  // Its end is recorded first: a guard may take its time, in which the process may die.
  return Effect.suspend(() => Effect.zipRight(recordEnd(execution, outcome) ?? Effect.void, asked))
}
