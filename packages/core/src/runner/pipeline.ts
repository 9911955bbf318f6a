/**
 * The pipeline: every call, from every source and every wire format, goes
 * through these stages in this order, and then through what follows every call.
 *
 * A stage that can answer at once does, so that a call whose handler has
 * already completed runs without a fiber operation; one that cannot answers
 * with an effect, and the rest of the pipeline goes on after it.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import { effectOf } from "../internal/effectOf.js"
import { Defect, isOutcome, type Outcome } from "../Outcome.js"
import type { Stage as StageName } from "../Stage.js"
import { authorize } from "./authorize.js"
import { begin } from "./begin.js"
import { bound } from "./bound.js"
import { decode } from "./decode.js"
import { encode } from "./encode.js"
import type { Execution, Step } from "./execution.js"
import { find } from "./find.js"
import { finish } from "./finish.js"
import { guard } from "./guard.js"
import { handOut } from "./handOut.js"
import { handle, type Start, startOf } from "./handle.js"
import { inject } from "./inject.js"
import { keep, limit } from "./limit.js"
import { parse } from "./parse.js"
import { reference } from "./reference.js"
import { repeat } from "./repeat.js"
import { strip } from "./strip.js"
import { outcomeOfStop } from "./uncertain.js"
import { unlessBegun } from "./unlessBegun.js"

export type Stage = (execution: Execution) => Step

const names = new Map<Stage, StageName>([
  [find, "find"],
  [parse, "parse"],
  [strip, "strip"],
  [decode, "decode"],
  [inject, "inject"],
  [authorize, "authorize"],
  [begin, "begin"],
  [limit, "limit"],
  [handle, "handle"],
  [encode, "encode"]
])

const stages: ReadonlyArray<Stage> = [...names.keys()]

/** The stages from `first` on, up to the one before `end`. */
export const stagesFrom = (first: Stage, end?: Stage): ReadonlyArray<Stage> =>
  stages.slice(stages.indexOf(first), end && stages.indexOf(end))

/**
 * What follows, however the call ended; `finish` comes after it. A result is
 * kept before it is bounded, since the handle of a bounded one expires, and
 * guarded while it is whole.
 */
const following: ReadonlyArray<(execution: Execution, outcome: Outcome) => Outcome> = [bound, repeat]

type Ended = Outcome | Effect.Effect<Outcome>

/**
 * The outcome of one call, after these stages; at once, where none had to wait. Where one has to, only what a stage
 * makes interruptible can be interrupted: between a handler's end and its record nothing may come. A stage, an
 * approval rule or a schema that throws must not take the run down.
 */
export const pipeline = (execution: Execution, through: ReadonlyArray<Stage> = stages): Ended => {
  let ended: Ended
  try {
    ended = proceed(execution, through, 0)
  } catch (defect) {
    ended = conclude(execution, defectOf(execution, Cause.die(defect)))
  }
  return isOutcome(ended) ? ended : protect(execution, ended)
}

const protect = (execution: Execution, ended: Effect.Effect<Outcome>): Effect.Effect<Outcome> => {
  const waiting = survive(
    ended,
    (cause) => effectOf(conclude(execution, defectOf(execution, cause))),
    () => abandon(execution)
  )
  return Effect.uninterruptibleMask((restore) => {
    execution.restore = restore
    return waiting
  })
}

/**
 * As `pipeline`, for callers that know promises: no fiber, unless a stage takes one. The host's `wait` is given
 * a handler that takes none, and answers with what resolves when it has ended, or `undefined` where it has ended at once.
 */
export const walk = (execution: Execution, host: Host, from = 0): Outcome | Promise<Outcome> => {
  try {
    for (let index = from; index < stages.length; index++) {
      const stage = stages[index]
      const start = stage === handle ? startOf(execution) : undefined
      if (start !== undefined) {
        announce(execution, handle)
        const ended = host.wait(execution, start)
        if (ended !== undefined) return ended.then(() => walk(execution, host, index + 1))
        continue
      }
      const step = stage && enter(execution, stage)
      if (step === undefined) continue
      if (!isOutcome(step)) return host.run(protect(execution, after(execution, stages, index, step)))
      return kept(execution, host, step)
    }
    return kept(execution, host, endless(execution))
  } catch (defect) {
    return kept(execution, host, defectOf(execution, Cause.die(defect)))
  }
}

const kept = (execution: Execution, host: Host, outcome: Outcome): Outcome | Promise<Outcome> => {
  const ended = conclude(execution, outcome)
  return isOutcome(ended) ? ended : host.run(protect(execution, ended))
}

/** What a caller that knows promises does for the pipeline. */
export interface Host {
  readonly run: <A>(effect: Effect.Effect<A>) => Promise<A>
  readonly wait: (execution: Execution, start: Start) => Promise<void> | undefined
}

/** An approval rule or a journal that interrupts itself ends its own call only. */
export const survive = <A, E>(
  effect: Effect.Effect<A, E>,
  otherwise: (cause: Cause.Cause<E>) => Effect.Effect<A, E>,
  interrupted: () => Effect.Effect<unknown> = () => Effect.void
): Effect.Effect<A, E> =>
  Effect.catchAllCause(effect, (cause) =>
    Effect.flatMap(FiberRef.get(FiberRef.interruptedCause), (interruption) =>
      Cause.isInterrupted(cause) && !Cause.isEmpty(interruption)
        ? Effect.zipRight(interrupted(), Effect.failCause(cause))
        : otherwise(cause)
    )
  )

const proceed = (execution: Execution, through: ReadonlyArray<Stage>, from: number): Ended => {
  for (let index = from; index < through.length; index++) {
    const stage = through[index]
    const step = stage && enter(execution, stage)
    if (step === undefined) continue
    return isOutcome(step) ? conclude(execution, step) : after(execution, through, index, step)
  }
  return conclude(execution, endless(execution))
}

/** The rest of the pipeline, after a stage that takes its time. */
const after = (
  execution: Execution,
  through: ReadonlyArray<Stage>,
  index: number,
  step: Effect.Effect<Outcome | undefined>
): Effect.Effect<Outcome> => {
  // Until the call is begun there is nothing to record, so nothing to protect.
  const waiting = index < through.indexOf(begin) ? execution.interruptible(step) : step
  return Effect.flatMap(waiting, (outcome) =>
    effectOf(outcome === undefined ? proceed(execution, through, index + 1) : conclude(execution, outcome))
  )
}

/** `encode` ends every call. */
const endless = (execution: Execution): Outcome =>
  defectOf(execution, Cause.die(new Error("the pipeline came to no outcome")))

/** Enters a stage, and says so to its listener. */
export const enter = (execution: Execution, stage: Stage): Step => {
  announce(execution, stage)
  return stage(execution)
}

const announce = ({ call, hear }: Execution, stage: Stage): void => {
  if (hear === undefined) return
  const name = names.get(stage)
  if (name !== undefined) hear(call, name)
}

const conclude = (execution: Execution, outcome: Outcome): Ended => {
  const known = outcome._tag === "Deferred" ? handOut(execution, outcome) : unlessBegun(execution, outcome)
  return isOutcome(known)
    ? look(execution, known)
    : Effect.flatMap(execution.interruptible(known), (ended) => effectOf(look(execution, ended)))
}

const look = (execution: Execution, outcome: Outcome): Ended => {
  const guarded = guard(execution, keep(execution, outcome))
  return isOutcome(guarded)
    ? follow(execution, guarded)
    : Effect.flatMap(guarded, (seen) => effectOf(follow(execution, seen)))
}

const follow = (execution: Execution, outcome: Outcome): Ended => {
  let concluded = outcome
  for (const step of following) concluded = step(execution, concluded)
  return finish(execution, concluded)
}

/**
 * What the caller interrupted is finished too: journal, memory and span say that it was interrupted. A handler that
 * could not be interrupted has come to its end all the same, and that is what they say then.
 */
export const abandon = (execution: Execution): Effect.Effect<unknown> =>
  Effect.suspend((): Effect.Effect<unknown> =>
    execution.outcome !== undefined
      ? Effect.void
      : effectOf(
          execution.exit === undefined ? finish(execution, outcomeOfStop(execution)) : pipeline(execution, [encode])
        )
  )

export const defectOf = (execution: Execution, cause: Cause.Cause<unknown>): Outcome =>
  new Defect({ call: execution.call, notes: execution.notes, reference: reference(), cause })
