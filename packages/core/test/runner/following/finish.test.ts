import { describe, expect, it } from "@effect/vitest"
import { CallContext, type Policy, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect, Exit, Fiber, Inspectable, Metric, MetricState, Option, TestClock } from "effect"
import { recordedJournal } from "../../recording/Journals.js"
import { recordLogs } from "../../recording/Logs.js"
import { recordSpans } from "../../recording/Spans.js"
import type { Job } from "../../tools/Job.js"
import { jobCall, type JobHandler, jobs } from "../../tools/Job.js"
import { expectOutcome } from "../../tools/outcomes.js"
import { shop } from "../../tools/Shop.js"

const runnerOf = (handler: JobHandler, policy: Policy.Policy<{ readonly job: typeof Job }> = {}) =>
  Effect.flatMap(jobs(handler), (toolset) => ToolRunner.make(toolset, policy))

/** A value so deep that recursion over it overflows the stack. */
const nested = (depth: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = [value]
  return value
}

describe("the journal", () => {
  it.scoped("has one begin and one end of each call, by what it ended as", () =>
    Effect.gen(function* () {
      const journal = recordedJournal()
      const runner = (yield* runnerOf(
        ({ value }) =>
          value === "fail"
            ? Effect.fail("x")
            : value === "die"
              ? Effect.die("x")
              : value === "bigint"
                ? Effect.succeed(1n)
                : value === "never"
                  ? Effect.never
                  : value === "stop"
                    ? Effect.interrupt
                    : Effect.succeed(value),
        { journal: journal.service, limits: { default: { timeout: "1 second" } } }
      )).forRun({})
      const values = ["ok", "fail", "die", "bigint", "never", "stop"]
      for (const value of values) {
        const fiber = yield* Effect.fork(runner.run(jobCall(value, value)))
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(fiber)
      }
      expect(journal.lines).toEqual([
        "begin ok",
        "finish ok Success",
        "begin fail",
        "finish fail Failure",
        "begin die",
        "finish die Defect",
        "begin bigint",
        "finish bigint InvalidResult",
        "begin never",
        "finish never TimedOut",
        "begin stop",
        "interrupt stop"
      ])
    })
  )
})

describe("the log", () => {
  it.scoped("has one line for a defect: the model's reference, what was thrown where, and how to see more", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf(() => Effect.die(new TypeError("secret\n    at secret:1:1")))
      const { lines, value } = yield* recordLogs(runner.run(jobCall("c", "secret")))
      const { reference } = expectOutcome(value, "Defect")
      expect(lines.join("").replace(/:\d+:\d+/, "")).toBe(
        `ERROR The tool job failed internally (reference ${reference}): TypeError at finish.test.ts. The policy \`observe: { causes: true }\` logs why `
      )
    })
  )
  it.scoped("has no place of what is no error", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf(() => Effect.die("secret"))
      const { lines, value } = yield* recordLogs(runner.run(jobCall("c", "secret")))
      const { reference } = expectOutcome(value, "Defect")
      expect(lines.join("")).toContain(`(reference ${reference}). The policy`)
    })
  )
  it.scoped("has the cause where it is asked for", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf(() => Effect.die(new Error("of the database")), { observe: { causes: true } })
      const { lines } = yield* recordLogs(runner.run(jobCall("c")))
      expect(lines).toHaveLength(1)
      expect(lines[0]).toContain("of the database")
    })
  )
  it.scoped("has causes that no trace has", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf(() => Effect.die(new Error("of the database")), { observe: { causes: true } })
      const program = Effect.zipRight(Effect.logInfo("begun"), runner.run(jobCall("c")))
      const { spans } = yield* recordSpans(Effect.withSpan(program, "request"))
      const events = Inspectable.toStringUnknown(spans.map((span) => span.events))
      expect(events).toContain("begun")
      expect(events).not.toContain("of the database")
    })
  )
  it.scoped("names the tool whose result is not JSON, the place and the reason", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf(() => Effect.succeed(1n))
      const { lines, value } = yield* recordLogs(runner.run(jobCall("c")))
      const { reference } = expectOutcome(value, "InvalidResult")
      expect(lines).toEqual([
        `ERROR The tool job gave a result that is not JSON (reference ${reference}): the whole: a bigint `
      ])
    })
  )
  it.scoped("is silent about what is the model's mistake or the tool's typed answer", () =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make(yield* shop)
      const { lines } = yield* recordLogs(
        runner.runAll([
          ToolCall.make("a", "refund", { amount: "x" }),
          ToolCall.make("b", "nothing", {}),
          ToolCall.make("c", "refund", { amount: 2000 }),
          ToolCall.make("d", "refund", { amount: 2 })
        ])
      )
      expect(lines).toEqual([])
    }).pipe(CallContext.provide({ customerId: "c_1" }))
  )
  it.scoped("does not repeat a line for a replayed call", () =>
    Effect.gen(function* () {
      const run = (yield* runnerOf(() => Effect.die("x"))).forRun({})
      yield* run.run(jobCall("c"))
      const { lines } = yield* recordLogs(run.run(jobCall("c")))
      expect(lines).toEqual([])
    })
  )
})

describe("the metrics", () => {
  const count = (tool: string, outcome: string) =>
    Effect.map(
      Metric.value(
        Metric.counter("wield_tool_calls_total", {
          description: "Tool calls by tool and outcome",
          incremental: true
        }).pipe(Metric.tagged("tool", tool), Metric.tagged("outcome", outcome))
      ),
      ({ count }) => count
    )

  it.scoped("count calls by tool and outcome; a name that a model made up is no tag", () =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make(yield* shop)
      const before = [
        yield* count("refund", "Success"),
        yield* count("refund", "Failure"),
        yield* count("unknown", "UnknownTool")
      ]
      yield* runner.runAll([
        ToolCall.make("a", "refund", { amount: 1 }),
        ToolCall.make("b", "refund", { amount: 2 }),
        ToolCall.make("c", "refund", { amount: 2000 }),
        ToolCall.make("d", "made_up_name_of_the_metrics_test", {})
      ])
      const after = [
        yield* count("refund", "Success"),
        yield* count("refund", "Failure"),
        yield* count("unknown", "UnknownTool")
      ]
      expect(after.map((value, index) => value - (before[index] ?? 0))).toEqual([2, 1, 1])
      const keys = Metric.unsafeSnapshot(undefined).map(({ metricKey }) => metricKey)
      expect(JSON.stringify(keys)).not.toContain("made_up_name_of_the_metrics_test")
    }).pipe(CallContext.provide({ customerId: "c_1" }))
  )

  it.scoped("measure the duration of a call in seconds", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf(() => Effect.delay(Effect.void, "2500 millis"))
      const histogram = Effect.map(Metric.snapshot, (pairs) => {
        const pair = pairs.find(
          ({ metricKey }) =>
            metricKey.name === "gen_ai.execute_tool.duration" &&
            metricKey.tags.some(({ value }) => value === "job") &&
            metricKey.tags.some(({ value }) => value === "Success")
        )
        return Option.filter(Option.fromNullable(pair?.metricState), MetricState.isHistogramState).pipe(
          Option.map(({ count, sum }) => ({ count, sum })),
          Option.getOrElse(() => ({ count: 0, sum: 0 }))
        )
      })
      const before = yield* histogram
      const fiber = yield* Effect.fork(runner.run(jobCall("c")))
      yield* TestClock.adjust("2500 millis")
      yield* Fiber.join(fiber)
      const after = yield* histogram
      expect(after.count - before.count).toBe(1)
      expect(after.sum - before.sum).toBeCloseTo(2.5, 6)
    })
  )
})

describe("the span", () => {
  it.scoped("is one for each call, by the GenAI conventions", () =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make(yield* shop)
      const { spans } = yield* recordSpans(
        runner.runAll([ToolCall.make("a", "refund", { amount: 1 }), ToolCall.make("b", "refund", { amount: 2000 })])
      )
      expect(spans.map(({ name }) => name)).toEqual(["execute_tool refund", "execute_tool refund"])
      expect(Object.fromEntries(spans[0]?.attributes ?? [])).toEqual({
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.call.id": "a",
        "gen_ai.tool.name": "refund",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.description": "Pays money back",
        "wield.outcome": "Success"
      })
      expect(spans[0]?.failure).toBeUndefined()
      expect(spans[1]?.attributes.get("wield.outcome")).toBe("Failure")
      expect(spans[1]?.attributes.get("error.type")).toBe("Failure")
      expect(spans[1]?.failure).toContain("The call ended as Failure")
    }).pipe(CallContext.provide({ customerId: "c_1" }))
  )
  it.scoped("of an unknown tool does not carry the name that the model made up", () =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make(yield* shop)
      const { spans } = yield* recordSpans(runner.run(ToolCall.make("a", "made_up", {})))
      expect(spans.map(({ name }) => name)).toEqual(["execute_tool"])
      expect([...(spans[0]?.attributes.values() ?? [])]).not.toContain("made_up")
    }).pipe(CallContext.provide({ customerId: "c_1" }))
  )
  it.scoped("has arguments and results where they are asked for", () =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make(yield* shop, { observe: { arguments: true, results: true } })
      const { spans } = yield* recordSpans(runner.run(ToolCall.make("a", "refund", { amount: 1 })))
      expect(spans[0]?.attributes.get("gen_ai.tool.call.arguments")).toBe('{"amount":1}')
      expect(spans[0]?.attributes.get("gen_ai.tool.call.result")).toBe('"refunded 1"')
    }).pipe(CallContext.provide({ customerId: "c_1" }))
  )
  it.scoped("has no hidden field that a model sent to a tool which is withheld", () =>
    Effect.gen(function* () {
      const none = (yield* shop).pipe(Toolset.filter(() => false))
      const runner = yield* ToolRunner.make(none, { observe: { arguments: true } })
      const call = ToolCall.make("a", "get_orders", { status: "open", customerId: "c_2" })
      const { spans, value } = yield* recordSpans(runner.run(call))
      expectOutcome(value, "Unavailable")
      expect(spans[0]?.attributes.get("gen_ai.tool.call.arguments")).toBe('{"status":"open"}')
    }).pipe(CallContext.provide({ customerId: "c_1" }))
  )
  it.scoped("survives arguments that have no JSON text", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf(Effect.succeed, { observe: { arguments: true, results: true } })
      const { value } = yield* recordSpans(runner.run(ToolCall.make("a", "job", { value: 1n })))
      expectOutcome(value, "InvalidResult")
      const deep = yield* recordSpans(runner.run(ToolCall.make("a", "job", { value: nested(100_000) })))
      expectOutcome(deep.value, "InvalidArguments")
      expect(deep.spans[0]?.attributes.get("gen_ai.tool.call.arguments")).toMatch(/^\[not JSON: /)
    })
  )
  it.scoped("is around the handler, and ends when the caller is interrupted", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf(() => Effect.withSpan(Effect.never, "inside"))
      const { spans, value } = yield* recordSpans(
        Effect.gen(function* () {
          const fiber = yield* Effect.fork(runner.run(jobCall("c")))
          yield* TestClock.adjust("1 second")
          return yield* Fiber.interrupt(fiber)
        })
      )
      expect(Exit.isInterrupted(value)).toBe(true)
      expect(spans.map(({ name }) => name)).toEqual(["execute_tool job", "inside"])
      expect(spans.map(({ failure }) => failure !== undefined)).toEqual([true, true])
    })
  )
})
