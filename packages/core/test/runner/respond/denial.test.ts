/**
 * What a person or a client denied never runs, whatever is answered later.
 */
import { describe, expect, it } from "@effect/vitest"
import { Approval, Journal, Outcome, Response, ToolCall, ToolRunner } from "@wield/core"
import { Deferred, Effect, Fiber } from "effect"
import { recordedJournal } from "../../recording/Journals.js"
import { IdempotentJob, jobCall, jobs } from "../../tools/Job.js"
import { expectOutcome } from "../../tools/outcomes.js"
import { shop } from "../../tools/Shop.js"

const asking = (handler: () => Effect.Effect<unknown>, journal?: Journal.Service, tool?: typeof IdempotentJob) =>
  Effect.map(
    Effect.flatMap(jobs(handler, tool), (toolset) =>
      ToolRunner.make(toolset, { journal, approval: () => Approval.ask() })
    ),
    (runner) => runner.forRun({ id: "r" })
  )

const mustNotRun = () => Effect.die("must not run")

/** Where a run remembers: itself, a journal that answers at once, one that does not. */
const journals = Effect.map(Effect.all([Journal.memory, Journal.memory]), ([atOnce, slow]) => [
  undefined,
  atOnce,
  { ...slow }
])

it.scoped("a denied call stays denied when it is approved later", () =>
  Effect.gen(function* () {
    for (const journal of yield* journals) {
      const run = yield* asking(mustNotRun, journal)
      const deferred = expectOutcome(yield* run.run(jobCall("c")), "Deferred")
      expect(expectOutcome(yield* run.resume(deferred, Response.deny("too late")), "Denied").notes).toEqual([])
      // After a restart the journal is all there is.
      const later = journal === undefined ? run : yield* asking(mustNotRun, journal)
      for (const response of [Response.approve, Response.approveWith({ value: 1 }), Response.deny("another reason")]) {
        const again = expectOutcome(yield* later.resume(deferred, response), "Denied")
        expect(again.reason).toBe("too late")
        expect(again.notes).toEqual([{ _tag: "Replayed" }])
      }
      expect(Outcome.text(yield* later.resume(deferred, Response.approve))).toBe(
        "The call of job was denied and not run: too late"
      )
    }
  })
)

it.scoped("a denial is one entry in the journal, and an idempotent tool is no exception", () =>
  Effect.gen(function* () {
    const journal = recordedJournal()
    const run = yield* asking(mustNotRun, journal.service, IdempotentJob)
    const deferred = expectOutcome(yield* run.run(jobCall("c")), "Deferred")
    yield* run.resume(deferred, Response.deny("no"))
    expect(journal.lines).toEqual(["begin c", "finish c Denied"])
    expectOutcome(yield* run.resume(deferred, Response.approve), "Denied")
  })
)

it.scoped("a denial of what has run already gives what it came to", () =>
  Effect.gen(function* () {
    for (const journal of yield* journals) {
      const run = yield* asking(() => Effect.succeed("done"), journal)
      const deferred = expectOutcome(yield* run.run(jobCall("c")), "Deferred")
      yield* run.resume(deferred, Response.approve)
      const late = expectOutcome(yield* run.resume(deferred, Response.deny("stop")), "Success")
      expect(late.notes).toEqual([{ _tag: "Replayed" }])
    }
  })
)

it.scoped("a denial of what is running gives what it comes to", () =>
  Effect.gen(function* () {
    for (const journal of yield* journals) {
      const started = yield* Deferred.make<void>()
      const proceed = yield* Deferred.make<void>()
      const run = yield* asking(
        () => Effect.as(Effect.zipRight(Deferred.succeed(started, undefined), Deferred.await(proceed)), "done"),
        journal
      )
      const deferred = expectOutcome(yield* run.run(jobCall("c")), "Deferred")
      const running = yield* Effect.fork(run.resume(deferred, Response.approve))
      yield* Deferred.await(started)
      const denying = yield* Effect.fork(run.resume(deferred, Response.deny("stop")))
      yield* Effect.yieldNow()
      yield* Deferred.succeed(proceed, undefined)
      expectOutcome(yield* Fiber.join(running), "Success")
      expectOutcome(yield* Fiber.join(denying), "Success")
    }
  })
)

it.scoped("a denial of what was begun and never finished is uncertain, for it may have taken effect", () =>
  Effect.gen(function* () {
    const journal = yield* Journal.memory
    // As a crash leaves it: begun, and nothing more.
    const crashed = yield* asking(() => Effect.succeed("crash"), { ...journal, finish: () => Effect.void })
    const deferred = expectOutcome(yield* crashed.run(jobCall("c", "x")), "Deferred")
    yield* crashed.resume(deferred, Response.approve)
    const run = yield* asking(mustNotRun, journal)
    for (const response of [Response.deny("no"), Response.approve, Response.approveWith({ value: "y" })]) {
      const uncertain = expectOutcome(yield* run.resume(deferred, response), "Uncertain")
      expect(uncertain).toMatchObject({ arguments: { value: "x" }, digest: deferred.digest, facts: deferred.facts })
    }
  })
)

describe("a denial", () => {
  it.scoped("holds for a tool that is not on offer at the time", () =>
    Effect.gen(function* () {
      const run = yield* asking(mustNotRun)
      const deferred = expectOutcome(yield* run.run(jobCall("c")), "Deferred")
      expectOutcome(yield* run.forRun({ offered: [] }).resume(deferred, Response.deny("no")), "Denied")
      expectOutcome(yield* run.resume(deferred, Response.approve), "Denied")
    })
  )
  it.scoped("by a client is the end of the call, and no result is taken any more", () =>
    Effect.gen(function* () {
      const run = (yield* ToolRunner.make(yield* shop)).forRun({ context: { customerId: "c_1" } })
      const call = ToolCall.make("c", "show_chart", { title: "Sales" })
      const deferred = expectOutcome(yield* run.run(call), "Deferred")
      expectOutcome(yield* run.resume(deferred, Response.deny("no screen")), "Denied")
      const late = expectOutcome(yield* run.resume(deferred, Response.result({ shown: true })), "Denied")
      expect(late.reason).toBe("no screen")
    })
  )
  it.scoped("needs no context: a person may say no where the program could not run the call", () =>
    Effect.gen(function* () {
      const asked = yield* ToolRunner.make(yield* shop, { approval: () => Approval.ask() })
      const call = ToolCall.make("c", "get_orders", { status: "open" })
      const deferred = expectOutcome(
        yield* asked.forRun({ id: "r", context: { customerId: "c_1" } }).run(call),
        "Deferred"
      )
      // The types demand the context; a program without types may forget it.
      const run = asked.forRun({ id: "r" } as never)
      expectOutcome(yield* run.resume(deferred, Response.deny("no")), "Denied")
    })
  )
})

it.scoped("a denial of what was begun and never finished does not say that it was not run", () =>
  Effect.gen(function* () {
    for (const tool of [undefined, IdempotentJob]) {
      const journal = yield* Journal.memory
      // As a crash leaves it: begun, and nothing more.
      const crashed = yield* asking(() => Effect.succeed("done"), { ...journal, finish: () => Effect.void }, tool)
      const deferred = expectOutcome(yield* crashed.run(jobCall("c")), "Deferred")
      yield* crashed.resume(deferred, Response.approve)
      const run = yield* asking(mustNotRun, journal, tool)
      expect(expectOutcome(yield* run.resume(deferred, Response.deny("no")), "Uncertain").reason).toBe("begun")
    }
  })
)
