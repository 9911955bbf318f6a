/**
 * The calls of one turn: side by side, but for the barriers that sequential
 * tools are. They come all at once (`batch`), or one by one while a model still
 * streams them (`openBatch`).
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { unheard } from "../CurrentCall.js"
import { effectOf } from "../internal/effectOf.js"
import { holds, orThrow } from "../Options.js"
import { Defect, Interrupted, isOutcome, type Outcome } from "../Outcome.js"
import { canWait, onEnd, type Running, transplant, withFiber } from "../Fibers.js"
import { nextTurn } from "../Time.js"
import type { ToolCall } from "../ToolCall.js"
import type * as ToolRunner from "../ToolRunner.js"
import type { DynamicTools, Offer } from "../toolset/model.js"
import { checkCall, Execution, type Progress } from "./execution.js"
import { Ledger } from "./ledger.js"
import type { Machine } from "./machine.js"
import { abandon, pipeline } from "./pipeline.js"
import { reference } from "./reference.js"
import { Run } from "./run.js"
import { openSpan } from "./span.js"

type Ended = Outcome | Effect.Effect<Outcome, unknown>

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
      const begin = () => {
        const ended = start(new Execution(machine, run, offer, call, unheard, undefined, fiber))
        return isOutcome(ended) ? raise(ended) : Effect.flatMap(ended, raise)
      }
      // Where the journal takes its time, many calls may be made before the first one ends.
      const turn = run.ledger?.isInMemory === false ? beginInTurn() : undefined
      return turn === undefined ? begin() : Effect.flatMap(turn, begin)
    },
    (cause) => diedBefore(call, cause)
  )

export const batch = (
  machine: Machine,
  current: () => Run,
  calls: ReadonlyArray<ToolCall>,
  watcher: ToolRunner.Watcher | undefined
): Effect.Effect<ReadonlyArray<Outcome>, unknown> =>
  withOffer(
    machine,
    current,
    (run, offer, fiber) => {
      checkCalls(calls)
      const own = remembering(run, calls)
      const begun = new Batch(machine, own, offer, (place, fiber) =>
        startCall(machine, own, offer, watcher, place, fiber)
      )
      const all = beginAll(begun, calls, fiber, 0)
      if (all === undefined) return Effect.succeed(begun.outcomes)
      return Effect.map(
        Effect.onError(all, () => begun.stop),
        () => begun.outcomes
      )
    },
    (cause) => Effect.forEach(calls, (call) => diedBefore(call, cause))
  )

/** Before one of them is begun. */
export const checkCalls = (calls: ReadonlyArray<ToolCall>): void => {
  orThrow(anArray(calls), "What is run")
  for (const call of calls) checkCall(call)
}

const anArray = holds("an array of calls", Array.isArray)

export const openBatch = (
  machine: Machine,
  current: () => Run,
  watcher: ToolRunner.Watcher | undefined
): Effect.Effect<ToolRunner.Batch<DynamicTools, never, unknown>, unknown> =>
  withOffer(
    machine,
    current,
    (run, offered) => {
      const opened = new Batch(machine, run, offered, (place, fiber) =>
        // What is offered may have changed since the batch was opened.
        machine.known === undefined
          ? withOffer(
              machine,
              () => run,
              (_, offer, own) => effectOf(startCall(machine, run, offer, watcher, place, own)),
              (cause) => diedBefore(place.call, cause)
            )
          : startCall(machine, run, offered, watcher, place, fiber)
      )
      let inTurn = 0
      return Effect.succeed({
        add: (call) =>
          machine.provide(
            withFiber<void>((fiber) => {
              checkCall(call)
              const waiting = opened.add(call, fiber)
              const begun = waiting === undefined ? Effect.void : opened.fork([waiting])
              if (++inTurn < mostInTurn || !canWait(fiber)) return begun
              inTurn = 0
              return Effect.zipRight(begun, nextTurn)
            })
          ),
        settled: opened.settled,
        close: Effect.map(opened.stop, () => opened.outcomes)
      })
    },
    Effect.failCause
  )

/** Begins calls, and waits for those that have not ended at once. */
const beginAll = (
  begun: Batch,
  calls: ReadonlyArray<ToolCall>,
  fiber: Running,
  from: number
): Effect.Effect<void, unknown> | undefined => {
  const end = canWait(fiber) ? Math.min(calls.length, from + mostInTurn) : calls.length
  const waiting: Array<Waiting> = []
  for (const call of calls.slice(from, end)) {
    const left = begun.add(call, fiber)
    if (left !== undefined) waiting.push(left)
  }
  if (end < calls.length) {
    return Effect.zipRight(
      begun.fork(waiting),
      Effect.flatMap(nextTurn, () => beginAll(begun, calls, fiber, end) ?? Effect.void)
    )
  }
  // A call that is alone needs no fiber of its own.
  if (waiting.length < 2 && !begun.isRunning) return waiting[0]?.end
  return Effect.zipRight(begun.fork(waiting), begun.settled)
}

/** A call of a batch. */
interface Place {
  readonly call: ToolCall
  readonly segment: Segment
  outcome: Outcome | undefined
  /** Set while the call runs: it may be interrupted before its own fiber comes to run. */
  execution: Execution | undefined
}

/** A call that has not ended at once. */
interface Waiting {
  readonly place: Place
  readonly end: Effect.Effect<void, unknown>
}

/** Calls between two barriers; they begin when all before them have ended. */
class Segment {
  /** How many of its calls have not ended. */
  left = 0
  next: Segment | undefined = undefined

  constructor(
    readonly isSequential: boolean,
    /** Absent once its calls may begin. */
    public gate: Effect.Latch | undefined
  ) {}

  leave(): void {
    const { next } = this
    if (--this.left > 0 || next === undefined) return
    next.gate?.unsafeOpen()
    next.gate = undefined
  }
}

class Batch {
  readonly #places: Array<Place> = []
  readonly #fibers = new Set<Fiber.RuntimeFiber<void, unknown>>()
  readonly #permits: Effect.Semaphore | undefined
  #last: Segment | undefined
  #failure: Effect.Effect<void, unknown> | undefined
  #whenSettled: (() => void) | undefined

  constructor(
    { policy: { concurrency } }: Machine,
    readonly run: Run,
    readonly offer: Offer,
    readonly begin: (place: Place, fiber: Running) => Ended
  ) {
    this.#permits = concurrency === undefined ? undefined : Effect.unsafeMakeSemaphore(concurrency)
  }

  /** Begins a call if it may begin now. An outcome that is there at once is kept at once. */
  add(call: ToolCall, fiber: Running): Waiting | undefined {
    const segment = this.#segmentOf(call)
    const place: Place = { call, segment, outcome: undefined, execution: undefined }
    this.#places.push(place)
    segment.left++
    const { gate } = segment
    if (gate === undefined && this.#permits === undefined) {
      const ended = this.begin(place, fiber)
      if (!isOutcome(ended)) return { place, end: keepOutcome(place, ended) }
      segment.leave()
      return undefined
    }
    const begun = withFiber<Outcome, unknown>((own) => effectOf(this.begin(place, own)))
    // Under a limit, a call begins only when there is room for it.
    const permitted = this.#permits === undefined ? begun : this.#permits.withPermits(1)(begun)
    return { place, end: keepOutcome(place, gate === undefined ? permitted : Effect.zipRight(gate.await, permitted)) }
  }

  /** What a handler forks lives as long as the fiber that added its call, as it does where a call runs alone. */
  fork(waiting: ReadonlyArray<Waiting>): Effect.Effect<void> {
    if (waiting.length === 0) return Effect.void
    return Effect.uninterruptibleMask((restore) =>
      transplant((graft) =>
        graft(
          Effect.forEach(
            waiting,
            ({ end, place }) => Effect.map(Effect.forkDaemon(restore(end)), (fiber) => this.#follow(fiber, place)),
            { discard: true }
          )
        )
      )
    )
  }

  get isRunning(): boolean {
    return this.#fibers.size > 0
  }

  /** Waits for all calls. Fails with what the toolset failed with. */
  get settled(): Effect.Effect<void, unknown> {
    return Effect.suspend(() => {
      if (!this.isRunning) return this.#failure ?? Effect.void
      // `Effect.all` would merge the references of each fiber into those of this one, all of them at once at the end.
      return Effect.async((resume) => {
        this.#whenSettled = () => resume(this.#failure ?? Effect.void)
      })
    })
  }

  /** Interrupts the calls that still run. */
  get stop(): Effect.Effect<void> {
    const abandoned = Effect.suspend(() => {
      const left = this.#places.flatMap(({ execution }) => (execution === undefined ? [] : [execution]))
      return left.length === 0 ? Effect.void : Effect.forEach(left, abandon, { discard: true })
    })
    return Effect.suspend(() =>
      this.isRunning ? Effect.zipRight(Fiber.interruptAll([...this.#fibers]), abandoned) : abandoned
    )
  }

  /** One for each call, in the order they were added. */
  get outcomes(): ReadonlyArray<Outcome> {
    return this.#places.map(
      ({ call, execution, outcome }) =>
        outcome ?? execution?.outcome ?? new Interrupted({ call, hasBegun: !this.run.isNewTurn })
    )
  }

  #segmentOf({ name }: ToolCall): Segment {
    const last = this.#last
    const isSequential = this.offer.entries.get(name)?.definition.facts.isSequential ?? false
    if (last !== undefined && !isSequential && !last.isSequential) return last
    const isOpen = last === undefined || (last.gate === undefined && last.left === 0)
    const segment = new Segment(isSequential, isOpen ? undefined : Effect.unsafeMakeLatch())
    if (last !== undefined) last.next = segment
    this.#last = segment
    return segment
  }

  #follow(fiber: Fiber.RuntimeFiber<void, unknown>, { segment }: Place): void {
    this.#fibers.add(fiber)
    onEnd(fiber, (exit) => {
      this.#fibers.delete(fiber)
      if (exit._tag === "Failure") this.#failure ??= exit
      segment.leave()
      if (!this.isRunning) this.#whenSettled?.()
    })
  }
}

const keepOutcome = (place: Place, ended: Effect.Effect<Outcome, unknown>): Effect.Effect<void, unknown> =>
  Effect.map(ended, (outcome) => {
    place.outcome = outcome
    place.execution = undefined
  })

const startCall = (
  machine: Machine,
  run: Run,
  offer: Offer,
  watcher: ToolRunner.Watcher | undefined,
  place: Place,
  fiber: Running
): Ended => {
  const { call } = place
  const executionOf = (progress: Progress) => new Execution(machine, run, offer, call, progress, undefined, fiber)
  return watcher === undefined
    ? start(executionOf(unheard), place)
    : watch(
        watcher,
        call,
        () => executionOf(watcher.progress(call)),
        (execution) => start(execution, place)
      )
}

const start = (execution: Execution, place?: Place): Outcome | Effect.Effect<Outcome> => {
  const span = openSpan(execution)
  execution.span = span
  execution.run.begin()
  const ended = pipeline(execution)
  if (place !== undefined) {
    if (isOutcome(ended)) place.outcome = ended
    else place.execution = execution
  }
  if (isOutcome(ended)) return ended
  // What the handler traces is part of the call.
  return span === undefined ? ended : Effect.withParentSpan(ended, span)
}

/**
 * Tells when a call begins, which is when its handler does, and how it ended, also where its caller has interrupted it,
 * and it came to an end of its own all the same. A call that waits has not begun; one that ends before it could, begins
 * and ends at once.
 */
export const watch = (
  watcher: ToolRunner.Watcher,
  call: ToolCall,
  executionOf: () => Execution,
  begin: (execution: Execution) => Outcome | Effect.Effect<Outcome>
): Outcome | Effect.Effect<Outcome> => {
  const execution = executionOf()
  execution.tellBegun = () => watcher.started(call)
  watcher.entered?.(call)
  const finished = (outcome: Outcome): Effect.Effect<void> | undefined => {
    const started = outcome._tag === "Deferred" ? undefined : execution.tellBegun?.()
    return started === undefined
      ? watcher.finished(call, outcome)
      : Effect.flatMap(started, () => watcher.finished(call, outcome) ?? Effect.void)
  }
  const ended = begin(execution)
  if (isOutcome(ended)) {
    const heard = finished(ended)
    return heard === undefined ? ended : Effect.as(heard, ended)
  }
  return ended.pipe(
    Effect.onError(() => {
      const { outcome } = execution
      return outcome === undefined || outcome._tag === "Interrupted" ? Effect.void : (finished(outcome) ?? Effect.void)
    }),
    Effect.tap((outcome) => finished(outcome))
  )
}

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
  use: (run: Run, offer: Offer, fiber: Running) => Effect.Effect<A, unknown>,
  died: (cause: Cause.Cause<unknown>) => Effect.Effect<A, unknown>
): Effect.Effect<A, unknown> =>
  machine.provide(
    withFiber<A, unknown>((fiber) => {
      const run = current()
      return machine.known === undefined
        ? Effect.matchCauseEffect(run.provide(machine.offer), {
            onSuccess: (offer) => use(run, offer, fiber),
            onFailure: (cause) => (Cause.isDie(cause) ? died(cause) : Effect.failCause(cause))
          })
        : use(run, machine.known, fiber)
    })
  )

/** A filter or a preparation that throws is the program's mistake; each call ends all the same. */
export const diedBefore = (call: ToolCall, cause: Cause.Cause<unknown>): Effect.Effect<Outcome> => {
  const outcome = new Defect({ call, reference: reference(), cause })
  return Effect.as(
    Effect.logError(`The toolset failed internally before a call was run (reference ${outcome.reference})`),
    outcome
  )
}

/** How many calls begin in one turn of the event loop: timers and sockets come between, however many there are. */
export const mostInTurn = 64

let begunInTurn = 0
const waitingForTurn = new Set<() => void>()

const beginNextTurn: Effect.Effect<void> = Effect.flatMap(nextTurn, () => {
  begunInTurn = 0
  for (const wake of waitingForTurn) {
    if (begunInTurn === mostInTurn) break
    waitingForTurn.delete(wake)
    begunInTurn++
    wake()
  }
  return begunInTurn === 0 ? Effect.void : beginNextTurn
})

/** `undefined` where a call may begin in this turn; otherwise it waits, behind those that wait already. */
const beginInTurn = (): Effect.Effect<void> | undefined => {
  if (begunInTurn < mostInTurn) {
    if (begunInTurn++ === 0) Effect.runFork(beginNextTurn)
    return undefined
  }
  return Effect.async((resume) => {
    const wake = () => resume(Effect.void)
    waitingForTurn.add(wake)
    return Effect.sync(() => waitingForTurn.delete(wake))
  })
}
