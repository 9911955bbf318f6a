/**
 * The calls of one turn: side by side, but for the barriers that sequential
 * tools are; one outcome each, in the order of the calls.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { Defect, isOutcome, type Outcome } from "../Outcome.js"
import type { ToolCall } from "../ToolCall.js"
import { canWait, nextTurn } from "../Time.js"
import type { Offer } from "../toolset/model.js"
import { Execution, type Progress } from "./execution.js"
import type { Machine } from "./machine.js"
import { abandon, effectOf, pipeline } from "./pipeline.js"
import { Ledger } from "./ledger.js"
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
  withOffer(
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
  withOffer(
    machine,
    current,
    (run, offer, fiber) => {
      const own = remembering(run, calls)
      const executionOf = (call: ToolCall, progress: Progress) =>
        new Execution(machine, own, offer, call, progress, undefined, fiber)
      const begin = (call: ToolCall): Ended =>
        watcher === undefined
          ? start(executionOf(call, noProgress), beginning.begun)
          : watch(
              watcher,
              call,
              () => executionOf(call, watcher.progress(call)),
              (execution) => effectOf(start(execution, beginning.begun))
            )
      const beginning = new Beginning(begin, machine.policy.concurrency, fiber)
      const segments = segmentsOf(calls, offer)
      const runSegments = (from: number): Effect.Effect<ReadonlyArray<Outcome>> => {
        for (let at = from; at < segments.length; at++) {
          const waiting = beginning.all(segments[at] ?? [])
          if (waiting !== undefined) return Effect.flatMap(waiting, () => runSegments(at + 1))
        }
        return Effect.succeed(beginning.outcomes)
      }
      const all = runSegments(0)
      return Exit.isExit(all) ? all : Effect.onError(all, () => beginning.stop)
    },
    (cause) => Effect.forEach(calls, (call) => diedBefore(call, cause))
  )

interface Place {
  readonly call: ToolCall
  readonly index: number
}

/** How many calls of a batch begin in one turn of the event loop. */
const most = 64

/** Begins the calls of one batch, and waits for them. */
class Beginning {
  readonly outcomes: Array<Outcome> = []
  /** A call that was begun may be interrupted before its own fiber comes to run. */
  begun: Array<Execution> = []
  #fibers: Array<Fiber.RuntimeFiber<void>> = []
  readonly #permits: Effect.Semaphore | undefined
  readonly #canWait: boolean
  #inTurn = 0

  constructor(
    readonly begin: (call: ToolCall) => Ended,
    concurrency: number | undefined,
    fiber: Runtime
  ) {
    this.#permits = concurrency === undefined ? undefined : Effect.unsafeMakeSemaphore(concurrency)
    this.#canWait = canWait(fiber)
  }

  /** Runs calls side by side. What has an outcome at once is written down at once. */
  all(places: ReadonlyArray<Place>, from = 0): Effect.Effect<void> | undefined {
    const waiting: Array<Effect.Effect<void>> = []
    let at = from
    for (; at < places.length && !(this.#canWait && this.#inTurn === most); at++) {
      this.#inTurn++
      const place = places[at]
      const ended = place === undefined ? undefined : this.#one(place)
      if (ended !== undefined) waiting.push(ended)
    }
    if (at < places.length)
      return Effect.zipRight(
        this.#fork(waiting),
        Effect.flatMap(nextTurn, () => this.#goOn(places, at))
      )
    // What is alone needs no fiber of its own.
    if (this.#fibers.length === 0 && waiting.length < 2) return waiting[0]
    return Effect.zipRight(this.#fork(waiting), this.#settled)
  }

  /** Interrupts what is running. */
  get stop(): Effect.Effect<void> {
    return Effect.suspend(() =>
      Effect.zipRight(Fiber.interruptAll(this.#fibers), Effect.forEach(this.begun, abandon, { discard: true }))
    )
  }

  #goOn(places: ReadonlyArray<Place>, from: number): Effect.Effect<void> {
    this.#inTurn = 0
    // What has ended is not kept until all have.
    this.begun = this.begun.filter(({ outcome }) => outcome === undefined)
    this.#fibers = this.#fibers.filter((fiber) => fiber.unsafePoll()?._tag !== "Success")
    return this.all(places, from) ?? Effect.void
  }

  #one({ call, index }: Place): Effect.Effect<void> | undefined {
    // Under a limit, a call begins only when there is room for it.
    const ended =
      this.#permits === undefined
        ? this.begin(call)
        : this.#permits.withPermits(1)(Effect.suspend(() => effectOf(this.begin(call))))
    if (isOutcome(ended)) {
      this.outcomes[index] = ended
      return undefined
    }
    return Effect.map(ended, (outcome) => {
      this.outcomes[index] = outcome
    })
  }

  /** What a handler forks lives as long as the fiber that asked for the batch, as it does where a call runs alone. */
  #fork(waiting: ReadonlyArray<Effect.Effect<void>>): Effect.Effect<void> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.transplant((graft) =>
        graft(
          Effect.forEach(
            waiting,
            (ended) => Effect.map(Effect.forkDaemon(restore(ended)), (fiber) => void this.#fibers.push(fiber)),
            { discard: true }
          )
        )
      )
    )
  }

  /** `Effect.all` would merge the references of each fiber into those of this one, all of them at once at the end. */
  get #settled(): Effect.Effect<void> {
    return Effect.async((resume) => {
      const fibers = this.#fibers
      let left = fibers.length
      if (left === 0) resume(Effect.void)
      for (const fiber of fibers) {
        fiber.addObserver((exit) => {
          left--
          if (exit._tag === "Failure") return resume(exit)
          if (left > 0) return
          fibers.length = 0
          resume(Effect.void)
        })
      }
    })
  }
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
export const watch = (
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
        Effect.onError(() => {
          const { outcome } = execution
          return outcome === undefined || outcome._tag === "Interrupted" ? Effect.void : watcher.finished(call, outcome)
        }),
        Effect.tap((outcome) => watcher.finished(call, outcome))
      )
    })
  )

/** Two calls of one id in a batch: what is the same call must not run twice. */
const remembering = (run: Run, calls: ReadonlyArray<ToolCall>): Run => {
  if (run.ledger !== undefined || calls.length < 2) return run
  const ids = new Set(calls.map((call) => call.id))
  return ids.size === calls.length ? run : new Run({ ledger: new Ledger(undefined), isRemembered: false })
}

/** What is offered now, and the fiber that asks; a toolset that cannot change is not asked again. */
export const withOffer = <A>(
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
