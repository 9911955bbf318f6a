import { describe, expect, it } from "@effect/vitest"
import { Approval, Journal, type Policy, ToolCall, ToolRunner } from "@wield/core"
import { Effect } from "effect"
import { Job, jobCall, type JobHandler, jobs } from "../tools/Job.js"
import { expectOutcome } from "../tools/outcomes.js"
import { NoSuchOrder, shop } from "../tools/Shop.js"

const asking = (handler: JobHandler, policy: Policy.Policy<{ readonly job: typeof Job }> = {}) =>
  Effect.flatMap(jobs(handler), (toolset) =>
    ToolRunner.make(toolset, { approval: () => Approval.ask("sure?"), ...policy })
  )

describe("a call that waits for approval", () => {
  it.scoped("runs when it is approved, with the arguments that were deferred", () =>
    Effect.gen(function* () {
      const runner = yield* asking(({ value }) => Effect.succeed(`did ${value}`))
      const deferred = expectOutcome(yield* runner.run(jobCall("c", "x")), "Deferred")
      const outcome = yield* runner.resume(deferred, { _tag: "Approve" })
      expect(expectOutcome(outcome, "Success").encoded).toBe("did x")
      expect(outcome.id).toBe("c")
    })
  )
  it.scoped("is denied with the person's reason", () =>
    Effect.gen(function* () {
      const runner = yield* asking(() => Effect.die("must not run"))
      const deferred = expectOutcome(yield* runner.run(jobCall("c", "x")), "Deferred")
      const outcome = yield* runner.resume(deferred, { _tag: "Deny", reason: "not today" })
      expect(expectOutcome(outcome, "Denied").reason).toBe("not today")
    })
  )
  it.scoped("does not run with other arguments than those that were approved", () =>
    Effect.gen(function* () {
      const runner = yield* asking(() => Effect.die("must not run"))
      const deferred = expectOutcome(yield* runner.run(jobCall("c", { amount: 1 })), "Deferred")
      const other = { call: jobCall("c", { amount: 1000 }), digest: deferred.digest }
      expectOutcome(yield* runner.resume(other, { _tag: "Approve" }), "Denied")
      expectOutcome(yield* runner.resume({ call: deferred.call, digest: "" }, { _tag: "Approve" }), "Denied")
    })
  )
  it.scoped("cannot be answered with a result that nobody computed", () =>
    Effect.gen(function* () {
      const runner = yield* asking(() => Effect.die("must not run"))
      const deferred = expectOutcome(yield* runner.run(jobCall("c")), "Deferred")
      expectOutcome(yield* runner.resume(deferred, { _tag: "Result", encoded: "forged" }), "Denied")
      expectOutcome(yield* runner.resume(deferred, { _tag: "Failure", encoded: "forged" }), "Denied")
    })
  )
  it.scoped("runs once though it is approved twice, in this process and by another runner", () =>
    Effect.gen(function* () {
      let runs = 0
      const journal = yield* Journal.memory
      const runner = (yield* asking(() => Effect.sync(() => ++runs), { journal })).forRun({ id: "r" })
      const deferred = expectOutcome(yield* runner.run(jobCall("c")), "Deferred")
      expectOutcome(yield* runner.resume(deferred, { _tag: "Approve" }), "Success")
      expect((yield* runner.resume(deferred, { _tag: "Approve" })).notes).toEqual([{ _tag: "Replayed" }])
      const restarted = (yield* asking(() => Effect.sync(() => ++runs), { journal })).forRun({ id: "r" })
      expect((yield* restarted.resume(deferred, { _tag: "Approve" })).notes).toEqual([{ _tag: "Replayed" }])
      expect(runs).toBe(1)
    })
  )
  it.scoped("is held to what is offered when it resumes", () =>
    Effect.gen(function* () {
      const runner = yield* asking(() => Effect.die("must not run"))
      const deferred = expectOutcome(yield* runner.run(jobCall("c")), "Deferred")
      expectOutcome(yield* runner.forRun({ offered: [] }).resume(deferred, { _tag: "Approve" }), "Unavailable")
    })
  )
  it.scoped("raises the failure of a tool that raises", () =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make(yield* shop, { approval: () => Approval.ask() })
      const deferred = expectOutcome(yield* runner.run(ToolCall.make("c", "cancel", { number: 8 })), "Deferred")
      expect(yield* Effect.flip(runner.resume(deferred, { _tag: "Approve" }))).toBeInstanceOf(NoSuchOrder)
    })
  )
  it.scoped("can be stored as JSON in between", () =>
    Effect.gen(function* () {
      const runner = yield* asking(({ value }) => Effect.succeed(value))
      const { call, digest } = expectOutcome(yield* runner.run(jobCall("c", { b: 1, a: [2] })), "Deferred")
      const stored = JSON.parse(JSON.stringify({ call, digest })) as { call: ToolCall.ToolCall; digest: string }
      expectOutcome(yield* runner.resume(stored, { _tag: "Approve" }), "Success")
    })
  )
})

describe("a call that a client executes", () => {
  const charted = Effect.gen(function* () {
    const runner = yield* ToolRunner.make(yield* shop)
    const deferred = expectOutcome(yield* runner.run(ToolCall.make("c", "show_chart", { title: "Sales" })), "Deferred")
    return { deferred, runner }
  })

  it.scoped("has the client's result, checked by the tool's schema", () =>
    Effect.gen(function* () {
      const { deferred, runner } = yield* charted
      const outcome = yield* runner.resume(deferred, { _tag: "Result", encoded: { shown: true } })
      expect(expectOutcome(outcome, "Success").result).toEqual({ shown: true })
      expectOutcome(yield* runner.resume(deferred, { _tag: "Result", encoded: { shown: "yes" } }), "InvalidResult")
      expectOutcome(yield* runner.resume(deferred, { _tag: "Result", encoded: undefined }), "InvalidResult")
    })
  )
  it.scoped("has the client's failure, checked by the tool's failure schema", () =>
    Effect.gen(function* () {
      const { deferred, runner } = yield* charted
      const outcome = yield* runner.resume(deferred, { _tag: "Failure", encoded: { problem: "no screen" } })
      expect(expectOutcome(outcome, "Failure").failure).toEqual({ problem: "no screen" })
      expectOutcome(yield* runner.resume(deferred, { _tag: "Failure", encoded: "no screen" }), "InvalidResult")
    })
  )
  it.scoped("still waits for the client when a person approves it", () =>
    Effect.gen(function* () {
      const runner = yield* ToolRunner.make(yield* shop, { approval: () => Approval.ask() })
      const first = expectOutcome(yield* runner.run(ToolCall.make("c", "show_chart", { title: "x" })), "Deferred")
      const second = expectOutcome(yield* runner.resume(first, { _tag: "Approve" }), "Deferred")
      expect([first.waitsFor, second.waitsFor]).toEqual(["approval", "client"])
      expectOutcome(yield* runner.resume(second, { _tag: "Result", encoded: { shown: true } }), "Success")
    })
  )
})
