import { describe, expect, it } from "@effect/vitest"
import { CurrentCall, Journal, Outcome, type Policy, ToolCall, ToolResult, ToolRunner, Toolset } from "@wield/core"
import { Deferred, Duration, Effect, Fiber, Schedule, TestClock } from "effect"
import { IdempotentJob, Job, jobCall, type JobHandler, jobs, ReadOnlyJob } from "../../tools/Job.js"
import { expectOutcome, tagsOf } from "../../tools/outcomes.js"

type Limits = NonNullable<Policy.Policy<{ readonly job: typeof Job }>["limits"]>

const runnerOf = (handler: JobHandler, limits: Limits, tool = Job) =>
  Effect.flatMap(jobs(handler, tool), (toolset) => ToolRunner.make(toolset, { limits }))

describe("timeout", () => {
  it.scoped("a handler that takes longer is interrupted, and the call ends as TimedOut", () =>
    Effect.gen(function* () {
      let wasInterrupted = false
      const runner = yield* runnerOf(
        () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => void (wasInterrupted = true))),
        {
          default: { timeout: "2 seconds" }
        }
      )
      const fiber = yield* Effect.fork(runner.run(jobCall("c")))
      yield* TestClock.adjust("1999 millis")
      expect(fiber.unsafePoll()).toBeNull()
      yield* TestClock.adjust("1 millis")
      const outcome = expectOutcome(yield* Fiber.join(fiber), "TimedOut")
      expect(outcome.limit).toBe(2000)
      yield* Effect.yieldNow()
      expect(wasInterrupted).toBe(true)
      const result = Outcome.render(outcome)
      expect(result === undefined ? "" : ToolResult.toText(result)).toBe(
        "The tool job was stopped after its limit of 2000 ms. It may have taken effect in part."
      )
    })
  )

  it.scoped("a tool that changes nothing has taken no effect in part, when it is recorded and replayed neither", () =>
    Effect.gen(function* () {
      const toolset = yield* jobs(() => Effect.never, ReadOnlyJob)
      const runner = yield* ToolRunner.make(toolset, {
        limits: { default: { timeout: "2 seconds" } },
        journal: yield* Journal.memory
      })
      const run = runner.forRun({})
      const fiber = yield* Effect.fork(run.run(jobCall("c")))
      yield* TestClock.adjust("2 seconds")
      for (const outcome of [yield* Fiber.join(fiber), yield* run.run(jobCall("c"))]) {
        expect(Outcome.text(outcome)).toBe("The tool job was stopped after its limit of 2000 ms.")
      }
    })
  )

  it.scoped("a handler that is in time is not touched", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf(() => Effect.delay(Effect.succeed("done"), "1 second"), {
        default: { timeout: "2 seconds" }
      })
      const fiber = yield* Effect.fork(runner.run(jobCall("c")))
      yield* TestClock.adjust("1 second")
      expect(expectOutcome(yield* Fiber.join(fiber), "Success").encoded).toBe("done")
    })
  )

  it.scoped("a tool's own limit goes before the default", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf(() => Effect.never, {
        default: { timeout: "1 minute" },
        tools: { job: { timeout: Duration.millis(10) } }
      })
      const fiber = yield* Effect.fork(runner.run(jobCall("c")))
      yield* TestClock.adjust("10 millis")
      expect(expectOutcome(yield* Fiber.join(fiber), "TimedOut").limit).toBe(10)
    })
  )

  it.scoped("a handler whose finalizer hangs does not hold up the outcome", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf(() => Effect.onInterrupt(Effect.never, () => Effect.never), {
        default: { timeout: "1 second" }
      })
      const fiber = yield* Effect.fork(runner.run(jobCall("c")))
      yield* TestClock.adjust("1 second")
      expectOutcome(yield* Fiber.join(fiber), "TimedOut")
    })
  )

  it.scoped("all attempts together have the time of one", () =>
    Effect.gen(function* () {
      let attempts = 0
      const runner = yield* runnerOf(
        () =>
          Effect.zipRight(
            Effect.sync(() => ++attempts),
            Effect.delay(Effect.fail("again"), "400 millis")
          ),
        { tools: { job: { timeout: "1 second", retry: Schedule.forever } } }
      )
      const fiber = yield* Effect.fork(runner.run(jobCall("c")))
      yield* TestClock.adjust("1 second")
      const outcome = expectOutcome(yield* Fiber.join(fiber), "TimedOut")
      expect(attempts).toBe(3)
      expect(outcome.notes).toEqual([{ _tag: "Retried", attempts: 3 }])
    })
  )
})

describe("retry", () => {
  const failing =
    (times: number, seen: Array<number> = []): JobHandler =>
    () =>
      Effect.flatMap(CurrentCall.CurrentCall, ({ attempt }) => {
        seen.push(attempt)
        return attempt <= times ? Effect.fail(`failure ${attempt}`) : Effect.succeed(attempt)
      })

  it.scoped("runs the handler again after a typed failure, tells it the attempt, and notes it", () =>
    Effect.gen(function* () {
      const seen: Array<number> = []
      const runner = yield* runnerOf(failing(2, seen), { tools: { job: { retry: Schedule.recurs(5) } } })
      const outcome = expectOutcome(yield* runner.run(jobCall("c")), "Success")
      expect(outcome.encoded).toBe(3)
      expect(outcome.notes).toEqual([{ _tag: "Retried", attempts: 3 }])
      expect(seen).toEqual([1, 2, 3])
    })
  )

  it.scoped("ends with the last failure when the schedule ends", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf(failing(9), { tools: { job: { retry: Schedule.recurs(2) } } })
      const outcome = expectOutcome(yield* runner.run(jobCall("c")), "Failure")
      expect(outcome.failure).toBe("failure 3")
    })
  )

  it.scoped("runs a handler that fails at once again, too", () =>
    Effect.gen(function* () {
      let runs = 0
      const runner = yield* runnerOf(() => (++runs < 3 ? Effect.fail("again") : Effect.succeed(runs)), {
        tools: { job: { retry: Schedule.recurs(5) } }
      })
      expect(expectOutcome(yield* runner.run(jobCall("c")), "Success").encoded).toBe(3)
    })
  )

  it.scoped("keeps one idempotency key for all attempts", () =>
    Effect.gen(function* () {
      const keys = new Set<string>()
      const runner = yield* runnerOf(
        () =>
          Effect.flatMap(CurrentCall.CurrentCall, (call) => {
            keys.add(call.idempotencyKey)
            return Effect.fail("again")
          }),
        { tools: { job: { retry: Schedule.recurs(3) } } }
      )
      yield* runner.run(jobCall("c"))
      expect(keys.size).toBe(1)
      expect([...keys][0]).toMatch(/^[0-9a-f]{64}$/)
    })
  )

  it.scoped("does not follow a defect", () =>
    Effect.gen(function* () {
      let runs = 0
      const runner = yield* runnerOf(() => Effect.suspend(() => Effect.die(++runs)), {
        tools: { job: { retry: Schedule.recurs(5) } }
      })
      expectOutcome(yield* runner.run(jobCall("c")), "Defect")
      expect(runs).toBe(1)
    })
  )

  it.scoped("as a default, holds for idempotent and read-only tools only", () =>
    Effect.gen(function* () {
      const limits: Limits = { default: { retry: Schedule.recurs(5) } }
      expectOutcome(yield* (yield* runnerOf(failing(1), limits, Job)).run(jobCall("c")), "Failure")
      expectOutcome(yield* (yield* runnerOf(failing(1), limits, IdempotentJob)).run(jobCall("c")), "Success")
      expectOutcome(yield* (yield* runnerOf(failing(1), limits, ReadOnlyJob)).run(jobCall("c")), "Success")
    })
  )
})

describe("concurrency", () => {
  const gauge = () => {
    const state = { now: 0, most: 0, invoked: 0 }
    const handler: JobHandler = () => {
      // What a handler does before it returns its effect counts as running, too.
      state.invoked++
      return Effect.acquireUseRelease(
        Effect.sync(() => {
          state.most = Math.max(state.most, ++state.now)
        }),
        () => Effect.sleep("1 second"),
        () => Effect.sync(() => state.now--)
      )
    }
    return { state, handler }
  }
  const calls = Array.from({ length: 6 }, (_, index) => jobCall(`c_${index}`, index))

  it.scoped("so many calls of the tool run at the same time, the others wait, over all batches", () =>
    Effect.gen(function* () {
      const { handler, state } = gauge()
      const runner = yield* runnerOf(handler, { tools: { job: { concurrency: 2 } } })
      const first = yield* Effect.fork(runner.runAll(calls.slice(0, 3)))
      const second = yield* Effect.fork(runner.runAll(calls.slice(3)))
      yield* TestClock.adjust("0 millis")
      expect(state).toEqual({ now: 2, most: 2, invoked: 2 })
      yield* TestClock.adjust("3 seconds")
      expect(tagsOf([...(yield* Fiber.join(first)), ...(yield* Fiber.join(second))])).toEqual(
        calls.map(() => "Success")
      )
      expect(state).toEqual({ now: 0, most: 2, invoked: 6 })
    })
  )

  it.scoped("waiting for a permit does not count as time of the handler", () =>
    Effect.gen(function* () {
      const { handler } = gauge()
      const runner = yield* runnerOf(handler, { tools: { job: { concurrency: 1, timeout: "1500 millis" } } })
      const fiber = yield* Effect.fork(runner.runAll(calls))
      yield* TestClock.adjust("6 seconds")
      expect(tagsOf(yield* Fiber.join(fiber))).toEqual(calls.map(() => "Success"))
    })
  )

  it.scoped("a permit comes back when a handler dies, fails, times out or is interrupted", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf(
        ({ value }) =>
          value === "die"
            ? Effect.die("x")
            : value === "fail"
              ? Effect.fail("x")
              : value === "never"
                ? Effect.never
                : Effect.succeed("done"),
        { tools: { job: { concurrency: 1, timeout: "1 second" } } }
      )
      const interrupted = yield* Effect.fork(runner.run(jobCall("a", "never")))
      yield* TestClock.adjust("1 millis")
      yield* Fiber.interrupt(interrupted)
      const fiber = yield* Effect.fork(
        runner.runAll([jobCall("b", "die"), jobCall("c", "fail"), jobCall("d", "never"), jobCall("e", "ok")])
      )
      yield* TestClock.adjust("1 second")
      expect(tagsOf(yield* Fiber.join(fiber))).toEqual(["Defect", "Failure", "TimedOut", "Success"])
    })
  )

  it.scoped("a call that was interrupted while it waited for its permit was never begun", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf(({ value }) => (value === "never" ? Effect.never : Effect.sync(() => "done")), {
        tools: { job: { concurrency: 1 } }
      })
      const run = runner.forRun({})
      const holder = yield* Effect.fork(run.run(jobCall("a", "never")))
      yield* TestClock.adjust("1 millis")
      const waiting = yield* Effect.fork(run.run(jobCall("b", "x")))
      yield* TestClock.adjust("1 millis")
      yield* Fiber.interrupt(waiting)
      yield* Fiber.interrupt(holder)
      expectOutcome(yield* run.run(jobCall("b", "x")), "Success")
      expectOutcome(yield* run.run(jobCall("a", "never")), "Uncertain")
    })
  )
})

describe("rate", () => {
  it.scoped("calls over the rate are refused with the time until the next is possible", () =>
    Effect.gen(function* () {
      let runs = 0
      const runner = yield* runnerOf(() => Effect.sync(() => ++runs), {
        tools: { job: { rate: { calls: 2, window: "1 minute" } } }
      })
      yield* runner.run(jobCall("a"))
      yield* TestClock.adjust("20 seconds")
      yield* runner.run(jobCall("b"))
      yield* TestClock.adjust("10500 millis")
      const outcome = expectOutcome(yield* runner.run(jobCall("c")), "Limited")
      expect(outcome.limit).toBe("2 calls per 60000 ms")
      expect(outcome.retryAfter).toBe(29_500)
      const result = Outcome.render(outcome)
      expect(result === undefined ? "" : ToolResult.toText(result)).toContain("Try again in 30 s.")
      expect(runs).toBe(2)
      yield* TestClock.adjust("29500 millis")
      expectOutcome(yield* runner.run(jobCall("d")), "Success")
      expectOutcome(yield* runner.run(jobCall("e")), "Limited")
    })
  )

  it.scoped("refused and invalid calls do not count", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.dynamic([
        {
          name: "job",
          inputSchema: { type: "object", properties: { n: { type: "number" } } },
          execute: Effect.succeed
        }
      ])
      const runner = yield* ToolRunner.make(toolset, {
        limits: { default: { rate: { calls: 1, window: "1 minute" } } }
      })
      const outcomes = yield* runner.runAll([
        ToolCall.make("a", "job", { n: "x" }),
        ToolCall.make("b", "job", { n: 1 }),
        ToolCall.make("c", "job", { n: 1 })
      ])
      expect(tagsOf(outcomes)).toEqual(["InvalidArguments", "Success", "Limited"])
      yield* TestClock.adjust("1 minute")
      expectOutcome(yield* runner.run(ToolCall.make("d", "job", {})), "Success")
    })
  )
})

it.scoped("limits are kept for a tool, not for a call or a run", () =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<void>()
    const runner = yield* runnerOf(() => Deferred.await(gate), { default: { concurrency: 1, timeout: "1 second" } })
    const first = yield* Effect.fork(runner.forRun({}).run(jobCall("a")))
    const second = yield* Effect.fork(runner.forRun({}).run(jobCall("b")))
    yield* TestClock.adjust("1 second")
    expectOutcome(yield* Fiber.join(first), "TimedOut")
    expect(second.unsafePoll()).toBeNull()
    yield* TestClock.adjust("1 second")
    expectOutcome(yield* Fiber.join(second), "TimedOut")
  })
)
