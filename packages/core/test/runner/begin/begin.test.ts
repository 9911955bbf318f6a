import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import {
  Journal,
  JournalError,
  Outcome,
  type Policy,
  Quota,
  ToolCall,
  ToolResult,
  ToolRunner,
  Toolset
} from "@wield/core"
import { Deferred, Effect, Exit, Fiber, Schema, TestClock } from "effect"
import { recordedJournal } from "../../recording/Journals.js"
import { recordLogs } from "../../recording/Logs.js"
import { IdempotentJob, Job, jobCall, type JobHandler, jobs, ReadOnlyJob } from "../../tools/Job.js"
import { expectOutcome, tagsOf } from "../../tools/outcomes.js"
import { shop } from "../../tools/Shop.js"

const replayed = [{ _tag: "Replayed" }]

const runnerOf = (handler: JobHandler, policy: Policy.Policy<{ readonly job: typeof Job }> = {}, tool = Job) =>
  Effect.flatMap(jobs(handler, tool), (toolset) => ToolRunner.make(toolset, policy))

it.scoped("a call that is finished is replayed in the same run, and not run again", () =>
  Effect.gen(function* () {
    let runs = 0
    const run = (yield* runnerOf(() => Effect.sync(() => ++runs))).forRun({})
    const first = expectOutcome(yield* run.run(jobCall("c", "x")), "Success")
    const second = expectOutcome(yield* run.run(jobCall("c", "x")), "Success")
    expect([first.encoded, second.encoded, runs]).toEqual([1, 1, 1])
    expect(first.notes).toEqual([])
    expect(second.notes).toEqual(replayed)
  })
)

it.scoped("the same id with other arguments is another call", () =>
  Effect.gen(function* () {
    const run = (yield* runnerOf(({ value }) => Effect.succeed(value))).forRun({})
    expectOutcome(yield* run.run(jobCall("c", "x")), "Success")
    const second = expectOutcome(yield* run.run(jobCall("c", "y")), "Success")
    expect(second.encoded).toBe("y")
    expect(second.notes).toEqual([])
  })
)

it.scoped("the same arguments with their keys in another order are the same call", () =>
  Effect.gen(function* () {
    let runs = 0
    const run = (yield* runnerOf(() => Effect.sync(() => ++runs))).forRun({})
    yield* run.run(ToolCall.make("c", "job", '{"value":{"a":1,"b":[2,{"c":3,"d":4}]}}'))
    yield* run.run(ToolCall.make("c", "job", '{"value":{"b":[2,{"d":4,"c":3}],"a":1}}'))
    expect(runs).toBe(1)
  })
)

it.scoped("without forRun, each run is a run of its own", () =>
  Effect.gen(function* () {
    let runs = 0
    const runner = yield* runnerOf(() => Effect.sync(() => ++runs), { journal: yield* Journal.memory })
    yield* runner.run(jobCall("c"))
    yield* runner.run(jobCall("c"))
    expect(runs).toBe(2)
  })
)

it.scoped("a run of the same id finds what another runner did under the same journal", () =>
  Effect.gen(function* () {
    const journal = yield* Journal.memory
    const first = yield* runnerOf(() => Effect.succeed("first"), { journal })
    const second = yield* runnerOf(() => Effect.succeed("second"), { journal })
    yield* first.forRun({ id: "run_1" }).run(jobCall("c"))
    const outcome = expectOutcome(yield* second.forRun({ id: "run_1" }).run(jobCall("c")), "Success")
    expect(outcome.encoded).toBe("first")
    expect(outcome.notes).toEqual(replayed)
    const other = expectOutcome(yield* second.forRun({ id: "run_2" }).run(jobCall("c")), "Success")
    expect(other.encoded).toBe("second")
    yield* journal.forget("run_1")
    const forgotten = expectOutcome(yield* second.forRun({ id: "run_1" }).run(jobCall("c")), "Success")
    expect(forgotten.encoded).toBe("second")
  })
)

describe("what is replayed", () => {
  it.scoped("is the value that the schema decodes, a failure and a raised failure too", () =>
    Effect.gen(function* () {
      const run = (yield* ToolRunner.make(yield* shop)).forRun({ context: { customerId: "c_1" } })
      const calls = [
        ToolCall.make("a", "get_orders", { status: "open" }),
        ToolCall.make("b", "refund", { amount: 2000 }),
        ToolCall.make("c", "cancel", { number: 8 })
      ]
      const first = yield* run.settle(calls)
      const second = yield* run.settle(calls)
      expect(tagsOf(second)).toEqual(["Success", "Failure", "Failure"])
      for (const [index, outcome] of second.entries()) {
        expect(outcome.notes).toEqual(replayed)
        expect(Outcome.render(outcome)).toEqual(Outcome.render(first[index] ?? outcome))
      }
      const raised = yield* Effect.exit(run.run(ToolCall.make("c", "cancel", { number: 8 })))
      expect(Exit.isFailure(raised)).toBe(true)
    })
  )

  it.scoped("is a timeout, a defect and an invalid result with the same reference", () =>
    Effect.gen(function* () {
      const run = (yield* runnerOf(
        ({ value }) => (value === "never" ? Effect.never : value === "die" ? Effect.die("x") : Effect.succeed(1n)),
        { limits: { default: { timeout: "1 second" } } }
      )).forRun({})
      const calls = [jobCall("a", "never"), jobCall("b", "die"), jobCall("c", "bigint")]
      const fiber = yield* Effect.fork(run.runAll(calls))
      yield* TestClock.adjust("1 second")
      const first = yield* Fiber.join(fiber)
      expect(tagsOf(first)).toEqual(["TimedOut", "Defect", "InvalidResult"])
      const second = yield* run.runAll(calls)
      expect(second.map(Outcome.render)).toEqual(first.map(Outcome.render))
      expect(second.map(({ notes }) => notes)).toEqual([replayed, replayed, replayed])
    })
  )

  it.scoped("is a success without a value, whose schema does not take null", () =>
    Effect.gen(function* () {
      const Find = Tool.make("find", { success: Schema.UndefinedOr(Schema.String) })
      const kit = Toolkit.make(Find)
      const toolset = yield* Toolset.fromLayer(kit, kit.toLayer({ find: () => Effect.succeed(undefined) }))
      const run = (yield* ToolRunner.make(toolset)).forRun({})
      const call = ToolCall.make("c", "find", {})
      const outcomes = [...(yield* run.runAll([call, call])), yield* run.run(call)]
      expect(tagsOf(outcomes)).toEqual(["Success", "Success", "Success"])
      expect(outcomes.map((outcome) => expectOutcome(outcome, "Success").result)).toEqual([
        undefined,
        undefined,
        undefined
      ])
    })
  )

  it.scoped("is an InvalidResult where the tool's schema has changed meanwhile", () =>
    Effect.gen(function* () {
      const journal = yield* Journal.memory
      const call = ToolCall.make("c", "refund", { amount: 5 })
      yield* (yield* ToolRunner.make(yield* shop, { journal }))
        .forRun({ id: "r", context: { customerId: "c_1" } })
        .run(call)
      // The journal as it is after a restart with another version of the program.
      const later: Journal.Service = {
        ...journal,
        begin: (key, tool) =>
          Effect.map(journal.begin(key, tool), (known) =>
            known._tag === "Finished" ? { _tag: "Finished", ending: { _tag: "Success", encoded: { paid: 5 } } } : known
          )
      }
      const outcome = yield* (yield* ToolRunner.make(yield* shop, { journal: later }))
        .forRun({ id: "r", context: { customerId: "c_1" } })
        .run(call)
      expectOutcome(outcome, "InvalidResult")
    })
  )
})

describe("a call that was begun and never finished", () => {
  const begun = (tool: typeof Job) =>
    Effect.gen(function* () {
      const journal = yield* Journal.memory
      let runs = 0
      // As a crash leaves it: begun, and nothing more.
      const crashed = yield* runnerOf(() => Effect.succeed("crash"), {
        journal: { ...journal, finish: () => Effect.void }
      })
      yield* crashed.forRun({ id: "r" }).run(jobCall("c"))
      const runner = yield* runnerOf(() => Effect.sync(() => ++runs), { journal }, tool)
      const outcome = yield* runner.forRun({ id: "r" }).run(jobCall("c"))
      return { outcome, runs }
    })

  it.scoped("is uncertain, and not run again", () =>
    Effect.gen(function* () {
      const { outcome, runs } = yield* begun(Job)
      expect(expectOutcome(outcome, "Uncertain").reason).toBe("begun")
      expect(runs).toBe(0)
      const result = Outcome.render(outcome)
      expect(result === undefined ? "" : ToolResult.toText(result)).toMatch(
        /may already have taken effect: it was begun and its end is not known/
      )
    })
  )
  it.scoped("is run again when the tool is idempotent or read-only", () =>
    Effect.gen(function* () {
      for (const tool of [IdempotentJob, ReadOnlyJob]) {
        const { outcome, runs } = yield* begun(tool)
        expectOutcome(outcome, "Success")
        expect(runs).toBe(1)
      }
    })
  )
})

it.scoped("a call that never came to its handler leaves no entry, so that it can be made again", () =>
  Effect.gen(function* () {
    const journal = recordedJournal()
    const run = (yield* runnerOf(Effect.succeed, {
      journal: journal.service,
      limits: { default: { rate: { calls: 1, window: "1 minute" } } }
    })).forRun({})
    yield* run.run(jobCall("a"))
    expectOutcome(yield* run.run(jobCall("b")), "Limited")
    yield* TestClock.adjust("1 minute")
    expectOutcome(yield* run.run(jobCall("b")), "Success")
    expect(journal.lines).toEqual([
      "begin a",
      "finish a Success",
      "begin b",
      "abandon b",
      "begin b",
      "finish b Success"
    ])
  })
)

it.scoped("a call that was begun before is not refused by a limit: it has been counted", () =>
  Effect.gen(function* () {
    const journal = yield* Journal.memory
    const limits = { default: { rate: { calls: 1, window: "1 minute" } } } as const
    const process = (handler: JobHandler) =>
      Effect.map(runnerOf(handler, { journal, limits }, IdempotentJob), (runner) => runner.forRun({ id: "run" }))
    yield* (yield* process(() => Effect.never)).run(jobCall("a")).pipe(Effect.fork)
    yield* TestClock.adjust("1 second")
    const later = yield* process(Effect.succeed)
    yield* later.run(jobCall("b"))
    expectOutcome(yield* later.run(jobCall("c")), "Limited")
    expectOutcome(yield* later.run(jobCall("a")), "Success")
  })
)

it.scoped("a call whose quota cannot be counted can be made again", () =>
  Effect.gen(function* () {
    let isLost = true
    const counts = Quota.memory()
    const add: Quota.Counts["add"] = (...given) =>
      isLost ? Effect.fail("the connection is lost") : counts.add(...given)
    const quotas = [{ name: "all", by: () => "all", calls: 1, window: "1 minute" }] as const
    const journal = yield* Journal.memory
    const runner = yield* runnerOf(Effect.succeed, { journal, quotas }).pipe(
      Effect.provideService(Quota.CurrentCounts, { ...counts, add })
    )
    const run = runner.forRun({ id: "run" })
    expectOutcome(yield* run.run(jobCall("a")), "Defect")
    isLost = false
    expectOutcome(yield* run.run(jobCall("a")), "Success")
  })
)

it.scoped("calls that are invalid, unknown, denied or deferred are not recorded", () =>
  Effect.gen(function* () {
    const journal = recordedJournal()
    const run = (yield* ToolRunner.make(yield* shop, { journal: journal.service })).forRun({
      context: { customerId: "c_1" },
      offered: ["refund", "show_chart"]
    })
    const outcomes = yield* run.runAll([
      ToolCall.make("a", "refund", { amount: "x" }),
      ToolCall.make("b", "nothing", {}),
      ToolCall.make("c", "cancel", { number: 1 }),
      ToolCall.make("d", "show_chart", { title: "x" })
    ])
    expect(tagsOf(outcomes)).toEqual(["InvalidArguments", "UnknownTool", "Unavailable", "Deferred"])
    expect(journal.lines).toEqual([])
  })
)

it.scoped("a call whose begin cannot be recorded is not run", () =>
  Effect.gen(function* () {
    let runs = 0
    const journal = yield* Journal.memory
    const runner = yield* runnerOf(() => Effect.sync(() => ++runs), {
      journal: {
        ...journal,
        begin: () => Effect.fail(new JournalError({ operation: "begin", cause: new Error("disk full") }))
      }
    })
    const outcome = expectOutcome(yield* runner.forRun({}).run(jobCall("c")), "Defect")
    expect(runs).toBe(0)
    const result = Outcome.render(outcome)
    expect(result === undefined ? "" : ToolResult.toText(result)).not.toContain("disk full")
  })
)

it.scoped("an end that cannot be recorded is logged, and the outcome is what it is", () =>
  Effect.gen(function* () {
    const journal = yield* Journal.memory
    const runner = yield* runnerOf(() => Effect.succeed("done"), {
      journal: {
        ...journal,
        finish: () => Effect.fail(new JournalError({ operation: "finish", cause: new Error("disk full") }))
      }
    })
    const { lines, value } = yield* recordLogs(runner.forRun({}).run(jobCall("c")))
    expect(expectOutcome(value, "Success").encoded).toBe("done")
    expect(lines.some((line) => line.includes("did not record the end of a call of job"))).toBe(true)
  })
)

it.scoped("the same call made twice at the same time, in two batches of a run, runs once", () =>
  Effect.gen(function* () {
    let runs = 0
    const started = yield* Deferred.make<void>()
    const proceed = yield* Deferred.make<void>()
    const run = (yield* runnerOf(() =>
      Effect.gen(function* () {
        runs++
        yield* Deferred.succeed(started, undefined)
        yield* Deferred.await(proceed)
        return runs
      })
    )).forRun({})
    const first = yield* Effect.fork(run.run(jobCall("c")))
    yield* Deferred.await(started)
    const second = yield* Effect.fork(run.run(jobCall("c")))
    yield* Effect.yieldNow()
    yield* Deferred.succeed(proceed, undefined)
    const outcomes = [yield* Fiber.join(first), yield* Fiber.join(second)]
    expect(tagsOf(outcomes)).toEqual(["Success", "Success"])
    expect(outcomes.map(({ notes }) => notes)).toEqual([[], replayed])
    expect(runs).toBe(1)
  })
)

it.scoped("whoever waits for the same call of another batch can be interrupted meanwhile", () =>
  Effect.gen(function* () {
    const started = yield* Deferred.make<void>()
    const run = (yield* runnerOf(() => Effect.zipRight(Deferred.succeed(started, undefined), Effect.never))).forRun({})
    const first = yield* Effect.fork(run.run(jobCall("c")))
    yield* Deferred.await(started)
    const second = yield* Effect.fork(run.run(jobCall("c")))
    yield* Effect.yieldNow()
    expect(Exit.isInterrupted(yield* Fiber.interrupt(second))).toBe(true)
    yield* Fiber.interrupt(first)
  })
)
