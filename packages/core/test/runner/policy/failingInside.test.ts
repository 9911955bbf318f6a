/**
 * What fails around a handler: a rule that interrupts itself, a journal that
 * dies, a logger that throws. Each call has its outcome all the same, and what
 * the handler did is not forgotten.
 */
import { describe, expect, it } from "@effect/vitest"
import { Approval, Journal, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Deferred, Effect, Fiber, Logger } from "effect"
import { recordLogs } from "../../recording/Logs.js"
import { jobCall, jobs } from "../../tools/Job.js"
import { expectOutcome, tagsOf } from "../../tools/outcomes.js"

it.scoped("an approval rule that interrupts itself ends its own call only", () =>
  Effect.gen(function* () {
    const runner = yield* ToolRunner.make(yield* jobs(() => Effect.succeed("done")), {
      approval: ({ call }) => (call.id === "a" ? Effect.interrupt : Approval.allow)
    })
    for (const run of [runner, runner.forRun({})]) {
      expect(tagsOf(yield* run.runAll([jobCall("a"), jobCall("b")]))).toEqual(["Defect", "Success"])
    }
  })
)

it.scoped("a journal that interrupts itself ends its own call only", () =>
  Effect.gen(function* () {
    let runs = 0
    const memory = Journal.unsafeMemory()
    const runner = yield* ToolRunner.make(yield* jobs(() => Effect.sync(() => ++runs)), {
      journal: {
        ...memory,
        begin: (key, tool) => (key.call === "a" ? Effect.interrupt : memory.begin(key, tool))
      }
    })
    expect(tagsOf(yield* runner.forRun({}).runAll([jobCall("a"), jobCall("b")]))).toEqual(["Defect", "Success"])
    expect(runs).toBe(1)
  })
)

describe("a journal that cannot record an end, whichever way it says so,", () => {
  const broken = (): never => {
    throw new Error("disk full of secrets")
  }
  const ways: ReadonlyArray<readonly [string, Partial<Journal.Service>]> = [
    ["dies", { finish: () => Effect.sync(broken), interrupt: () => Effect.sync(broken) }],
    ["throws", { finish: broken, interrupt: broken }],
    ["interrupts itself", { finish: () => Effect.interrupt, interrupt: () => Effect.interrupt }]
  ]
  for (const [how, operations] of ways) {
    it.scoped(`leaves the outcome as it is (${how})`, () =>
      Effect.gen(function* () {
        const runner = yield* ToolRunner.make(yield* jobs(() => Effect.succeed("paid")), {
          journal: { ...Journal.unsafeMemory(), ...operations }
        })
        const { lines, value } = yield* recordLogs(runner.forRun({}).run(jobCall("a")))
        expect(expectOutcome(value, "Success").encoded).toBe("paid")
        expect(lines).toHaveLength(1)
        expect(lines[0]).toContain("did not record the end of a call of job")
        expect(lines[0]).not.toContain("secrets")
      })
    )
    it.scoped(`leaves nobody waiting for the same call (${how})`, () =>
      Effect.gen(function* () {
        const started = yield* Deferred.make<void>()
        const runner = yield* ToolRunner.make(
          yield* jobs(() => Effect.zipRight(Deferred.succeed(started, undefined), Effect.never)),
          { journal: { ...Journal.unsafeMemory(), ...operations } }
        )
        const run = runner.forRun({})
        const first = yield* Effect.fork(run.run(jobCall("a")))
        yield* Deferred.await(started)
        const second = yield* Effect.fork(run.run(jobCall("a")))
        yield* Effect.yieldNow()
        yield* Fiber.interrupt(first)
        expectOutcome(yield* Fiber.join(second), "Interrupted")
      })
    )
  }
})

it.scoped("a logger that throws does not take the outcome with it", () =>
  Effect.gen(function* () {
    const runner = yield* ToolRunner.make(yield* jobs(() => Effect.die("inside")))
    const throwing = Logger.make(() => {
      throw new Error("no space")
    })
    const outcome = yield* runner.run(jobCall("a")).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, throwing)))
    expectOutcome(outcome, "Defect")
  })
)

it.effect("a call whose handler changed its parameters is still known when it comes again", () =>
  Effect.gen(function* () {
    let runs = 0
    const toolset = yield* Toolset.dynamic([
      {
        name: "pay",
        inputSchema: { type: "object", properties: { amount: { type: "number" } } },
        execute: (parameters) =>
          Effect.sync(() => {
            Reflect.deleteProperty(parameters, "amount")
            return ++runs
          })
      }
    ])
    const run = (yield* ToolRunner.make(toolset)).forRun({})
    const pay = (text: string) => run.run(ToolCall.make("c", "pay", text))
    expect(expectOutcome(yield* pay('{"amount":5}'), "Success").encoded).toBe(1)
    expect(expectOutcome(yield* pay('{"amount":5}'), "Success").encoded).toBe(1)
    expect(expectOutcome(yield* pay("{}"), "Success").encoded).toBe(2)
  })
)
