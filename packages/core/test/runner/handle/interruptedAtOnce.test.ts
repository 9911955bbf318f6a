import { expect, it } from "@effect/vitest"
import { Journal, Outcome, ToolRunner } from "@wield/core"
import { Effect, Exit, Fiber } from "effect"
import { recordSpans } from "../../recording/Spans.js"
import { jobCall, jobs } from "../../tools/Job.js"
import { tagsOf } from "../../tools/outcomes.js"

it.scoped("calls that are interrupted before their own fibers run are over, in journal and memory", () =>
  Effect.gen(function* () {
    const toolset = yield* jobs(() => Effect.never)
    const calls = [jobCall("a"), jobCall("b")]
    for (const policy of [{ journal: yield* Journal.memory }, {}]) {
      const runner = yield* ToolRunner.make(toolset, policy)
      const run = runner.forRun({ id: "r" })
      const interrupted = Effect.async<Exit.Exit<unknown, unknown>>((resume) => {
        const fiber = Effect.runFork(run.runAll(calls))
        fiber.unsafeInterruptAsFork(fiber.id())
        fiber.addObserver((exit) => resume(Effect.succeed(exit)))
      })
      expect(Exit.isInterrupted(yield* interrupted)).toBe(true)
      const again = yield* run.runAll(calls)
      expect(again).toMatchObject([1, 2].map(() => ({ _tag: "Uncertain", reason: "interrupted" })))
      expect(again.map(Outcome.text).join()).toContain("it was begun and its end is not known")
      if (policy.journal !== undefined) {
        expect(tagsOf(yield* runner.forRun({ id: "r" }).runAll(calls))).toEqual(["Uncertain", "Uncertain"])
      }
    }
  })
)

it.scoped("an interrupted run has ended all its spans", () =>
  Effect.gen(function* () {
    const toolset = yield* jobs(() => Effect.never)
    const run = (yield* ToolRunner.make(toolset)).forRun({})
    const { value, spans } = yield* recordSpans(
      Effect.gen(function* () {
        const fiber = yield* Effect.fork(run.runAll([jobCall("a"), jobCall("b")]))
        yield* Effect.yieldNow()
        return yield* Fiber.interrupt(fiber)
      })
    )
    expect(Exit.isInterrupted(value)).toBe(true)
    expect(spans.map(({ attributes }) => attributes.get("wield.outcome"))).toEqual(["Interrupted", "Interrupted"])
  })
)
