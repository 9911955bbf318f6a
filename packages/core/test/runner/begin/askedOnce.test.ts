import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Approval, Facts, Journal, Outcome, Response, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect, Schema } from "effect"

const Pay = Tool.make("pay", { success: Schema.String })
const Show = Facts.client(Tool.make("show", { success: Schema.String }))
const Bank = Toolkit.make(Pay, Show)
const bank = (paid: Array<string>) =>
  Effect.provide(
    Toolset.fromToolkit(Bank),
    Bank.toLayer({
      pay: () =>
        Effect.as(
          Effect.sync(() => paid.push("paid")),
          "paid"
        )
    })
  )
const pay = ToolCall.make("call_1", "pay", {})
const show = ToolCall.make("call_2", "show", {})

/** The same with the operations as effects only, as a journal elsewhere has them. */
const journals = {
  "in memory": Journal.memory,
  elsewhere: Effect.map(Journal.memory, (memory): Journal.Service => ({ ...memory })),
  "of the run itself": Effect.succeed(undefined)
}

for (const [name, made] of Object.entries(journals)) {
  describe(`a journal ${name}`, () => {
    const runOf = (paid: Array<string>) =>
      Effect.gen(function* () {
        const journal = yield* made
        const runner = yield* ToolRunner.make(yield* bank(paid), { journal, approval: { pay: () => Approval.ask() } })
        return runner.forRun({ id: "run_1" })
      })

    it.effect("nobody is asked again about a call that was approved and has run", () =>
      Effect.gen(function* () {
        const paid: Array<string> = []
        const run = yield* runOf(paid)
        const waiting = yield* run.run(pay)
        if (!Outcome.isDeferred(waiting)) return expect.unreachable()
        yield* run.resume(waiting, Response.approve)
        const again = yield* run.run(pay)
        expect(again._tag).toBe("Success")
        expect(again.notes.map((note) => note._tag)).toContain("Replayed")
        expect(paid).toEqual(["paid"])
      })
    )

    it.effect("nobody is asked again about a call that was denied, nor a client about one that it has answered", () =>
      Effect.gen(function* () {
        const paid: Array<string> = []
        const run = yield* runOf(paid)
        const waiting = yield* run.runAll([pay, show])
        yield* run.resumeAll(waiting, (deferred) =>
          deferred.name === "pay" ? Response.deny("not today") : Response.result("shown")
        )
        const again = yield* run.runAll([pay, show])
        expect(again.map((outcome) => outcome._tag)).toEqual(["Denied", "Success"])
        expect(paid).toEqual([])
      })
    )
  })
}
