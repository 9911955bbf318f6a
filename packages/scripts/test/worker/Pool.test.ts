import { describe, expect, it } from "@effect/vitest"
import { Clock, Data, Duration, Effect, Either, Exit, Fiber, Scope, TestClock } from "effect"
import { Process } from "@wield/process"
import { noRedaction } from "../../src/process/redaction.js"
import { pipes } from "./pipes.js"
import type { Mode } from "../../src/worker/Program.js"
import { Pool, type PoolOptions } from "../../src/worker/Pool.js"
import { startWorker } from "../../src/worker/group.js"
import type { Worker } from "../../src/worker/Worker.js"
import { eventually } from "../executor/scripts.js"
import { stubProgram } from "./stub.js"

class Failed extends Data.TaggedError("Failed")<{ readonly detail: string }> {}

/** A pool of stub programs, and how many were started. */
const makeStubPool = (
  options: Partial<Omit<PoolOptions<Failed>, "start">> = {},
  mode: Mode = "keep",
  behaviour: "serve" | "crash" = "serve"
) =>
  Effect.gen(function* () {
    const started: Array<Worker> = []
    let starts = 0
    const pool = new Pool<Failed>(
      { runtime: yield* Effect.runtime(), clock: yield* Effect.clock },
      {
        size: 2,
        calls: 1000,
        memory: 1024 * 1024 * 1024,
        idle: Duration.minutes(5),
        ...options,
        start: (hooks) =>
          Effect.suspend(() => {
            starts++
            return startWorker(pipes, {
              program: stubProgram(mode, behaviour),
              process: { environment: {}, workingDirectory: process.cwd() },
              advice: "install it",
              watch: () => () => undefined,
              redaction: noRedaction,
              loading: Duration.seconds(20),
              ...hooks
            })
          }).pipe(
            Effect.tap((worker) => Effect.sync(() => started.push(worker))),
            Effect.mapError(({ detail }) => new Failed({ detail }))
          )
      }
    )
    yield* Effect.addFinalizer(() => pool.close)
    const call = (entry: string) =>
      pool.use((worker) =>
        worker
          .call({
            call: { file: "", entry, arguments: {}, environment: {} },
            output: 1_000_000,
            isOutputKept: false
          })
          .pipe(
            Effect.flatMap(Either.match({ onLeft: Effect.die, onRight: Effect.succeed })),
            Effect.map(({ cause }) =>
              cause.type === "answered" && cause.answer.type === "value" ? cause.answer.value : cause.type
            )
          )
      )
    return { pool, call, starts: () => starts, started }
  })

/** The clock of the machine, and how many fibers sleep by it. */
const countingClock = () => {
  const machine = Clock.make()
  let count = 0
  const clock: Clock.Clock = {
    ...machine,
    // The time of day is set while it waits.
    unsafeCurrentTimeMillis: () => 0,
    unsafeCurrentTimeNanos: () => machine.unsafeCurrentTimeNanos(),
    sleep: (duration) =>
      Effect.acquireUseRelease(
        Effect.sync(() => count++),
        () => machine.sleep(duration),
        () => Effect.sync(() => count--)
      )
  }
  return { clock, sleeping: () => count }
}

describe("a pool of workers", () => {
  it.scopedLive("starts nothing until it is needed, and uses a worker again", () =>
    Effect.gen(function* () {
      const { call, starts } = yield* makeStubPool()
      expect(starts()).toBe(0)
      const first = yield* call("pid")
      expect(yield* call("pid")).toBe(first)
      expect(starts()).toBe(1)
    })
  )

  it.scopedLive("runs so many calls at once as it has workers, and the others after them in order", () =>
    Effect.gen(function* () {
      const { pool, starts } = yield* makeStubPool({ size: 1 })
      const order: Array<number> = []
      const one = (index: number) => pool.use(() => Effect.sync(() => void order.push(index)))
      yield* Effect.forEach([1, 2, 3, 4, 5], one, { concurrency: "unbounded" })
      expect(order).toEqual([1, 2, 3, 4, 5])
      expect(starts()).toBe(1)
    })
  )

  it.scopedLive("a call that waits can be interrupted, and takes no worker from the next", () =>
    Effect.gen(function* () {
      const { call, pool } = yield* makeStubPool({ size: 1 })
      yield* call("pid")
      const holding = yield* Effect.fork(pool.use(() => Effect.never))
      yield* Effect.yieldNow()
      const waiting = yield* Effect.fork(call("pid"))
      yield* Effect.yieldNow()
      expect(Exit.isInterrupted(yield* Fiber.interrupt(waiting))).toBe(true)
      yield* Fiber.interrupt(holding)
      expect(yield* call("pid")).toBeTypeOf("number")
    })
  )

  it.scopedLive("replaces a worker after its calls, after one that asks for it, and after one that ended it", () =>
    Effect.gen(function* () {
      const { call, starts } = yield* makeStubPool({ size: 1, calls: 2 })
      const pids = [yield* call("pid"), yield* call("pid"), yield* call("pid")]
      expect(pids[0]).toBe(pids[1])
      expect(pids[2]).not.toBe(pids[0])
      expect(yield* call("retire")).toBe(pids[2])
      expect(yield* call("garbage")).toBe("malformed")
      expect(yield* call("die")).toBe("ended")
      expect(yield* call("pid")).toBeTypeOf("number")
      expect(starts()).toBe(5)
    })
  )

  it.scopedLive("replaces a worker that holds more memory than it may", () =>
    Effect.gen(function* () {
      const { call } = yield* makeStubPool({ size: 1, memory: 1024 })
      expect(yield* call("pid")).not.toBe(yield* call("pid"))
    })
  )

  it.scopedLive("a worker that cannot start fails one call for each start, and does not spin", () =>
    Effect.gen(function* () {
      const { call, starts } = yield* makeStubPool({}, "keep", "crash")
      const failures = yield* Effect.forEach([1, 2, 3], () => Effect.flip(call("pid")), { concurrency: "unbounded" })
      expect(failures.map(({ detail }) => detail)).toEqual(
        [1, 2, 3].map(() => "its interpreter exited with code 3 before its scripts were loaded")
      )
      expect(starts()).toBe(3)
    })
  )

  it.scoped("ends a worker that was idle for its time", () =>
    Effect.gen(function* () {
      const { call, pool, started } = yield* makeStubPool({ idle: Duration.minutes(5) })
      // Its answer may come before it says that it is ready again, and only then it begins to be idle.
      const callAndWait = Effect.zipRight(
        call("pid"),
        eventually(() => started[0]?.isReady() === true)
      )
      yield* callAndWait
      yield* TestClock.adjust("4 minutes")
      yield* callAndWait
      yield* TestClock.adjust("4 minutes")
      // The pool's own fiber takes its turn.
      yield* Process.sleep(20)
      expect([...pool.workers].length).toBe(1)
      yield* TestClock.adjust("1 minute")
      yield* eventually(() => [...pool.workers].length === 0)
      yield* started[0]?.end ?? Effect.void
    })
  )

  it.scopedLive("serves who waits before it ends what was retired", () =>
    Effect.gen(function* () {
      const { call, pool, started } = yield* makeStubPool({ size: 1 })
      const calls = yield* Effect.forEach([1, 2, 3], () => Effect.fork(call("pid")))
      yield* Effect.yieldNow()
      yield* pool.retire
      expect((yield* Effect.forEach(calls, Fiber.join)).every((pid) => typeof pid === "number")).toBe(true)
      yield* eventually(() => started.every((worker) => !worker.isReady()))
      expect([...pool.workers]).toEqual([])
    })
  )

  it.live("waits for nothing any more when it is closed, whatever its workers say by then", () => {
    const { clock, sleeping } = countingClock()
    return Effect.gen(function* () {
      for (let index = 0; index < 3; index++) {
        const scope = yield* Scope.make()
        const { call } = yield* makeStubPool({ size: 1 }).pipe(Scope.extend(scope))
        yield* call("late")
        // It says that it is ready again; that is read only when it is being ended.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
        yield* Scope.close(scope, Exit.void)
        yield* Process.sleep(20)
        expect(sleeping()).toBe(0)
      }
    }).pipe(Effect.withClock(clock))
  })

  it.scopedLive("waits for nothing any more when what was retired has ended, so that a program can end", () => {
    const { clock, sleeping } = countingClock()
    return Effect.gen(function* () {
      const { call, pool } = yield* makeStubPool({ size: 1 })
      yield* call("pid")
      yield* eventually(() => sleeping() === 1)
      yield* pool.retire
      yield* eventually(() => sleeping() === 0)
    }).pipe(Effect.withClock(clock))
  })

  it.live("ends all workers when it is closed, and interrupts who waits", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { call, started } = yield* makeStubPool({ size: 1 }).pipe(Scope.extend(scope))
      yield* call("pid")
      const looping = yield* Effect.fork(call("loop"))
      yield* eventually(() => started[0]?.calls() === 2)
      const waiting = yield* Effect.fork(call("pid"))
      yield* Effect.yieldNow()
      yield* Scope.close(scope, Exit.void)
      expect(Exit.isSuccess(yield* Fiber.await(looping))).toBe(true)
      expect(Exit.isInterrupted(yield* Fiber.await(waiting))).toBe(true)
      for (const worker of started) expect(worker.isReady()).toBe(false)
    })
  )
})
