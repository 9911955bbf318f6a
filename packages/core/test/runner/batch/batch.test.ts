import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { CallContext, Facts, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Cause, Chunk, Deferred, Effect, Exit, Fiber, Schema, TestClock } from "effect"
import { Job, jobCall, jobs } from "../../tools/Job.js"
import { expectOutcome, tagsOf } from "../../tools/outcomes.js"
import { NoSuchOrder, shop } from "../../tools/Shop.js"

describe("runAll", () => {
  it.scoped("gives one outcome per call in their order, whatever order they end in", () =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make(
        yield* jobs(({ value }) => Effect.delay(Effect.succeed(value), Number(value)))
      )
      const values = [300, 100, 0, 200]
      const fiber = yield* Effect.fork(runner.runAll(values.map((value) => jobCall(`c_${value}`, value))))
      yield* TestClock.adjust(300)
      const outcomes = yield* Fiber.join(fiber)
      expect(outcomes.map(({ id }) => id)).toEqual(["c_300", "c_100", "c_0", "c_200"])
      expect(outcomes.map((outcome) => expectOutcome(outcome, "Success").encoded)).toEqual(values)
    })
  )

  it.scoped("of no calls gives no outcomes", () =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make(yield* shop)
      expect(yield* runner.runAll([])).toEqual([])
    }).pipe(CallContext.provide({ customerId: "c_1" }))
  )

  it.scopedLive("runs hundreds of calls, waiting or not", () =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make(
        yield* jobs(({ value }) =>
          Number(value) % 2 === 0 ? Effect.succeed(value) : Effect.delay(Effect.succeed(value), 1)
        )
      )
      const calls = Array.from({ length: 300 }, (_, index) => jobCall(`c_${index}`, index))
      const outcomes = yield* runner.runAll(calls)
      expect(outcomes.map(({ id }) => id)).toEqual(calls.map(({ id }) => id))
    })
  )

  it.scoped("one call that goes wrong leaves the others alone", () =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make(yield* shop)
      const outcomes = yield* runner.runAll([
        ToolCall.make("a", "refund", { amount: "x" }),
        ToolCall.make("b", "refund", "{"),
        ToolCall.make("c", "refund", { amount: 1 }),
        ToolCall.make("d", "get_orders", { status: "open" }),
        ToolCall.make("e", "nothing", {})
      ])
      expect(tagsOf(outcomes)).toEqual([
        "InvalidArguments",
        "InvalidArguments",
        "Success",
        "MissingContext",
        "UnknownTool"
      ])
    }).pipe(CallContext.provide({ customerId: undefined }))
  )
})

describe("a tool that raises its failure", () => {
  const batch = [
    ToolCall.make("a", "refund", { amount: 1 }),
    ToolCall.make("b", "cancel", { number: 8 }),
    ToolCall.make("c", "cancel", { number: 7 }),
    ToolCall.make("d", "cancel", { number: 9 })
  ]

  it.scoped("fails run with its typed failure", () =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make(yield* shop)
      const failure = yield* Effect.flip(runner.run(ToolCall.make("b", "cancel", { number: 8 })))
      expect(failure).toBeInstanceOf(NoSuchOrder)
      expect(failure).toMatchObject({ number: 8 })
    }).pipe(CallContext.provide({ customerId: "c_1" }))
  )

  it.scoped("fails runAll after the other calls have settled, with all that was raised", () =>
    Effect.gen(function* () {
      const finished: Array<unknown> = []
      const Slow = Tool.make("slow", { success: Schema.Void })
      const Failing = Tool.make("failing", { parameters: { n: Schema.Int }, failure: Schema.Int, failureMode: "error" })
      const Kit = Toolkit.make(Slow, Failing)
      const runner = yield* ToolRunner.make(
        yield* Toolset.fromLayer(
          Kit,
          Kit.toLayer({
            slow: () =>
              Effect.zipRight(
                Effect.sleep("1 second"),
                Effect.sync(() => void finished.push("slow"))
              ),
            failing: ({ n }) => Effect.fail(n)
          })
        )
      )
      const fiber = yield* Effect.fork(
        runner.runAll([
          ToolCall.make("a", "failing", { n: 1 }),
          ToolCall.make("b", "slow", {}),
          ToolCall.make("c", "failing", { n: 2 })
        ])
      )
      yield* TestClock.adjust("999 millis")
      expect(fiber.unsafePoll()).toBeNull()
      yield* TestClock.adjust("1 millis")
      const exit = yield* Fiber.await(fiber)
      expect(finished).toEqual(["slow"])
      const failures = Exit.isFailure(exit) ? Chunk.toReadonlyArray(Cause.failures(exit.cause)) : []
      expect(failures).toEqual([1, 2])
    })
  )

  it.scoped("is an outcome of settle, beside those of the others", () =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make(yield* shop)
      const outcomes = yield* runner.settle(batch)
      expect(tagsOf(outcomes)).toEqual(["Success", "Failure", "Success", "Failure"])
      const raised = expectOutcome(outcomes[1], "Failure")
      expect(raised.isRaised).toBe(true)
      expect(raised.failure).toBeInstanceOf(NoSuchOrder)
      expect(raised.encoded).toEqual({ _tag: "NoSuchOrder", number: 8 })
    }).pipe(CallContext.provide({ customerId: "c_1" }))
  )
})

describe("concurrency of a batch", () => {
  const gauged = (concurrency?: number) =>
    Effect.gen(function* () {
      const state = { now: 0, most: 0 }
      const toolset = yield* jobs(() =>
        Effect.acquireUseRelease(
          Effect.sync(() => (state.most = Math.max(state.most, ++state.now))),
          () => Effect.sleep("1 second"),
          () => Effect.sync(() => state.now--)
        )
      )
      const runner = yield* ToolRunner.make(toolset, { concurrency })
      const fiber = yield* Effect.fork(
        runner.runAll(Array.from({ length: 5 }, (_, index) => jobCall(`c_${index}`, index)))
      )
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(fiber)
      return state.most
    })
  it.scoped("is not limited unless the policy says so", () => Effect.map(gauged(), (most) => expect(most).toBe(5)))
  it.scoped("is what the policy says", () =>
    Effect.gen(function* () {
      expect(yield* gauged(2)).toBe(2)
      expect(yield* gauged(1)).toBe(1)
    })
  )
})

describe("a sequential tool", () => {
  it.scoped("is a barrier: what comes before it ends first, it runs alone, what comes after it waits", () =>
    Effect.gen(function* () {
      const events: Array<string> = []
      const timed = (name: string, duration: number) =>
        Effect.gen(function* () {
          events.push(`${name} begins`)
          yield* Effect.sleep(duration)
          events.push(`${name} ends`)
        })
      const Step = Tool.make("step", { parameters: { name: Schema.String } })
      const Alone = Tool.make("alone", { parameters: { name: Schema.String } }).pipe(Facts.sequential)
      const Kit = Toolkit.make(Step, Alone)
      const runner = yield* ToolRunner.make(
        yield* Toolset.fromLayer(
          Kit,
          Kit.toLayer({
            step: ({ name }) => timed(name, name === "b" || name === "d" ? 10 : 7),
            alone: ({ name }) => timed(name, 5)
          })
        )
      )
      const fiber = yield* Effect.fork(
        runner.runAll([
          ToolCall.make("1", "step", { name: "a" }),
          ToolCall.make("2", "step", { name: "b" }),
          ToolCall.make("3", "alone", { name: "X" }),
          ToolCall.make("4", "alone", { name: "Y" }),
          ToolCall.make("5", "step", { name: "c" }),
          ToolCall.make("6", "step", { name: "d" })
        ])
      )
      yield* TestClock.adjust(100)
      expect(tagsOf(yield* Fiber.join(fiber))).toEqual(Array.from({ length: 6 }, () => "Success"))
      expect(events).toEqual([
        "a begins",
        "b begins",
        "a ends",
        "b ends",
        "X begins",
        "X ends",
        "Y begins",
        "Y ends",
        "c begins",
        "d begins",
        "c ends",
        "d ends"
      ])
    })
  )

  it.scoped("of a dynamic toolset is one, too, and an invalid call of it holds up nobody", () =>
    Effect.gen(function* () {
      const order: Array<string> = []
      const toolset = yield* Toolset.dynamic([
        {
          name: "step",
          execute: () =>
            Effect.zipRight(
              Effect.sleep(10),
              Effect.sync(() => order.push("step"))
            )
        },
        {
          name: "alone",
          inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
          facts: { isSequential: true },
          execute: () => Effect.sync(() => order.push("alone"))
        }
      ])
      const runner = yield* ToolRunner.make(toolset)
      const fiber = yield* Effect.fork(
        runner.runAll([
          ToolCall.make("1", "step", {}),
          ToolCall.make("2", "alone", { n: 1 }),
          ToolCall.make("3", "alone", {}),
          ToolCall.make("4", "step", {})
        ])
      )
      yield* TestClock.adjust(100)
      expect(tagsOf(yield* Fiber.join(fiber))).toEqual(["Success", "Success", "InvalidArguments", "Success"])
      expect(order).toEqual(["step", "alone", "step"])
    })
  )
})

describe("calls with the same id in one turn", () => {
  it.scoped("with the same arguments run once, and each has its outcome", () =>
    Effect.gen(function* () {
      let runs = 0
      const gate = yield* Deferred.make<void>()
      const runner = yield* ToolRunner.make(
        yield* jobs(() =>
          Effect.as(
            Effect.zipRight(
              Effect.sync(() => runs++),
              Deferred.await(gate)
            ),
            "done"
          )
        )
      )
      const fiber = yield* Effect.fork(runner.runAll([jobCall("c", "x"), jobCall("c", "x"), jobCall("d", "x")]))
      yield* Effect.yieldNow()
      yield* Deferred.succeed(gate, undefined)
      const outcomes = yield* Fiber.join(fiber)
      expect(tagsOf(outcomes)).toEqual(["Success", "Success", "Success"])
      expect(outcomes.map(({ id }) => id)).toEqual(["c", "c", "d"])
      expect(outcomes.map(({ notes }) => notes)).toEqual([[], [{ _tag: "Replayed" }], []])
      expect(runs).toBe(2)
    })
  )

  it.scoped("with other arguments are two calls", () =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make(yield* jobs(({ value }) => Effect.succeed(value)))
      const outcomes = yield* runner.runAll([jobCall("c", "x"), jobCall("c", "y")])
      expect(outcomes.map((outcome) => expectOutcome(outcome, "Success").encoded)).toEqual(["x", "y"])
    })
  )

  it.scoped("run once under a concurrency of one, for a sequential tool, and when the first fails", () =>
    Effect.gen(function* () {
      let runs = 0
      for (const tool of [Job, Job.pipe(Facts.sequential)]) {
        for (const concurrency of [1, undefined]) {
          runs = 0
          const toolset = yield* jobs(
            () =>
              Effect.zipRight(
                Effect.yieldNow(),
                Effect.suspend(() => Effect.fail(++runs))
              ),
            tool
          )
          const runner = yield* ToolRunner.make(toolset, { concurrency })
          const outcomes = yield* runner.runAll([jobCall("c", "x"), jobCall("c", "x")])
          expect(tagsOf(outcomes)).toEqual(["Failure", "Failure"])
          expect(runs).toBe(1)
        }
      }
    })
  )

  it.scoped("run once when a permit is all that the tool has", () =>
    Effect.gen(function* () {
      let runs = 0
      const toolset = yield* jobs(() =>
        Effect.zipRight(
          Effect.yieldNow(),
          Effect.sync(() => ++runs)
        )
      )
      const runner = yield* ToolRunner.make(toolset, { limits: { default: { concurrency: 1 } } })
      expect(tagsOf(yield* runner.runAll([jobCall("c", "x"), jobCall("c", "x")]))).toEqual(["Success", "Success"])
      expect(runs).toBe(1)
    })
  )
})
