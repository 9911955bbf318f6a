/**
 * The calls of one turn: side by side, but for the barriers that sequential
 * tools are; one outcome each, in the order of the calls.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import { Defect, isOutcome, type Outcome } from "../Outcome.js"
import type { ToolCall } from "../ToolCall.js"
import type { Offer } from "../toolset/model.js"
import { Execution, type Progress } from "./execution.js"
import type { Machine } from "./machine.js"
import { abandoned, effectOf, pipeline } from "./pipeline.js"
import { reference } from "./reference.js"
import { Run } from "./run.js"
import { begin as beginSpan } from "./span.js"

/** Whoever watches a batch; each effect holds up the call until the watcher is ready. */
export interface Watcher {
  readonly started: (call: ToolCall) => Effect.Effect<void>
  readonly progress: (call: ToolCall) => Progress
  readonly finished: (call: ToolCall, outcome: Outcome) => Effect.Effect<void>
}

type Runtime = Fiber.RuntimeFiber<unknown, unknown>
type Ended = Outcome | Effect.Effect<Outcome>

export const noProgress: Progress = () => Effect.void

export const single = (
  machine: Machine,
  current: () => Run,
  call: ToolCall,
  raise: (outcome: Outcome) => Effect.Effect<Outcome, unknown>
): Effect.Effect<Outcome, unknown> =>
  offered(
    machine,
    current,
    (run, offer, fiber) => {
      const ended = start(new Execution(machine, run, offer, call, noProgress, undefined, fiber))
      return isOutcome(ended) ? raise(ended) : Effect.flatMap(ended, raise)
    },
    (cause) => diedBefore(call, cause)
  )

export const batch = (
  machine: Machine,
  current: () => Run,
  calls: ReadonlyArray<ToolCall>,
  watcher: Watcher | undefined
): Effect.Effect<ReadonlyArray<Outcome>, unknown> =>
  offered(
    machine,
    current,
    (run, offer, fiber) => {
      const own = remembering(run, calls)
      const outcomes: Array<Outcome> = []
      const begun: Array<Execution> = []
      const executionOf = (call: ToolCall, progress: Progress) =>
        new Execution(machine, own, offer, call, progress, undefined, fiber)
      const begin = (call: ToolCall): Ended =>
        watcher === undefined
          ? start(executionOf(call, noProgress), begun)
          : watched(
              watcher,
              call,
              () => executionOf(call, watcher.progress(call)),
              (execution) => effectOf(start(execution, begun))
            )
      const segments = segmentsOf(calls, offer)
      const runSegments = (from: number): Effect.Effect<ReadonlyArray<Outcome>> => {
        for (let at = from; at < segments.length; at++) {
          const waiting = runSegment(segments[at] ?? [], machine.policy.concurrency, begin, outcomes)
          if (waiting !== undefined) return Effect.flatMap(waiting, () => runSegments(at + 1))
        }
        return Effect.succeed(outcomes)
      }
      const all = runSegments(0)
      // A call that was begun may be interrupted before its own fiber comes to run.
      return begun.length === 0
        ? all
        : Effect.onInterrupt(all, () => Effect.forEach(begun, abandoned, { discard: true }))
    },
    (cause) => Effect.forEach(calls, (call) => diedBefore(call, cause))
  )

interface Place {
  readonly call: ToolCall
  readonly index: number
}

/** What has an outcome at once is written down at once; the rest runs side by side. */
const runSegment = (
  places: ReadonlyArray<Place>,
  concurrency: number | undefined,
  begin: (call: ToolCall) => Ended,
  outcomes: Array<Outcome>
): Effect.Effect<void> | undefined => {
  const waiting: Array<Effect.Effect<void>> = []
  for (const { call, index } of places) {
    // Under a limit, a call begins only when there is room for it.
    const ended = concurrency === undefined ? begin(call) : Effect.suspend(() => effectOf(begin(call)))
    if (isOutcome(ended)) {
      outcomes[index] = ended
    } else {
      waiting.push(
        Effect.map(ended, (outcome) => {
          outcomes[index] = outcome
        })
      )
    }
  }
  return waiting.length === 0
    ? undefined
    : Effect.all(waiting, { concurrency: concurrency ?? "unbounded", discard: true })
}

/** Runs of calls that may go side by side; a sequential call is a segment of its own. */
const segmentsOf = (calls: ReadonlyArray<ToolCall>, offer: Offer): ReadonlyArray<ReadonlyArray<Place>> => {
  const segments: Array<Array<Place>> = []
  let open: Array<Place> | undefined
  for (const [index, call] of calls.entries()) {
    const isSequential = offer.entries.get(call.name)?.definition.facts.isSequential ?? false
    if (isSequential || open === undefined) segments.push((open = []))
    open.push({ call, index })
    if (isSequential) open = undefined
  }
  return segments
}

const start = (execution: Execution, begun?: Array<Execution>): Ended => {
  const span = beginSpan(execution)
  execution.span = span
  const ended = pipeline(execution)
  if (isOutcome(ended)) return ended
  begun?.push(execution)
  // What the handler traces is part of the call.
  return span === undefined ? ended : Effect.withParentSpan(ended, span)
}

/** Tells how a call ended also where its caller has interrupted it, and it came to an end of its own all the same. */
export const watched = (
  watcher: Watcher,
  call: ToolCall,
  executionOf: () => Execution,
  begin: (execution: Execution) => Effect.Effect<Outcome>
): Effect.Effect<Outcome> =>
  Effect.zipRight(
    watcher.started(call),
    Effect.suspend(() => {
      const execution = executionOf()
      return begin(execution).pipe(
        Effect.onInterrupt(() => {
          const { outcome } = execution
          return outcome === undefined || outcome._tag === "Interrupted" ? Effect.void : watcher.finished(call, outcome)
        }),
        Effect.tap((outcome) => watcher.finished(call, outcome))
      )
    })
  )

/** Two calls of one id in a batch: what is the same call must not run twice. */
const remembering = (run: Run, calls: ReadonlyArray<ToolCall>): Run => {
  if (run.journal !== undefined || run.memory !== undefined || calls.length < 2) return run
  const ids = new Set(calls.map((call) => call.id))
  return ids.size === calls.length ? run : new Run(run.id, run.values, run.offered, undefined, new Map(), false)
}

/** What is offered now, and the fiber that asks; a toolset that cannot change is not asked again. */
export const offered = <A>(
  machine: Machine,
  current: () => Run,
  use: (run: Run, offer: Offer, fiber: Runtime) => Effect.Effect<A, unknown>,
  died: (cause: Cause.Cause<unknown>) => Effect.Effect<A, unknown>
): Effect.Effect<A, unknown> =>
  Effect.withFiberRuntime<A, unknown>((fiber) => {
    const run = current()
    // The fiber is only read from, so its own types do not matter.
    const runtime = fiber as Runtime
    return machine.known === undefined
      ? Effect.matchCauseEffect(run.provide(machine.offer), {
          onSuccess: (offer) => use(run, offer, runtime),
          onFailure: (cause) => (Cause.isDie(cause) ? died(cause) : Effect.failCause(cause))
        })
      : use(run, machine.known, runtime)
  })

/** A filter or a preparation that throws is the program's mistake; each call ends all the same. */
export const diedBefore = (call: ToolCall, cause: Cause.Cause<unknown>): Effect.Effect<Outcome> => {
  const outcome = new Defect(call, call.name, [], reference(), cause)
  return Effect.as(
    Effect.logError(`The toolset failed internally before a call was run (reference ${outcome.reference})`),
    outcome
  )
}
