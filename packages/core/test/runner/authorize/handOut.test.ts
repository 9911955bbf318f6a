/** What a client was given to carry out is the client's from then on. */
import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Approval, Facts, Journal, type Policy, Quota, Response, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect, Schema, TestClock } from "effect"
import { expectOutcome } from "../../tools/outcomes.js"

/** Of one tool, whichever it is. */
const toolsetOf = (tool: Tool.Any) => {
  const Kit = Toolkit.make(tool)
  return Toolset.fromLayer(Kit, Kit.toLayer({} as never))
}

describe("a tool that its client carries out", () => {
  const Choose = Tool.make("choose", {
    parameters: { of: Schema.optional(Schema.Int) },
    success: Schema.String
  }).pipe(Facts.client)
  const Kit = Toolkit.make(Choose)
  type OfChoose = Policy.Policy<{ readonly choose: typeof Choose }>
  const asksOf = (policy: OfChoose) =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.fromLayer(Kit, Kit.toLayer({}))
      const run = (yield* ToolRunner.make(toolset, policy)).forRun({ id: "run" })
      const ask = (id: string, of: ToolRunner.NestedRunOptions = {}) =>
        run.forRun(of).run(ToolCall.make(id, "choose", {}))
      const waitingOf = (id: string) => Effect.map(ask(id), (outcome) => expectOutcome(outcome, "Deferred"))
      return { run, ask, waitingOf }
    }).pipe(Effect.provideService(Quota.CurrentCounts, Quota.memory()))

  // Not the one that a runner knows to be in memory.
  const lastingJournal = (journal: Journal.Service): Journal.Service => ({ ...journal })

  const onePerMinute: ReadonlyArray<readonly [string, OfChoose]> = [
    ["a rate", { limits: { default: { rate: { calls: 1, window: "1 minute" } } } }],
    ["a quota", { quotas: [{ name: "all", by: () => "all", calls: 1, window: "1 minute" }] }]
  ]
  it.scoped.each(onePerMinute)("is refused by %s before it is asked for, never when it has answered", ([, policy]) =>
    Effect.gen(function* () {
      const { ask, run, waitingOf } = yield* asksOf(policy)
      const waiting = yield* waitingOf("one")
      expectOutcome(yield* ask("two"), "Limited")
      yield* run.check(waiting, Response.result("blue"))
      expect(expectOutcome(yield* run.resume(waiting, Response.result("blue")), "Success").encoded).toBe("blue")
      yield* TestClock.adjust("1 minute")
      // The limit is used up by what is asked, and was not by the answer.
      yield* run.preview(ToolCall.make("three", "choose", {}))
      yield* waitingOf("three")
      expectOutcome(yield* ask("four"), "Limited")
    })
  )

  it.scoped.each(onePerMinute)("is counted by %s once, however often it is asked for", ([, policy]) =>
    Effect.gen(function* () {
      for (const journal of [undefined, lastingJournal(yield* Journal.memory)]) {
        const { ask, waitingOf } = yield* asksOf({ ...policy, ...(journal === undefined ? {} : { journal }) })
        const { requestId } = yield* waitingOf("one")
        expectOutcome(yield* ask("two"), "Limited")
        for (const of of [{}, {}, { isRecovered: true }, { isAsked: true }]) {
          expect(yield* ask("one", of)).toMatchObject({ waitsFor: "client", requestId })
        }
        // What was refused was not handed out, and is not where it comes again.
        if (journal !== undefined) expectOutcome(yield* ask("two", { isRecovered: true }), "Limited")
        yield* TestClock.adjust("1 minute")
        expectOutcome(yield* ask("one"), "Deferred")
        yield* waitingOf("two")
        yield* TestClock.adjust("1 minute")
      }
    })
  )

  it.scoped("has its own result, and a kept one is of the last answer", () =>
    Effect.gen(function* () {
      const { ask, run, waitingOf } = yield* asksOf({
        limits: { tools: { choose: { cache: { timeToLive: "1 minute" } } } }
      })
      const [first, second] = [yield* waitingOf("one"), yield* waitingOf("two")]
      expectOutcome(yield* run.resume(first, Response.result("blue")), "Success")
      expect(expectOutcome(yield* run.resume(second, Response.result("red")), "Success").encoded).toBe("red")
      expect(expectOutcome(yield* ask("three"), "Success")).toMatchObject({
        encoded: "red",
        notes: [{ _tag: "Cached" }]
      })
    })
  )

  it.scoped(
    "waits for its client once a person has approved it, with what they made of it, whatever the rule says",
    () =>
      Effect.gen(function* () {
        for (const journal of [undefined, lastingJournal(yield* Journal.memory)]) {
          let decision: Approval.Decision = Approval.ask("which?")
          const { ask, run, waitingOf } = yield* asksOf({
            approval: () => decision,
            ...(journal === undefined ? {} : { journal })
          })
          const asked = yield* waitingOf("one")
          expect(asked.waitsFor).toBe("approval")
          const approved = yield* run.resume(asked, Response.approveWith({ of: 2 }))
          const waiting = expectOutcome(approved, "Deferred")
          expect(waiting).toMatchObject({ waitsFor: "client", arguments: { of: 2 } })
          for (const later of [decision, Approval.allow, Approval.deny("by now")]) {
            decision = later
            const { arguments: given, requestId, waitsFor } = expectOutcome(yield* ask("one"), "Deferred")
            expect({ given, requestId, waitsFor }).toEqual({
              given: { of: 2 },
              requestId: waiting.requestId,
              waitsFor: "client"
            })
            expectOutcome(yield* run.resume(asked, Response.approveWith({ of: 3 })), "Deferred")
          }
          expect(expectOutcome(yield* run.resume(waiting, Response.result("blue")), "Success")).toMatchObject({
            encoded: "blue",
            notes: [{ _tag: "Edited", arguments: { of: 2 } }]
          })
        }
      })
  )

  it.scoped("is answered, whatever has become of its tool since", () =>
    Effect.gen(function* () {
      const pick = (parameters: Schema.Struct.Fields, description = "Picks"): Tool.Any =>
        Tool.make("choose", { description, parameters, success: Schema.String }).pipe(Facts.client)
      const other = Tool.make("other").pipe(Facts.client)
      const first = pick({ of: Schema.Literal(1, 2) })
      const later: ReadonlyArray<readonly [Tool.Any, string]> = [
        [first, "Success"],
        [pick({ of: Schema.Literal(1, 2) }, "Picks one of none"), "Success"],
        [pick({ of: Schema.Literal(2, 3) }), "Success"],
        [pick({ of: Schema.Literal(1), hurry: Schema.Boolean }), "Success"],
        [other, "Uncertain"]
      ]
      for (const approval of [undefined, () => Approval.ask()]) {
        for (const [tool, ending] of later) {
          const journal = yield* Journal.memory
          const policy = { journal, ...(approval === undefined ? {} : { approval }) }
          const runOf = (one: Tool.Any) =>
            Effect.gen(function* () {
              const runner = yield* ToolRunner.make(yield* toolsetOf(one), policy)
              // By the types of a tool that is not known, it takes no answer.
              const known = runner as unknown as ToolRunner.Runner<Toolset.DynamicTools, never, never>
              return known.forRun({ id: "run" })
            })
          const run = yield* runOf(first)
          const asked = expectOutcome(yield* run.run(ToolCall.make("one", "choose", { of: 1 })), "Deferred")
          const again = yield* runOf(tool)
          const answer = Response.result("blue")
          // What no one has approved is not the client's yet.
          if (approval !== undefined && tool !== other) yield* Effect.flip(again.resume(asked, answer))
          const waiting =
            approval === undefined ? asked : expectOutcome(yield* run.resume(asked, Response.approve), "Deferred")
          if (tool !== other) yield* Effect.flip(again.check({ ...waiting, arguments: { of: 2 } }, answer))
          expect((yield* again.resume(waiting, answer))._tag).toBe(ending)
          expect((yield* again.resume(waiting, answer))._tag).toBe(ending)
        }
      }
    })
  )
})
