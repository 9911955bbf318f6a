import { expect, it } from "@effect/vitest"
import { Journal, ToolRunner } from "@wield/core"
import { Effect, Exit, Fiber } from "effect"
import { recordSpans } from "../recording/Spans.js"
import { jobCall, jobs } from "../tools/Job.js"
import { tagsOf } from "../tools/outcomes.js"

/** A journal that answers at once and keeps what it was told. */
const recorded = () => {
  const lines: Array<string> = []
  const memory = Journal.unsafeMemory()
  const { immediate } = memory
  if (immediate === undefined) throw new Error("a journal in memory answers at once")
  const told =
    <A>(name: string, operation: (key: Journal.Key, argument: never) => A) =>
    (key: Journal.Key, argument?: unknown): A => {
      lines.push(`${name} ${key.call}`)
      // Each operation is given what it is given.
      return operation(key, argument as never)
    }
  const service: Journal.Service = {
    ...memory,
    immediate: {
      look: immediate.look,
      begin: told("begin", immediate.begin),
      finish: told("finish", immediate.finish),
      interrupt: told("interrupt", immediate.interrupt),
      abandon: told("abandon", immediate.abandon)
    }
  }
  return { lines, service }
}

it.scoped("calls that are interrupted before their own fibers run are over, in journal and memory", () =>
  Effect.gen(function* () {
    const journal = recorded()
    const toolset = yield* jobs(() => Effect.never)
    const calls = [jobCall("a"), jobCall("b")]
    for (const policy of [{ journal: journal.service }, {}]) {
      const run = (yield* ToolRunner.make(toolset, policy)).forRun({})
      const interrupted = Effect.async<Exit.Exit<unknown, unknown>>((resume) => {
        const fiber = Effect.runFork(run.runAll(calls))
        fiber.unsafeInterruptAsFork(fiber.id())
        fiber.addObserver((exit) => resume(Effect.succeed(exit)))
      })
      expect(Exit.isInterrupted(yield* interrupted)).toBe(true)
      expect(tagsOf(yield* run.runAll(calls))).toEqual(["Uncertain", "Uncertain"])
    }
    expect(journal.lines.slice(0, 4).sort()).toEqual(["begin a", "begin b", "interrupt a", "interrupt b"])
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
