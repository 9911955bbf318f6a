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

/** One that forks is worth a second, so that calls do not wait for its fork; others are ready at once. */
const isComing = ({ isUsed, worker }: Member): boolean => !isUsed && worker.mode !== "fork" && !worker.isReady()

/** Starts nothing yet. The caller closes it. */
export class Pool<E> {
  readonly #runtime: Runtime.Runtime<never>
  readonly #clock: Clock.Clock
  readonly #idle: number
  readonly #members = new Map<Worker, Member>()
  /** All that have not ended, those too that are not members any more. */
  readonly #alive = new Set<Worker>()
  readonly #ready: Array<Member> = []
  readonly #waiting: Array<Waiter<E>> = []
  #starting = 0
  #isRetired = false
  #isClosed = false
  /** Of workers that are there or are being started. */
  readonly #scopes = new Set<Scope.CloseableScope>()
  #reaper: Fiber.RuntimeFiber<void> | undefined
  #isReaping = false
  readonly #drained = Deferred.unsafeMake<void>(FiberId.none)

  constructor(
    { clock, runtime }: Machinery,
    private readonly options: PoolOptions<E>
  ) {
    this.#clock = clock
    this.#runtime = runtime
    this.#idle = Duration.toMillis(options.idle)
  }

  get workers(): Iterable<Worker> {
    return this.#members.keys()
  }

  /** Uses a worker that no other call uses; waits for one in the order of calls. */
  use<A, E2>(run: (worker: Worker) => Effect.Effect<A, E2>): Effect.Effect<A, E | E2> {
    return Effect.uninterruptibleMask((restore) => {
      if (this.#isClosed) return Effect.interrupt
      const waiter: Waiter<E> = { member: this.#take(), failure: undefined, wake: () => undefined }
      if (waiter.member === undefined) {
        this.#waiting.push(waiter)
        this.#dispatch()
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
        Effect.sync(() => this.#release(waiter))
      )
    })
  }

  /** Ends workers when their calls are over; calls that wait already are served. Waits for the last. */
  readonly retire: Effect.Effect<void> = Effect.suspend(() => {
    this.#retire()
    return Deferred.await(this.#drained)
  })

  /** Kills all workers, and waits for their end. */
  readonly close: Effect.Effect<void> = Effect.suspend(() => {
    this.#isClosed = true
    while (this.#waiting.length > 0) this.#failFirst(Cause.interrupt(FiberId.none))
    const all = Effect.forEach([...this.#scopes], (own) => this.#closeScope(own), {
      concurrency: "unbounded",
      discard: true
    })
    const ends = Effect.suspend(() => Effect.forEach([...this.#alive], ({ end }) => end, { discard: true }))
    const reaped = this.#reaper === undefined ? Effect.void : Fiber.interrupt(this.#reaper)
    return reaped.pipe(Effect.zipRight(all), Effect.zipRight(ends))
  })

  /** Milliseconds of a clock that is never set. */
  #now(): number {
    return Number(this.#clock.unsafeCurrentTimeNanos()) / 1_000_000
  }

  #remove(member: Member): void {
    this.#members.delete(member.worker)
    const at = this.#ready.indexOf(member)
    if (at !== -1) this.#ready.splice(at, 1)
  }

  #end(member: Member): void {
    if (!this.#members.has(member.worker)) return
    this.#remove(member)
    member.worker.close()
    Runtime.runFork(
      this.#runtime,
      Effect.zipRight(Effect.raceFirst(member.worker.end, Process.sleep(graceful)), this.#closeScope(member.scope))
    )
    this.#dispatch()
  }

  #closeScope(own: Scope.CloseableScope): Effect.Effect<void> {
    return Effect.zipRight(
      Scope.close(own, Exit.void),
      Effect.sync(() => {
        this.#scopes.delete(own)
        this.#checkDrained()
      })
    )
  }

  #checkDrained(): void {
    if (!this.#isRetired || this.#scopes.size > 0 || this.#waiting.length > 0) return
    // Its owner forgets it now, and would not close it: a fiber that sleeps keeps the program from ending.
    if (this.#reaper !== undefined) Fibers.interrupt(this.#reaper)
    Deferred.unsafeDone(this.#drained, Effect.void)
  }

  #isWorn(member: Member): boolean {
    const { worker } = member
    if (worker.retired() !== undefined || worker.calls() >= this.options.calls) return true
    if (worker.mode === "once" && worker.calls() > 0) return true
    const at = performance.now()
    if (worker.calls() === 0 || at - member.lookedAt < memoryInterval) return false
    member.lookedAt = at
    return ProcessTable.readResident(worker.pid) > this.options.memory
  }

  /** Takes back an idle member. */
  #offer(member: Member): void {
    if (this.#isClosed || member.isUsed || !this.#members.has(member.worker)) return
    if (this.#isWorn(member) || (this.#isRetired && this.#waiting.length === 0)) return this.#end(member)
    // It says so when it is ready again.
    if (!member.worker.isReady() || this.#ready.includes(member)) return
    member.idleSince = this.#now()
    this.#ready.push(member)
    this.#dispatch()
    if (this.#isReaping) return
    // The fiber may have begun, and even ended, when it is given.
    this.#isReaping = true
    this.#reaper = Runtime.runFork(this.#runtime, this.#reap)
  }

  readonly #reap: Effect.Effect<void> = Effect.suspend(() => {
    const at = this.#now()
    for (const member of this.#ready.filter(({ idleSince }) => at - idleSince >= this.#idle)) this.#end(member)
    if (this.#ready.length === 0) {
      this.#isReaping = false
      return Effect.void
    }
    const oldest = this.#ready.reduce((least, { idleSince }) => Math.min(least, idleSince), at)
    return Effect.zipRight(Effect.sleep(oldest + this.#idle - at), this.#reap)
  })

  /** The one that was used last: the others may become idle. */
  #take(): Member | undefined {
    const member = this.#ready.pop()
    if (member === undefined) return undefined
    if (!member.worker.isReady()) return this.#take()
    member.isUsed = true
    return member
  }

  #dispatch(): void {
    while (this.#waiting.length > 0) {
      const member = this.#take()
      if (member === undefined) break
      const waiter = this.#waiting.shift()
      if (waiter === undefined) break
      waiter.member = member
      waiter.wake()
    }
    if (this.#isClosed) return
    const coming = this.#starting + [...this.#members.values()].filter(isComing).length
    const count = Math.min(this.options.size - this.#members.size - this.#starting, this.#waiting.length - coming)
    for (let index = 0; index < count; index++) this.#start()
  }

  /** Each start that fails fails one call, so that nothing is started again and again without one. */
  #failFirst(failure: Cause.Cause<E>): void {
    const waiter = this.#waiting.shift()
    if (waiter === undefined) return
    waiter.failure = failure
    waiter.wake()
  }

  readonly #hooks: Pick<WorkerOptions, "ready" | "ended"> = {
    ready: (worker) => {
      this.#alive.add(worker)
      const member = this.#members.get(worker)
      if (member !== undefined) this.#offer(member)
    },
    ended: (worker) => {
      this.#alive.delete(worker)
      const member = this.#members.get(worker)
      if (member !== undefined) this.#end(member)
    }
  }

  #start(): void {
    this.#starting++
    const started = Effect.gen(this, function* () {
      const own = yield* Scope.make()
      this.#scopes.add(own)
      const exit = yield* Effect.exit(Scope.extend(this.options.start(this.#hooks), own))
      this.#starting--
      if (Exit.isFailure(exit)) {
        this.#failFirst(exit.cause)
        this.#dispatch()
        return yield* this.#closeScope(own)
      }
      const member: Member = { worker: exit.value, scope: own, isUsed: false, lookedAt: 0, idleSince: 0 }
      this.#members.set(member.worker, member)
      // It may have ended, or have been replaced, meanwhile.
      if (!this.#alive.has(member.worker)) return this.#end(member)
      this.#offer(member)
    })
    Runtime.runFork(this.#runtime, started)
  }

  #release(waiter: Waiter<E>): void {
    const { member } = waiter
    if (member === undefined) {
      const at = this.#waiting.indexOf(waiter)
      if (at !== -1) this.#waiting.splice(at, 1)
    } else {
      member.isUsed = false
      this.#offer(member)
    }
    if (this.#isRetired) this.#retire()
  }

  #retire(): void {
    this.#isRetired = true
    if (this.#waiting.length === 0) for (const member of this.#ready.slice()) this.#end(member)
    this.#checkDrained()
  }
}
