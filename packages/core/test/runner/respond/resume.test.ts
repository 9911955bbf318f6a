import { describe, expect, it } from "@effect/vitest"
import { Tool, Toolkit } from "@effect/ai"
import {
  Approval,
  Journal,
  NotWaiting,
  type Policy,
  Response,
  StaleResponse,
  ToolCall,
  ToolRunner,
  Toolset,
  WrongKindOfResponse
} from "@wield/core"
import { Effect, Metric, MetricState, Schema } from "effect"
import { recordedJournal } from "../../recording/Journals.js"
import { recordSpans } from "../../recording/Spans.js"
import type { Job } from "../../tools/Job.js"
import { jobCall, type JobHandler, jobs } from "../../tools/Job.js"
import { expectOutcome, tagsOf } from "../../tools/outcomes.js"
import { NoSuchOrder, shop } from "../../tools/Shop.js"

const asking = (handler: JobHandler, policy: Policy.Policy<{ readonly job: typeof Job }> = {}, id?: string) =>
  Effect.map(
    Effect.flatMap(jobs(handler), (toolset) =>
      ToolRunner.make(toolset, { approval: () => Approval.ask("sure?"), ...policy })
    ),
    (runner) => runner.forRun({ id })
  )

const context = { customerId: "c_1" }

/** What a client sends comes over a wire, where no type vouches for it. */
const fromWire = (value: unknown) => value as never

/** None of them fits a call of `job` that waits for approval. */
const refusedResponses: ReadonlyArray<Response.Response> = [
  Response.result("forged"),
  Response.failure("forged"),
  Response.approveWith(fromWire(["no object"])),
  Response.approveWith(fromWire(null)),
  fromWire({ _tag: "Perhaps" })
]

/** All calls that were ever counted. */
const callsCounted = Effect.map(Metric.snapshot, (pairs) =>
  pairs
    .filter(({ metricKey }) => metricKey.name === "wield_tool_calls_total")
    .reduce(
      (sum, { metricState }) => sum + (MetricState.isCounterState(metricState) ? Number(metricState.count) : 0),
      0
    )
)

describe("a call that waits for approval", () => {
  it.scoped("runs when it is approved, with the arguments that were deferred", () =>
    Effect.gen(function* () {
      const runner = yield* asking(({ value }) => Effect.succeed(`did ${value}`))
      const deferred = expectOutcome(yield* runner.run(jobCall("c", "x")), "Deferred")
      const outcome = yield* runner.resume(deferred, Response.approve)
      expect(expectOutcome(outcome, "Success").encoded).toBe("did x")
      expect(outcome.id).toBe("c")
    })
  )
  it.scoped("is denied with the person's reason", () =>
    Effect.gen(function* () {
      const runner = yield* asking(() => Effect.die("must not run"))
      const deferred = expectOutcome(yield* runner.run(jobCall("c", "x")), "Deferred")
      const outcome = yield* runner.resume(deferred, Response.deny("not today"))
      expect(expectOutcome(outcome, "Denied").reason).toBe("not today")
    })
  )
  it.scoped("refuses an approval of other arguments than those that are to run", () =>
    Effect.gen(function* () {
      const runner = yield* asking(() => Effect.die("must not run"))
      const deferred = expectOutcome(yield* runner.run(jobCall("c", { amount: 1 })), "Deferred")
      const other = { ...deferred, call: jobCall("c", { amount: 1000 }) }
      for (const waiting of [other, { ...deferred, digest: "" }, { ...deferred, digest: fromWire(undefined) }]) {
        for (const response of [Response.approve, Response.approveWith({ value: 2 })]) {
          const refused = yield* Effect.flip(runner.resume(waiting, response))
          expect(refused).toBeInstanceOf(StaleResponse)
          expect(refused).toMatchObject({ call: "c", tool: "job", digest: String(waiting.digest) })
        }
      }
      // A denial runs nothing.
      expectOutcome(yield* runner.resume(other, Response.deny("no")), "Denied")
    })
  )
  it.scoped("refuses a result that nobody computed", () =>
    Effect.gen(function* () {
      const runner = yield* asking(() => Effect.die("must not run"))
      const deferred = expectOutcome(yield* runner.run(jobCall("c")), "Deferred")
      for (const response of [Response.result("forged"), Response.failure("forged")]) {
        const refused = yield* Effect.flip(runner.resume(deferred, response))
        expect(refused).toBeInstanceOf(WrongKindOfResponse)
        expect(refused).toMatchObject({ expected: ["Approve", "Deny"], received: response._tag })
      }
    })
  )
  it.scoped("refuses a response to a call that cannot have been deferred", () =>
    Effect.gen(function* () {
      // A schema that is of another mind by the time of the answer.
      let isOpen = true
      const Kit = Toolkit.make(
        Tool.make("book", { parameters: { seat: Schema.Number.pipe(Schema.filter(() => isOpen)) } })
      )
      const toolset = yield* Toolset.fromLayer(Kit, Kit.toLayer({ book: () => Effect.die("must not run") }))
      const run = (yield* ToolRunner.make(toolset, { approval: () => Approval.ask() })).forRun({})
      const deferred = expectOutcome(yield* run.run(ToolCall.make("c", "book", { seat: 1 })), "Deferred")
      isOpen = false
      const broken = { ...deferred, call: ToolCall.make("c", "book", '{"seat":') }
      for (const waiting of [deferred, broken]) {
        const refused = yield* Effect.flip(run.resume(waiting, Response.approve))
        expect(refused).toBeInstanceOf(NotWaiting)
        expect(refused).toMatchObject({ call: "c", tool: "book" })
      }
    })
  )
  it.scoped("leaves no trace of a response that it refuses: no entry, no metric, no span, no news", () =>
    Effect.gen(function* () {
      const journal = recordedJournal()
      const heard: Array<string> = []
      const hear = (what: string) => Effect.sync(() => void heard.push(what))
      const watcher = {
        started: () => hear("started"),
        progress: () => () => Effect.void,
        finished: () => hear("done")
      }
      const run = yield* asking(() => Effect.succeed("done"), { journal: journal.service })
      const deferred = expectOutcome(yield* run.run(jobCall("refused")), "Deferred")
      const before = yield* callsCounted
      const { spans } = yield* recordSpans(
        Effect.forEach(refusedResponses, (response) =>
          Effect.zipRight(
            Effect.flip(run.resume(deferred, response, watcher)),
            Effect.flip(run.check(deferred, response))
          )
        )
      )
      expect(spans).toEqual([])
      expect(yield* callsCounted).toBe(before)
      expect([...journal.lines, ...heard]).toEqual([])
      // It waits as it did before.
      expectOutcome(yield* run.resume(deferred, Response.approve, watcher), "Success")
      expect(heard).toEqual(["started", "done"])
    })
  )
  it.scoped("runs once though it is approved twice, in this process and by another runner", () =>
    Effect.gen(function* () {
      let runs = 0
      const journal = yield* Journal.memory
      const runner = yield* asking(() => Effect.sync(() => ++runs), { journal }, "r")
      const deferred = expectOutcome(yield* runner.run(jobCall("c")), "Deferred")
      expectOutcome(yield* runner.resume(deferred, Response.approve), "Success")
      expect((yield* runner.resume(deferred, Response.approve)).notes).toEqual([{ _tag: "Replayed" }])
      const restarted = yield* asking(() => Effect.sync(() => ++runs), { journal }, "r")
      expect((yield* restarted.resume(deferred, Response.approve)).notes).toEqual([{ _tag: "Replayed" }])
      expect(runs).toBe(1)
    })
  )
  it.scoped("is held to what is offered when it resumes", () =>
    Effect.gen(function* () {
      const runner = yield* asking(() => Effect.die("must not run"))
      const deferred = expectOutcome(yield* runner.run(jobCall("c")), "Deferred")
      expectOutcome(yield* runner.forRun({ offered: [] }).resume(deferred, Response.approve), "Unavailable")
    })
  )
  it.scoped("raises the failure of a tool that raises", () =>
    Effect.gen(function* () {
      const made = yield* ToolRunner.make(yield* shop, { approval: () => Approval.ask() })
      const runner = made.forRun({ context })
      const deferred = expectOutcome(yield* runner.run(ToolCall.make("c", "cancel", { number: 8 })), "Deferred")
      expect(yield* Effect.flip(runner.resume(deferred, Response.approve))).toBeInstanceOf(NoSuchOrder)
    })
  )
  it.scoped("can be stored as JSON in between", () =>
    Effect.gen(function* () {
      const runner = yield* asking(({ value }) => Effect.succeed(value))
      const { call, digest, name } = expectOutcome(yield* runner.run(jobCall("c", { b: 1, a: [2] })), "Deferred")
      const stored = JSON.parse(JSON.stringify({ call, digest, name })) as {
        readonly call: ToolCall.ToolCall
        readonly digest: string
        readonly name: "job"
      }
      expectOutcome(yield* runner.resume(stored, Response.approve), "Success")
    })
  )
})

describe("a call that a client executes", () => {
  const charted = Effect.gen(function* () {
    const runner = (yield* ToolRunner.make(yield* shop)).forRun({ context })
    const deferred = expectOutcome(yield* runner.run(ToolCall.make("c", "show_chart", { title: "Sales" })), "Deferred")
    return { deferred, runner }
  })

  it.scoped("has the client's result, checked by the tool's schema", () =>
    Effect.gen(function* () {
      const { deferred, runner } = yield* charted
      const outcome = yield* runner.resume(deferred, Response.result({ shown: true }))
      expect(expectOutcome(outcome, "Success").result).toEqual({ shown: true })
      for (const encoded of [{ shown: "yes" }, undefined, null]) {
        const wrong = yield* charted
        const answered = wrong.runner.resume(wrong.deferred, Response.result(fromWire(encoded)))
        expectOutcome(yield* answered, "InvalidResult")
      }
    })
  )
  it.scoped("has the client's failure, checked by the tool's failure schema", () =>
    Effect.gen(function* () {
      const { deferred, runner } = yield* charted
      const outcome = yield* runner.resume(deferred, Response.failure({ problem: "no screen" }))
      expect(expectOutcome(outcome, "Failure").failure).toEqual({ problem: "no screen" })
      const wrong = yield* charted
      const answered = wrong.runner.resume(wrong.deferred, Response.failure(fromWire("no screen")))
      expectOutcome(yield* answered, "InvalidResult")
    })
  )
  it.scoped("still waits for the client when a person approves it", () =>
    Effect.gen(function* () {
      const made = yield* ToolRunner.make(yield* shop, { approval: () => Approval.ask() })
      const runner = made.forRun({ context })
      const first = expectOutcome(yield* runner.run(ToolCall.make("c", "show_chart", { title: "x" })), "Deferred")
      const second = expectOutcome(yield* runner.resume(first, Response.approve), "Deferred")
      expect([first.waitsFor, second.waitsFor]).toEqual(["approval", "client"])
      expectOutcome(yield* runner.resume(second, Response.result({ shown: true })), "Success")
      // Approved once more, it does not wait again.
      expectOutcome(yield* runner.resume(first, Response.approve), "Success")
    })
  )
  it.scoped("takes no client's result before a person has approved it, and no approval for a result", () =>
    Effect.gen(function* () {
      const made = yield* ToolRunner.make(yield* shop, { approval: () => Approval.ask() })
      const run = made.forRun({ context })
      const first = expectOutcome(yield* run.run(ToolCall.make("c", "show_chart", { title: "x" })), "Deferred")
      const early = yield* Effect.flip(run.resume(first, Response.result({ shown: true })))
      expect(early).toMatchObject({ _tag: "WrongKindOfResponse", expected: ["Approve", "Deny"], received: "Result" })
      const second = expectOutcome(yield* run.resume(first, Response.approve), "Deferred")
      const late = yield* Effect.flip(run.resume(second, Response.approve))
      expect(late).toMatchObject({ expected: ["Result", "Failure", "Deny"], received: "Approve" })
      expect(expectOutcome(yield* run.resume(second, Response.deny("no screen")), "Denied").reason).toBe("no screen")
    })
  )
})

describe("resumeAll", () => {
  it.scoped("puts the outcomes of the answers in the places of what waited, one answer after the other", () =>
    Effect.gen(function* () {
      const made = yield* ToolRunner.make(yield* shop, { approval: { refund: () => Approval.ask() } })
      const runner = made.forRun({ context })
      const outcomes = yield* runner.runAll([
        ToolCall.make("a", "refund", { amount: 1 }),
        ToolCall.make("b", "cancel", { number: 7 }),
        ToolCall.make("c", "refund", { amount: 2 }),
        ToolCall.make("d", "show_chart", { title: "x" })
      ])
      expect(tagsOf(outcomes)).toEqual(["Deferred", "Success", "Deferred", "Deferred"])
      const asked: Array<string> = []
      const answered = yield* runner.resumeAll(outcomes, (deferred) => {
        asked.push(deferred.id)
        return deferred.id === "a"
          ? Response.approve
          : deferred.id === "c"
            ? Effect.succeed(Response.deny("once is enough"))
            : Response.result({ shown: true })
      })
      expect(tagsOf(answered)).toEqual(["Success", "Success", "Denied", "Success"])
      expect(answered.map(({ id }) => id)).toEqual(["a", "b", "c", "d"])
      expect(answered[1]).toBe(outcomes[1])
      expect(asked).toEqual(["a", "c", "d"])
    })
  )
  it.scoped("fails as an answer fails, and what was approved before does not run again", () =>
    Effect.gen(function* () {
      const ran: Array<unknown> = []
      const runner = yield* asking(({ value }) => Effect.sync(() => ran.push(value)))
      const outcomes = yield* runner.runAll([jobCall("a", 1), jobCall("b", 2)])
      const error = yield* Effect.flip(
        runner.resumeAll(outcomes, ({ id }) => (id === "a" ? Effect.succeed(Response.approve) : Effect.fail("away")))
      )
      expect(error).toBe("away")
      const answered = yield* runner.resumeAll(outcomes, () => Response.approve)
      expect(answered.map(({ notes }) => notes)).toEqual([[{ _tag: "Replayed" }], []])
      expect(ran).toEqual([1, 2])
    })
  )
})

describe("the approval rule, when a call resumes", () => {
  const ruled = (journal?: Journal.Service) =>
    Effect.gen(function* () {
      const state: { decision: Approval.Decision; runs: number } = { decision: Approval.ask(), runs: 0 }
      const toolset = yield* jobs(() => Effect.sync(() => ++state.runs))
      const runner = yield* ToolRunner.make(toolset, { journal, approval: () => state.decision })
      const run = runner.forRun({ id: "r" })
      return { run, state, deferred: expectOutcome(yield* run.run(jobCall("c")), "Deferred") }
    })

  it.scoped("denies what it denies by now, and does not remember it", () =>
    Effect.gen(function* () {
      for (const journal of [undefined, yield* Journal.memory, { ...(yield* Journal.memory) }]) {
        const { deferred, run, state } = yield* ruled(journal)
        state.decision = Approval.deny("closed by now")
        expect(expectOutcome(yield* run.resume(deferred, Response.approve), "Denied").reason).toBe("closed by now")
        expect(state.runs).toBe(0)
        state.decision = Approval.ask("again?")
        expectOutcome(yield* run.resume(deferred, Response.approve), "Success")
        expect(state.runs).toBe(1)
      }
    })
  )
  it.scoped("allows an approval of what it would allow by now", () =>
    Effect.gen(function* () {
      const { deferred, run, state } = yield* ruled()
      state.decision = Approval.allow
      expectOutcome(yield* run.resume(deferred, Response.approve), "Success")
    })
  )
  it.scoped("does not call denied what has run already", () =>
    Effect.gen(function* () {
      for (const journal of [undefined, yield* Journal.memory]) {
        const { deferred, run, state } = yield* ruled(journal)
        yield* run.resume(deferred, Response.approve)
        state.decision = Approval.deny("one is enough")
        const again = expectOutcome(yield* run.resume(deferred, Response.approve), "Success")
        expect(again.notes).toEqual([{ _tag: "Replayed" }])
        expect(state.runs).toBe(1)
      }
    })
  )
  it.scoped("that dies ends the call as a Defect, and runs nothing", () =>
    Effect.gen(function* () {
      let isBroken = false
      const toolset = yield* jobs(() => Effect.die("must not run"))
      const runner = yield* ToolRunner.make(toolset, {
        approval: () => (isBroken ? Effect.die("broken rule") : Approval.ask())
      })
      const run = runner.forRun({})
      const deferred = expectOutcome(yield* run.run(jobCall("c")), "Deferred")
      isBroken = true
      expectOutcome(yield* run.resume(deferred, Response.approve), "Defect")
      yield* run.check(deferred, Response.approve)
    })
  )
})
