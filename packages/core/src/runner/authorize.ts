/**
 * Stage `authorize`: the approval policy on the decoded call. A call that a
 * client executes is deferred here too: approval and client execution are one
 * mechanism. A call that a person approved is asked about again, for the rule
 * may say no by now.
 */
import * as Effect from "effect/Effect"
import type { Decision } from "../Approval.js"
import { Deferred, Denied, type Outcome } from "../Outcome.js"
import { digestOfWaiting } from "../internal/fingerprint.js"
import { before } from "./before.js"
import type { Execution, Step } from "./execution.js"
import { readResult } from "./resultStore.js"

export const authorize = (execution: Execution): Step => {
  // Reading on in a result that the model was already given asks nobody again.
  // Without a result bound, a tool of this name is somebody else's.
  const isReadingOn = execution.name === readResult && execution.machine.results !== undefined
  const rule = isReadingOn ? undefined : execution.machine.ruleFor(execution.name)
  if (rule === undefined) return allowed(execution)
  const decision = rule({
    name: execution.name,
    parameters: execution.parameters,
    facts: execution.entry.definition.facts,
    context: execution.values,
    call: execution.call
  })
  return Effect.isEffect(decision)
    ? Effect.flatMap(decision, (decided) => {
        const step = follow(execution, decided)
        return Effect.isEffect(step) ? step : Effect.succeed(step)
      })
    : follow(execution, decision)
}

const follow = (execution: Execution, decision: Decision): Step => {
  switch (decision._tag) {
    case "Allow":
      return allowed(execution)
    case "Deny":
      return new Denied(execution.call, execution.name, execution.notes, decision.reason)
    case "Ask":
      // Of the calls that were answered, only those come here that a person approved.
      return execution.answer === undefined
        ? before(execution, () => deferred(execution, "approval", decision.why))
        : allowed(execution)
    default:
      // A program without types can answer anything; only `Allow` allows.
      throw new TypeError("The approval rule did not answer with a decision")
  }
}

const allowed = (execution: Execution): Step =>
  execution.entry.handler === undefined ? before(execution, () => deferred(execution, "client", undefined)) : undefined

const deferred = (execution: Execution, waitsFor: "approval" | "client", why: string | undefined): Outcome =>
  new Deferred(
    execution.call,
    execution.name,
    execution.notes,
    waitsFor,
    why,
    execution.arguments,
    digestOfWaiting(execution.entry, execution.arguments, waitsFor),
    execution.entry.definition.facts
  )
