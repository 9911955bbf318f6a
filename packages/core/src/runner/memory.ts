/**
 * What a run remembers of its own calls where it has no journal. Only this
 * process asks, so that nothing here waits: a call that was not made before
 * costs one look-up.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { Outcome } from "../Outcome.js"
import type { Execution, Step } from "./execution.js"
import { endingOf, replayed } from "./replay.js"
import type { Sent } from "./sent.js"
import { mayRunAgain, uncertain } from "./uncertain.js"

export interface Remembered {
  readonly sent: Sent
  /** The fiber that runs it: when it has ended, nobody will tell how the call did. */
  fiber: Fiber.RuntimeFiber<unknown, unknown>
  state: "running" | "interrupted" | "ended"
  outcome: Outcome | undefined
  /** Made when somebody waits for the outcome. */
  waiting: Deferred.Deferred<Outcome> | undefined
}

/** Calls by id; several of one id only where their tools or arguments differ. */
export type Memory = Map<string, Array<Remembered>>

export const recall = (execution: Execution, memory: Memory): Step => {
  const { call, fiber } = execution
  const ofId = memory.get(call.id)
  const same = ofId?.find((other) => isSame(other, execution))
  if (same === undefined) {
    const made: Remembered = {
      sent: execution.sent.keep(execution.arguments),
      fiber,
      state: "running",
      outcome: undefined,
      waiting: undefined
    }
    if (ofId === undefined) memory.set(call.id, [made])
    else ofId.push(made)
    execution.remembered = made
    return undefined
  }
  if (same.outcome !== undefined) return replayed(execution, same.outcome)
  if (same.state === "running" && same.fiber.unsafePoll() === null) {
    same.waiting ??= Deferred.unsafeMake(fiber.id())
    return Effect.flatMap(Deferred.await(same.waiting), (outcome) => replayed(execution, outcome))
  }
  if (!mayRunAgain(execution)) return uncertain(execution)
  same.state = "running"
  same.fiber = fiber
  execution.remembered = same
  return undefined
}

/** The same call, if the run has made it before. */
export const rememberedOf = (execution: Execution): Remembered | undefined =>
  execution.run.memory?.get(execution.call.id)?.find((other) => isSame(other, execution))

const isSame = (other: Remembered, execution: Execution): boolean =>
  other.sent.name === execution.name && other.sent.argumentText === execution.argumentText

/** Keeps how the call ended; one that never came to its handler may be made again. */
export const settle = (execution: Execution, outcome: Outcome, isOver: boolean): void => {
  const { remembered } = execution
  if (remembered === undefined) return
  execution.remembered = undefined
  if (isOver && endingOf(outcome) !== undefined) {
    remembered.state = "ended"
    remembered.outcome = outcome
  } else if (execution.attempt > 0) {
    remembered.state = "interrupted"
  } else {
    const memory = execution.run.memory
    const others = memory?.get(execution.call.id)?.filter((other) => other !== remembered) ?? []
    if (others.length > 0) memory?.set(execution.call.id, others)
    else memory?.delete(execution.call.id)
  }
  if (remembered.waiting !== undefined) Deferred.unsafeDone(remembered.waiting, Effect.succeed(outcome))
  remembered.waiting = undefined
}
