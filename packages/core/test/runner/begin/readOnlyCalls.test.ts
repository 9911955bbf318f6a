import { Tool, Toolkit } from "@effect/ai"
import { expect, it } from "@effect/vitest"
import { Approval, Response, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect, Schema } from "effect"
import { recordedJournal } from "../../recording/Journals.js"

const Look = Tool.make("look", { success: Schema.Number }).annotate(Tool.Readonly, true)
const Shop = Toolkit.make(Look)
const shop = Effect.suspend(() => {
  let looks = 0
  return Effect.provide(Toolset.fromToolkit(Shop), Shop.toLayer({ look: () => Effect.sync(() => ++looks) }))
})
const call = ToolCall.make("call_1", "look", {})

it.effect("a call that changes nothing is remembered by its run, and not written into a journal", () =>
  Effect.gen(function* () {
    const { lines, service } = recordedJournal()
    const runner = yield* ToolRunner.make(yield* shop, { journal: service })
    const results = (id: string) =>
      Effect.map(runner.forRun({ id, turn: "t" }).settle([call, call]), (outcomes) =>
        outcomes.map((outcome) => outcome._tag === "Success" && outcome.result)
      )
    expect(yield* results("r")).toEqual([1, 1])
    const run = runner.forRun({ id: "r" })
    const inTurn = run.forRun({ turn: "t" })
    expect((yield* inTurn.run(call)).notes).toEqual([])
    expect((yield* run.forRun({ turn: "t" }).run(call)).notes).toEqual([{ _tag: "Replayed" }])
    expect(lines).toEqual([])
  })
)

it.effect("what a person answered of it is written, so that no one is asked twice", () =>
  Effect.gen(function* () {
    const { lines, service } = recordedJournal()
    const runner = yield* ToolRunner.make(yield* shop, { journal: service, approval: () => Approval.ask() })
    const waiting = yield* runner.forRun({ id: "r" }).run(call)
    if (waiting._tag !== "Deferred") return expect.unreachable()
    yield* runner.forRun({ id: "r" }).resume(waiting, Response.approve)
    const again = yield* runner.forRun({ id: "r" }).run(call)
    expect(again.notes).toEqual([{ _tag: "Replayed" }])
    expect(lines).toEqual(["begin call_1", "finish call_1 Success"])
  })
)
