/** A call of the conversation that has no result and no answer. */
import type { Outcome, ToolCall } from "@wield/core"
import * as Effect from "effect/Effect"
import type { Run } from "./plan.js"
import type { State } from "./state.js"

export const recovered = (_state: State, run: Run, call: ToolCall.ToolCall): Effect.Effect<Outcome.Outcome, unknown> =>
  Effect.flatMap(run.settle([call]), ([outcome]) =>
    outcome === undefined ? Effect.dieMessage("a call has no outcome") : Effect.succeed(outcome)
  )
