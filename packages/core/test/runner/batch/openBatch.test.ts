import { Tool, Toolkit } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Facts, Outcome, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { Effect, Exit, Fiber, Schema, TestClock } from "effect"
import { tagsOf } from "../../tools/outcomes.js"

const seconds = (wait: string) => Number(wait.split(" ")[0]) * 1000

/** A tool that waits for so many seconds, and its sequential sibling; both write down when they begin. */
const waiting = Effect.gen(function* () {
  const begun: Array<string> = []
  const Wait = Tool.make("wait", { parameters: { for: Schema.String }, success: Schema.String })
  const Alone = Tool.make("alone", { parameters: { for: Schema.String }, success: Schema.String }).annotate(
    Facts.Sequential,
    true
  )
  const handle = (parameters: { readonly for: string }) => {
    begun.push(parameters.for)
    const time = seconds(parameters.for)
    return time === 0 ? Effect.succeed(parameters.for) : Effect.delay(Effect.succeed(parameters.for), time)
  }
  const toolkit = Toolkit.make(Wait, Alone)
  const toolset = yield* Toolset.fromLayer(toolkit, toolkit.toLayer({ wait: handle, alone: handle }))
  return { begun, toolset }
})

const waitCall = (name: string, time: string) => ToolCall.make(`call_${time}_${name}`, name, { for: time })

const opened = (policy: { readonly concurrency?: number } = {}) =>
  Effect.gen(function* () {
    const { begun, toolset } = yield* waiting
    const runner = yield* ToolRunner.make(toolset, policy)
    const batch = yield* runner.forRun({ id: "run", turn: "turn" }).openBatch()
    return { batch, begun }
  })

describe("openBatch", () => {
  it.scoped("begins each call when it is added, and gives the outcomes in that order", () =>
    Effect.gen(function* () {
      const { batch, begun } = yield* opened()
      yield* batch.add(waitCall("wait", "2 s"))
      yield* Effect.yieldNow()
      expect(begun).toEqual(["2 s"])
      yield* batch.add(waitCall("wait", "1 s"))
      yield* TestClock.adjust("2 seconds")
      yield* batch.settled
      const outcomes = yield* batch.close
      expect(outcomes.map(textOf)).toEqual(["2 s", "1 s"])
    })
  )

  it.scoped("a call that ends at once has ended when it is added", () =>
    Effect.gen(function* () {
      const { batch } = yield* opened()
      yield* batch.add(waitCall("wait", "0 s"))
      expect(tagsOf(yield* batch.close)).toEqual(["Success"])
    })
  )

  it.scoped("a sequential tool waits for those before it and holds back those after it", () =>
    Effect.gen(function* () {
      const { batch, begun } = yield* opened()
      yield* batch.add(waitCall("wait", "3 s"))
      yield* batch.add(waitCall("alone", "2 s"))
      yield* batch.add(waitCall("wait", "1 s"))
      yield* TestClock.adjust("2900 millis")
      expect(begun).toEqual(["3 s"])
      yield* TestClock.adjust("200 millis")
      expect(begun).toEqual(["3 s", "2 s"])
      yield* TestClock.adjust("1800 millis")
      expect(begun).toEqual(["3 s", "2 s"])
      yield* TestClock.adjust("200 millis")
      expect(begun).toEqual(["3 s", "2 s", "1 s"])
      yield* TestClock.adjust("1 seconds")
      yield* batch.settled
      expect(tagsOf(yield* batch.close)).toEqual(["Success", "Success", "Success"])
    })
  )

  it.scoped("a call that is added after a barrier has passed begins at once", () =>
    Effect.gen(function* () {
      const { batch, begun } = yield* opened()
      yield* batch.add(waitCall("alone", "1 s"))
      yield* batch.add(waitCall("alone", "2 s"))
      yield* TestClock.adjust("3 seconds")
      yield* batch.add(waitCall("wait", "0 s"))
      expect(begun).toEqual(["1 s", "2 s", "0 s"])
      yield* batch.settled
    })
  )

  it.scoped("keeps to the policy's limit on how many run at once", () =>
    Effect.gen(function* () {
      const { batch, begun } = yield* opened({ concurrency: 1 })
      yield* batch.add(waitCall("wait", "1 s"))
      yield* batch.add(waitCall("wait", "2 s"))
      yield* TestClock.adjust("900 millis")
      expect(begun).toEqual(["1 s"])
      yield* TestClock.adjust("200 millis")
      expect(begun).toEqual(["1 s", "2 s"])
      yield* TestClock.adjust("2 seconds")
      yield* batch.settled
    })
  )

  it.scoped("interrupts what still runs or waits when it is closed", () =>
    Effect.gen(function* () {
      const { batch, begun } = yield* opened()
      yield* batch.add(waitCall("wait", "0 s"))
      yield* batch.add(waitCall("wait", "5 s"))
      yield* batch.add(waitCall("alone", "6 s"))
      yield* Effect.yieldNow()
      const outcomes = yield* batch.close
      expect(tagsOf(outcomes)).toEqual(["Success", "Interrupted", "Interrupted"])
      expect(outcomes.slice(1).map(Outcome.text)).toEqual([
        "The call of wait was interrupted. It may have taken effect in part.",
        "The call of alone was interrupted before it was run."
      ])
      expect(begun).toEqual(["0 s", "5 s"])
    })
  )

  it.scoped(
    "says of a call whose rule was still thinking that it was not run, unless it may have been run before",
    () =>
      Effect.gen(function* () {
        const { begun, toolset } = yield* waiting
        const runner = yield* ToolRunner.make(toolset, { approval: () => Effect.never })
        const textOfClosed = (options: { readonly turn?: string; readonly isRecovered?: boolean }) =>
          Effect.gen(function* () {
            const batch = yield* runner.forRun({ id: "run", ...options }).openBatch()
            yield* batch.add(waitCall("wait", "5 s"))
            yield* Effect.yieldNow()
            return (yield* batch.close).map(Outcome.text)
          })
        expect(yield* textOfClosed({ turn: "t1" })).toEqual(["The call of wait was interrupted before it was run."])
        for (const options of [{}, { turn: "t2", isRecovered: true }]) {
          expect(yield* textOfClosed(options)).toEqual([
            "The call of wait was interrupted. It may have taken effect in part."
          ])
        }
        expect(begun).toEqual([])
      })
  )

  it.scoped("settles with the failure of a toolset that fails meanwhile, after the other calls have ended", () =>
    Effect.gen(function* () {
      const { begun, toolset } = yield* waiting
      let isDown = false
      const isUp = Effect.suspend(() => (isDown ? Effect.fail("down") : Effect.succeed(() => true)))
      const failing = toolset.pipe(Toolset.filterEffect(isUp))
      const runner = yield* ToolRunner.make(failing)
      const batch = yield* runner.forRun({ id: "run" }).openBatch()
      yield* batch.add(waitCall("wait", "1 s"))
      yield* Effect.yieldNow()
      isDown = true
      yield* batch.add(waitCall("alone", "0 s"))
      yield* batch.add(waitCall("wait", "2 s"))
      const settled = yield* Effect.fork(batch.settled)
      yield* TestClock.adjust("1 seconds")
      expect(yield* Fiber.await(settled)).toEqual(Exit.fail("down"))
      expect(begun).toEqual(["1 s"])
      expect(tagsOf(yield* batch.close)).toEqual(["Success", "Interrupted", "Interrupted"])
    })
  )
})

const textOf = (outcome: Outcome.Outcome): unknown => (outcome._tag === "Success" ? outcome.encoded : outcome._tag)
