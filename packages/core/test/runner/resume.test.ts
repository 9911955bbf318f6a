import { describe, expect, it } from "@effect/vitest"
import { Approval, Journal, type Policy, Response, ToolCall, ToolRunner } from "@wield/core"
import { Effect } from "effect"
import type { Job } from "../tools/Job.js"
import { jobCall, type JobHandler, jobs } from "../tools/Job.js"
import { expectOutcome, tagsOf } from "../tools/outcomes.js"
import { NoSuchOrder, shop } from "../tools/Shop.js"

const asking = (handler: JobHandler, policy: Policy.Policy<{ readonly job: typeof Job }> = {}, id?: string) =>
  Effect.map(
    Effect.flatMap(jobs(handler), (toolset) =>
      ToolRunner.make(toolset, { approval: () => Approval.ask("sure?"), ...policy })
    ),
    (runner) => runner.forRun({ id })
  )

const context = { customerId: "c_1" }

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
  it.scoped("does not run with other arguments than those that were approved", () =>
    Effect.gen(function* () {
      const runner = yield* asking(() => Effect.die("must not run"))
      const deferred = expectOutcome(yield* runner.run(jobCall("c", { amount: 1 })), "Deferred")
      const other = { ...deferred, call: jobCall("c", { amount: 1000 }) }
      expectOutcome(yield* runner.resume(other, Response.approve), "Denied")
      expectOutcome(yield* runner.resume({ ...deferred, digest: "" }, Response.approve), "Denied")
    })
  )
  it.scoped("cannot be answered with a result that nobody computed", () =>
    Effect.gen(function* () {
      const runner = yield* asking(() => Effect.die("must not run"))
      const deferred = expectOutcome(yield* runner.run(jobCall("c")), "Deferred")
      expectOutcome(yield* runner.resume(deferred, Response.result("forged")), "Denied")
      expectOutcome(yield* runner.resume(deferred, Response.failure("forged")), "Denied")
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

/** What a client sends comes over a wire, where no type vouches for it. */
const fromWire = (value: unknown) => value as never

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
