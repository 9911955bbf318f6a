/** An approval rule can say what exactly may run, where the arguments do not say it all. */
import { describe, expect, it } from "@effect/vitest"
import { Approval, CurrentCall, Facts, Journal, Response, StaleResponse, ToolRunner } from "@wield/core"
import { Effect } from "effect"
import { jobCall, jobs } from "../../tools/Job.js"
import { expectOutcome } from "../../tools/outcomes.js"

const asking = (journal?: Journal.Service) =>
  Effect.gen(function* () {
    const state: { decision: Approval.Decision; requests: Array<Approval.Request>; handled: Array<unknown> } = {
      decision: Approval.ask("12 EUR", { subject: "12:00 EUR" }),
      requests: [],
      handled: []
    }
    const toolset = yield* jobs(() =>
      Effect.map(CurrentCall.CurrentCall, ({ subject }) => state.handled.push(String(subject)))
    )
    const runner = yield* ToolRunner.make(toolset, {
      journal,
      approval: (request) => {
        state.requests.push(request)
        return state.decision
      }
    })
    const run = runner.forRun({ id: "r" })
    const deferred = () => Effect.map(run.run(jobCall("c")), (outcome) => expectOutcome(outcome, "Deferred"))
    return { run, state, deferred }
  })

describe("the subject that a rule asks about", () => {
  it.scoped("is told to the rule and the handler when a person has approved it", () =>
    Effect.gen(function* () {
      for (const journal of [undefined, yield* Journal.memory, { ...(yield* Journal.memory) }]) {
        const { deferred, run, state } = yield* asking(journal)
        const asked = yield* deferred()
        expect(state.requests.at(-1)?.approved).toBeUndefined()
        yield* run.check(asked, Response.approve)
        expectOutcome(yield* run.resume(asked, Response.approve), "Success")
        const subjects = ["12:00 EUR", "12:00 EUR ", undefined]
        expect(state.requests.slice(1).map(({ approved }) => subjects.map((one) => approved?.isOf(one)))).toEqual([
          [true, false, false],
          [true, false, false]
        ])
        expect(state.handled).toEqual(["12:00 EUR"])
      }
    })
  )

  it.scoped("is part of the digest: an approval of one, or of none, approves no other", () =>
    Effect.gen(function* () {
      const { deferred, run, state } = yield* asking()
      const asked = yield* deferred()
      expect(asked.digest).toMatch(/^[0-9a-f]{64}:[0-9a-f]{64}$/)
      const [hash, subject] = asked.digest.split(":")
      for (const digest of [`${hash}:`, `${hash}:12:00 EUR`, `${asked.digest}0`, `:${subject}`, `${subject}:${hash}`]) {
        expect(yield* Effect.flip(run.resume({ ...asked, digest }, Response.approve))).toBeInstanceOf(StaleResponse)
      }
      for (const digest of [`${hash}`, `${hash}:${hash}`]) {
        const { arguments: shown, call, name } = asked
        expectOutcome(yield* run.resume({ arguments: shown, call, name, digest }, Response.approve), "Denied")
        expect(yield* Effect.flip(run.resume({ ...asked, digest }, Response.approve))).toBeInstanceOf(StaleResponse)
      }
      state.decision = Approval.ask("12 EUR")
      const unbound = yield* deferred()
      expect(unbound.digest).toMatch(/^[0-9a-f]{64}$/)
      expect(state.handled).toEqual([])
    })
  )

  it.scoped("is denied when the rule asks about another one, or about none, by now", () =>
    Effect.gen(function* () {
      for (const [before, now] of [
        ["12 EUR", "99 EUR"],
        ["12 EUR", undefined],
        [undefined, "12 EUR"]
      ] as const) {
        const { deferred, run, state } = yield* asking()
        state.decision = Approval.ask("sure?", { subject: before })
        const asked = yield* deferred()
        state.decision = Approval.ask("sure?", { subject: now })
        yield* run.check(asked, Response.approve)
        const denied = expectOutcome(yield* run.resume(asked, Response.approve), "Denied")
        expect(denied.reason).toContain("Make the call again")
        expect(state.handled).toEqual([])
      }
    })
  )

  it.scoped("is not asked about twice: what it was approved for and has run is replayed, whatever it is by now", () =>
    Effect.gen(function* () {
      const { deferred, run, state } = yield* asking()
      const asked = yield* deferred()
      expectOutcome(yield* run.resume(asked, Response.approve), "Success")
      state.decision = Approval.ask("sure?", { subject: "99 EUR" })
      expect(expectOutcome(yield* run.resume(asked, Response.approve), "Success").notes).toEqual([{ _tag: "Replayed" }])
      expect(state.handled).toHaveLength(1)
    })
  )

  it.scoped("is the rule's alone: neither a model nor a person sets it, and a call without one has none", () =>
    Effect.gen(function* () {
      const { run, state } = yield* asking()
      state.decision = Approval.allow
      yield* run.run({
        ...jobCall("1", "x"),
        arguments: { value: "x", subject: "mine", approved: { subject: "mine" } }
      })
      state.decision = Approval.allowOnly("theirs")
      yield* run.run(jobCall("2", "y"))
      expect(state.handled).toEqual(["undefined", "theirs"])
    })
  )

  it.effect("is not lost to a rule without one that asks as well", () =>
    Effect.gen(function* () {
      const plain = () => Approval.ask("plain")
      const exact = () => Approval.ask("exact", { subject: "12 EUR" })
      const request: Approval.Request = {
        name: "job",
        parameters: {},
        facts: Facts.make({}),
        context: {},
        call: jobCall("c")
      }
      for (const rules of [
        [plain, exact],
        [exact, plain],
        [() => Approval.allowOnly("all"), exact]
      ]) {
        const decision = Approval.strictest(...rules)(request)
        expect(Effect.isEffect(decision) ? yield* decision : decision).toEqual(exact())
      }
      const denied = Approval.strictest(exact, () => Approval.deny("no"))(request)
      expect(Effect.isEffect(denied) ? yield* denied : denied).toEqual(Approval.deny("no"))
    })
  )
})
