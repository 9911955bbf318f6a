/** Workers that take calls in order. They start when needed, are used again, and end when no call needs them. */
import * as Fibers from "@wield/core/Fibers"
import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Runtime from "effect/Runtime"
import * as Scope from "effect/Scope"
import * as Process from "@wield/process/Process"
import * as ProcessTable from "@wield/process/ProcessTable"
import type { Worker, WorkerOptions } from "./Worker.js"

export interface PoolOptions<E> {
  /** Workers at most. */
  readonly size: number
  /** Calls after which a worker is replaced. */
  readonly calls: number
  /** Bytes of resident memory over which it is replaced. */
  readonly memory: number
  readonly idle: Duration.Duration
  /** Starts one and waits until it is ready; it ends with its scope. */
  readonly start: (hooks: Pick<WorkerOptions, "ready" | "ended">) => Effect.Effect<Worker, E, Scope.Scope>
}

export interface Pool<E> {
  /** Uses a worker that no other call uses; waits for one in the order of calls. */
  readonly use: <A, E2>(run: (worker: Worker) => Effect.Effect<A, E2>) => Effect.Effect<A, E | E2>
  /** Ends workers when their calls are over; calls that wait already are served. Waits for the last. */
  readonly retire: Effect.Effect<void>
  /** Kills all workers, and waits for their end. */
  readonly close: Effect.Effect<void>
  readonly workers: () => Iterable<Worker>
}

/** Of the pool's owner: its fibers run in it. */
export interface Machinery {
  readonly runtime: Runtime.Runtime<never>
  readonly clock: Clock.Clock
}

/** Milliseconds that a worker has to end by itself before it is killed. */
const graceful = 1000

/** Milliseconds between looks at how much memory a worker has. */
const memoryInterval = 100

interface Member {
  readonly worker: Worker
  readonly scope: Scope.CloseableScope
  isUsed: boolean
  /** By the machine's clock, as memory is the machine's. */
  lookedAt: number
  idleSince: number
}

interface Waiter<E> {
  member: Member | undefined
  failure: Cause.Cause<E> | undefined
  wake: () => void
}

/** Starts nothing yet. The caller closes it. */
export const makePool = <E>({ clock, runtime }: Machinery, options: PoolOptions<E>): Pool<E> => {
  const idle = Duration.toMillis(options.idle)

  /** Milliseconds of a clock that is never set. */
  const now = () => Number(clock.unsafeCurrentTimeNanos()) / 1_000_000
  const members = new Map<Worker, Member>()
  /** All that have not ended, those too that are not members any more. */
  const alive = new Set<Worker>()
  const ready: Array<Member> = []
  const waiting: Array<Waiter<E>> = []
  let starting = 0
  let isRetired = false
  let isClosed = false
  /** Of workers that are there or are being started. */
  const scopes = new Set<Scope.CloseableScope>()
  let reaper: Fiber.RuntimeFiber<void> | undefined
  let isReaping = false
  const drained = Deferred.unsafeMake<void>(FiberId.none)

  const remove = (member: Member) => {
    members.delete(member.worker)
    const at = ready.indexOf(member)
    if (at !== -1) ready.splice(at, 1)
  }

  const end = (member: Member) => {
    if (!members.has(member.worker)) return
    remove(member)
    member.worker.close()
    Runtime.runFork(
      runtime,
      Effect.zipRight(Effect.raceFirst(member.worker.end, Process.sleep(graceful)), closeScope(member.scope))
    )
    dispatch()
  }

  const closeScope = (own: Scope.CloseableScope): Effect.Effect<void> =>
    Effect.zipRight(
      Scope.close(own, Exit.void),
      Effect.sync(() => {
        scopes.delete(own)
        checkDrained()
      })
    )

  const checkDrained = () => {
    if (!isRetired || scopes.size > 0 || waiting.length > 0) return
    // Its owner forgets it now, and would not close it: a fiber that sleeps keeps the program from ending.
    if (reaper !== undefined) Fibers.interrupt(reaper)
    Deferred.unsafeDone(drained, Effect.void)
  }

  const isWorn = (member: Member): boolean => {
    const { worker } = member
    if (worker.retired() !== undefined || worker.calls() >= options.calls) return true
    if (worker.mode === "once" && worker.calls() > 0) return true
    const at = performance.now()
    if (worker.calls() === 0 || at - member.lookedAt < memoryInterval) return false
    member.lookedAt = at
    return ProcessTable.readResident(worker.pid) > options.memory
  }

  /** Takes back an idle member. */
  const offer = (member: Member) => {
    if (isClosed || member.isUsed || !members.has(member.worker)) return
    if (isWorn(member) || (isRetired && waiting.length === 0)) return end(member)
    // It says so when it is ready again.
    if (!member.worker.isReady() || ready.includes(member)) return
    member.idleSince = now()
    ready.push(member)
    dispatch()
    if (isReaping) return
    // The fiber may have begun, and even ended, when it is given.
    isReaping = true
    reaper = Runtime.runFork(runtime, reap)
  }

  const reap: Effect.Effect<void> = Effect.suspend(() => {
    const at = now()
    for (const member of ready.filter(({ idleSince }) => at - idleSince >= idle)) end(member)
    if (ready.length === 0) {
      isReaping = false
      return Effect.void
    }
    const oldest = ready.reduce((least, { idleSince }) => Math.min(least, idleSince), at)
    return Effect.zipRight(Effect.sleep(oldest + idle - at), reap)
  })

  /** The one that was used last: the others may become idle. */
  const take = (): Member | undefined => {
    const member = ready.pop()
    if (member === undefined) return undefined
    if (!member.worker.isReady()) return take()
    member.isUsed = true
    return member
  }

  /** One that forks is worth a second, so that calls do not wait for its fork; others are ready at once. */
  const isComing = ({ isUsed, worker }: Member): boolean => !isUsed && worker.mode !== "fork" && !worker.isReady()

  const dispatch = () => {
    while (waiting.length > 0) {
      const member = take()
      if (member === undefined) break
      const waiter = waiting.shift()
      if (waiter === undefined) break
      waiter.member = member
      waiter.wake()
    }
    if (isClosed) return
    const coming = starting + [...members.values()].filter(isComing).length
    const count = Math.min(options.size - members.size - starting, waiting.length - coming)
    for (let index = 0; index < count; index++) start()
  }

  /** Each start that fails fails one call, so that nothing is started again and again without one. */
  const failFirst = (failure: Cause.Cause<E>) => {
    const waiter = waiting.shift()
    if (waiter === undefined) return
    waiter.failure = failure
    waiter.wake()
  }

  const hooks: Pick<WorkerOptions, "ready" | "ended"> = {
    ready: (worker) => {
      alive.add(worker)
      const member = members.get(worker)
      if (member !== undefined) offer(member)
    },
    ended: (worker) => {
      alive.delete(worker)
      const member = members.get(worker)
      if (member !== undefined) end(member)
    }
  }

  const start = () => {
    starting++
    const started = Effect.gen(function* () {
      const own = yield* Scope.make()
      scopes.add(own)
      const exit = yield* Effect.exit(Scope.extend(options.start(hooks), own))
      starting--
      if (Exit.isFailure(exit)) {
        failFirst(exit.cause)
        dispatch()
        return yield* closeScope(own)
      }
      const member: Member = { worker: exit.value, scope: own, isUsed: false, lookedAt: 0, idleSince: 0 }
      members.set(member.worker, member)
      // It may have ended, or have been replaced, meanwhile.
      if (!alive.has(member.worker)) return end(member)
      offer(member)
    })
    Runtime.runFork(runtime, started)
  }

  const release = (waiter: Waiter<E>) => {
    const { member } = waiter
    if (member === undefined) {
      const at = waiting.indexOf(waiter)
      if (at !== -1) waiting.splice(at, 1)
    } else {
      member.isUsed = false
      offer(member)
    }
    if (isRetired) retire()
  }

  const retire = () => {
    isRetired = true
    if (waiting.length === 0) for (const member of ready.slice()) end(member)
    checkDrained()
  }

  const close = Effect.suspend(() => {
    isClosed = true
    while (waiting.length > 0) failFirst(Cause.interrupt(FiberId.none))
    const all = Effect.forEach([...scopes], closeScope, { concurrency: "unbounded", discard: true })
    const ends = Effect.suspend(() => Effect.forEach([...alive], ({ end }) => end, { discard: true }))
    const reaped = reaper === undefined ? Effect.void : Fiber.interrupt(reaper)
    return reaped.pipe(Effect.zipRight(all), Effect.zipRight(ends))
  })

  return {
    use: <A, E2>(run: (worker: Worker) => Effect.Effect<A, E2>) =>
      Effect.uninterruptibleMask((restore) => {
        if (isClosed) return Effect.interrupt
        const waiter: Waiter<E> = { member: take(), failure: undefined, wake: () => undefined }
        if (waiter.member === undefined) {
          waiting.push(waiter)
          dispatch()
        }
        const woken = Effect.async<void>((resume) => {
          waiter.wake = () => resume(Effect.void)
        })
        const served: Effect.Effect<A, E | E2> = Effect.suspend((): Effect.Effect<A, E | E2> => {
          if (waiter.failure !== undefined) return Effect.failCause(waiter.failure)
          return waiter.member === undefined ? Effect.zipRight(woken, served) : run(waiter.member.worker)
        })
        return Effect.ensuring(
          restore(served),
          Effect.sync(() => release(waiter))
        )
      }),
    retire: Effect.suspend(() => {
      retire()
      return Deferred.await(drained)
    }),
    close,
    workers: () => members.keys()
  }
}
