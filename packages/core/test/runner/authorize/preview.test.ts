import { describe, expect, it } from "@effect/vitest"
import { Approval, Journal, JournalError, Response, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect } from "effect"
import { recordedJournal } from "../../recording/Journals.js"
import { recordSpans } from "../../recording/Spans.js"

const amount = { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] } as const

const bankOf = (paid: Array<unknown>, policy: object = {}) =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.dynamic([
      { name: "pay", inputSchema: amount, execute: (given) => Effect.sync(() => paid.push(given)) },
      { name: "show", facts: { kind: "client" }, execute: () => Effect.void }
    ])
    const runner = yield* ToolRunner.make(toolset, {
      approval: (request) => {
        const { amount } = request.parameters as { readonly amount: number }
        if (amount > 1000) return Approval.deny("too much")
        return amount > 100 ? Approval.ask("over 100") : Approval.allowOnly("a small sum")
      },
      ...policy
    })
    return runner.forRun({ id: "run_1" })
  })

const pay = (amount: unknown, id = "call_1") => ToolCall.make(id, "pay", { amount })

describe("ask", () => {
  it.effect.each([{}, { journal: Journal.unsafeMemory() }])(
    "keeps the id of what a person is asked last under an id, beyond the run",
    (policy) =>
      Effect.gen(function* () {
        const paid: Array<unknown> = []
        const runner = yield* bankOf(paid, policy)
        const run = runner.forRun({ id: "run_2" })
        yield* run.ask(pay(1))
        expect(yield* run.lastAsk("call_1")).toBeUndefined()
        yield* run.ask(pay(900))
        const asked = yield* run.ask(pay(500))
        if (asked._tag !== "Deferred") return expect.unreachable()
        const later = runner.forRun({ id: "run_2" })
        yield* later.preview(pay(900))
        const requestId = yield* later.lastAsk("call_1")
        expect(requestId).toBe(asked.requestId)
        expect(yield* runner.forRun({ id: "run_3" }).lastAsk("call_1")).toBeUndefined()
        expect(yield* later.forRun({ turn: "2" }).lastAsk("call_1")).toBeUndefined()
        const refused = yield* Effect.flip(
          later.resume(
            { ...asked, requestId: requestId!, call: pay(900), arguments: { amount: 900 } },
            Response.approve
          )
        )
        expect(refused).toMatchObject({ _tag: "StaleResponse" })
        expect((yield* later.resume({ ...asked, requestId: requestId! }, Response.approve))._tag).toBe("Success")
      })
  )

  it.effect("asks no one where the journal cannot keep it", () =>
    Effect.gen(function* () {
      const down = new JournalError({ operation: "finish", cause: "down" })
      const run = yield* bankOf([], { journal: { ...Journal.unsafeMemory(), finish: () => down } })
      expect((yield* run.ask(pay(500)))._tag).toBe("Defect")
    })
  )
})

describe("preview", () => {
  it.effect("says how each call would end, and runs none", () =>
    Effect.gen(function* () {
      const paid: Array<unknown> = []
      const run = yield* bankOf(paid)
      const previews = yield* Effect.forEach(
        [pay(1), pay(500), pay(5000), pay("1"), ToolCall.make("c", "pay", "{"), ToolCall.make("c", "buy", {})],
        (call) => run.preview(call)
      )
      expect(previews.map(({ _tag }) => _tag)).toEqual([
        "Allow",
        "Deferred",
        "Denied",
        "InvalidArguments",
        "InvalidArguments",
        "UnknownTool"
      ])
      expect(previews[0]).toEqual({ _tag: "Allow", subject: "a small sum" })
      expect(paid).toEqual([])
    })
  )

  it.effect("gives a deferred call with the digest that run gives, which resume takes", () =>
    Effect.gen(function* () {
      const paid: Array<unknown> = []
      const run = yield* bankOf(paid)
      const preview = yield* run.preview(pay(500))
      const waiting = yield* run.run(pay(500))
      if (preview._tag !== "Deferred" || waiting._tag !== "Deferred") return expect.unreachable()
      expect(preview).toEqual(waiting)
      expect((yield* run.resume(preview, Response.approve))._tag).toBe("Success")
      expect(paid).toEqual([{ amount: 500 }])
    })
  )

  it.effect("writes nothing to the journal, uses up no limit and traces nothing", () =>
    Effect.gen(function* () {
      const journal = recordedJournal()
      const limits = { default: { rate: { calls: 1, window: "1 hour" } } }
      const run = yield* bankOf([], { journal: journal.service, limits })
      const { spans } = yield* recordSpans(Effect.forEach([pay(1), pay(500), pay("1")], (call) => run.preview(call)))
      expect(spans).toEqual([])
      expect(journal.lines).toEqual([])
      expect((yield* run.run(pay(1)))._tag).toBe("Success")
      expect((yield* run.run(pay(2, "call_2")))._tag).toBe("Limited")
    })
  )

  it.effect("knows what is over: the answer of an approved call, and that a person said no", () =>
    Effect.gen(function* () {
      const run = yield* bankOf([])
      for (const [id, response] of [
        ["yes", Response.approve],
        ["no", Response.deny("not today")]
      ] as const) {
        const waiting = yield* run.run(pay(500, id))
        if (waiting._tag !== "Deferred") return expect.unreachable()
        const outcome = yield* run.resume(waiting, response)
        expect((yield* run.preview(pay(500, id)))._tag).toBe(outcome._tag)
      }
    })
  )

  it.effect("a rule that throws is a Defect, as it is when the call is run", () =>
    Effect.gen(function* () {
      const run = yield* bankOf([], {
        approval: () => {
          throw new Error("no database")
        }
      })
      expect((yield* run.preview(pay(1)))._tag).toBe("Defect")
    })
  )
})
