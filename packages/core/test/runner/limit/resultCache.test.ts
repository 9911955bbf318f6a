import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { CallContext, Hidden, type Policy, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect, Schema, TestClock } from "effect"
import { Job, jobCall, type JobHandler, jobs, ReadOnlyJob } from "../../tools/Job.js"
import { expectOutcome, tagsOf } from "../../tools/outcomes.js"

type Limits = NonNullable<Policy.Policy<{ readonly job: typeof Job }>["limits"]>

const runnerOf = (handler: JobHandler, limits: Limits, tool = Job) =>
  Effect.flatMap(jobs(handler, tool), (toolset) => ToolRunner.make(toolset, { limits }))

describe("cache", () => {
  it.scoped("an equal call within the time to live has the same result, and is not run", () =>
    Effect.gen(function* () {
      let runs = 0
      const runner = yield* runnerOf(() => Effect.sync(() => ++runs), {
        tools: { job: { cache: { timeToLive: "1 minute" } } }
      })
      const first = expectOutcome(yield* runner.run(jobCall("a", { x: 1, y: 2 })), "Success")
      const second = expectOutcome(yield* runner.run(jobCall("b", { y: 2, x: 1 })), "Success")
      expect(first.notes).toEqual([])
      expect(second.notes).toEqual([{ _tag: "Cached" }])
      expect(second.encoded).toBe(1)
      expect(second.id).toBe("b")
      expect(expectOutcome(yield* runner.run(jobCall("c", { x: 2, y: 1 })), "Success").encoded).toBe(2)
      yield* TestClock.adjust("1 minute")
      expect(expectOutcome(yield* runner.run(jobCall("d", { x: 1, y: 2 })), "Success").encoded).toBe(3)
    })
  )

  it.scoped("what did not succeed is not kept", () =>
    Effect.gen(function* () {
      let runs = 0
      const runner = yield* runnerOf(
        () => (++runs === 1 ? Effect.fail("x") : runs === 2 ? Effect.die("x") : Effect.succeed(runs)),
        {
          tools: { job: { cache: { timeToLive: "1 minute" } } }
        }
      )
      expect(
        tagsOf([yield* runner.run(jobCall("a")), yield* runner.run(jobCall("b")), yield* runner.run(jobCall("c"))])
      ).toEqual(["Failure", "Defect", "Success"])
    })
  )

  it.scoped("the oldest result goes when there are more than its capacity", () =>
    Effect.gen(function* () {
      let runs = 0
      const runner = yield* runnerOf(() => Effect.sync(() => ++runs), {
        tools: { job: { cache: { timeToLive: "1 minute", capacity: 2 } } }
      })
      for (const value of ["a", "b", "c", "c", "b", "a"]) yield* runner.run(jobCall("c", value))
      expect(runs).toBe(4)
    })
  )

  it.scoped("an own key decides which calls are equal", () =>
    Effect.gen(function* () {
      let runs = 0
      const runner = yield* runnerOf(() => Effect.sync(() => ++runs), {
        tools: { job: { cache: { timeToLive: "1 minute", key: ({ value }) => String(value).toLowerCase() } } }
      })
      yield* runner.run(jobCall("a", "Berlin"))
      yield* runner.run(jobCall("b", "BERLIN"))
      expect(runs).toBe(1)
    })
  )

  it.scoped("as a default, holds for read-only tools only", () =>
    Effect.gen(function* () {
      let runs = 0
      const limits: Limits = { default: { cache: { timeToLive: "1 minute" } } }
      const count: JobHandler = () => Effect.sync(() => ++runs)
      const writing = yield* runnerOf(count, limits)
      yield* writing.run(jobCall("a"))
      yield* writing.run(jobCall("b"))
      expect(runs).toBe(2)
      const reading = yield* runnerOf(count, limits, ReadOnlyJob)
      yield* reading.run(jobCall("a"))
      yield* reading.run(jobCall("b"))
      expect(runs).toBe(3)
    })
  )

  it.scoped("nobody is given what a handler made from another one's call context", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf(
        () => Effect.map(CallContext.CallContext, ({ customer }) => customer),
        { default: { cache: { timeToLive: "1 minute" } } },
        ReadOnlyJob
      )
      const ask = (customer: string) =>
        Effect.map(runner.forRun({ context: { customer } }).run(jobCall("c")), (outcome) => {
          const { encoded, notes } = expectOutcome(outcome, "Success")
          return [encoded, notes.length]
        })
      expect([yield* ask("ada"), yield* ask("bob"), yield* ask("ada")]).toEqual([
        ["ada", 0],
        ["bob", 0],
        ["ada", 1]
      ])
    })
  )

  it.effect("a handler that changes its parameters does not change what the result is kept for", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.dynamic([
        {
          name: "list",
          inputSchema: { type: "object", properties: { owner: { type: "string" } } },
          facts: { isReadOnly: true },
          execute: (parameters) =>
            Effect.sync(() => {
              const { owner } = parameters
              Reflect.deleteProperty(parameters, "owner")
              return owner ?? "everybody"
            })
        }
      ])
      const runner = yield* ToolRunner.make(toolset, { limits: { default: { cache: { timeToLive: "1 minute" } } } })
      const list = (args: string) =>
        Effect.map(runner.run(ToolCall.make("c", "list", args)), (outcome) => expectOutcome(outcome, "Success").encoded)
      expect(yield* list('{"owner":"ada"}')).toBe("ada")
      expect(yield* list("{}")).toBe("everybody")
      expect(yield* list('{"owner":"ada"}')).toBe("ada")
    })
  )

  const Report = Tool.make("report", {
    parameters: { day: Schema.Date, tags: Schema.Set(Schema.String), amount: Schema.BigInt, tenant: Schema.Date },
    success: Schema.Int
  }).pipe(Hidden.fields("tenant"))
  const Reports = Toolkit.make(Report)

  it.scoped("calls whose parameters differ in what JSON cannot say, or in a hidden field, are not equal", () =>
    Effect.gen(function* () {
      let runs = 0
      const runner = yield* ToolRunner.make(
        yield* Toolset.fromLayer(Reports, Reports.toLayer({ report: () => Effect.sync(() => ++runs) })),
        { limits: { tools: { report: { cache: { timeToLive: "1 minute" } } } } }
      )
      const ask = (day: string, tag: string, amount: string, tenant: string) =>
        Effect.map(
          runner.forRun({ context: { tenant } }).run(ToolCall.make("c", "report", { day, tags: [tag], amount })),
          (outcome) => expectOutcome(outcome, "Success").encoded
        )
      const [one, two] = ["2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"] as const
      expect(yield* ask(one, "a", "1", one)).toBe(1)
      expect(yield* ask(two, "a", "1", one)).toBe(2)
      expect(yield* ask(one, "b", "1", one)).toBe(3)
      expect(yield* ask(one, "a", "2", one)).toBe(4)
      expect(yield* ask(one, "a", "1", two)).toBe(5)
      expect(yield* ask(one, "a", "1", one)).toBe(1)
    })
  )
})
