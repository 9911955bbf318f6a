/** A handler that cannot be interrupted comes to its end, whoever has given up waiting for it. */
import { describe, expect, it } from "@effect/vitest"
import { Journal, type Outcome, type Policy, ToolRunner } from "@wield/core"
import { Deferred, Effect, Fiber } from "effect"
import { jobCall, jobs } from "../../tools/Job.js"

const interrupted = (handled: Effect.Effect<unknown>, policy: Policy.Policy) =>
  Effect.gen(function* () {
    const begun = yield* Deferred.make<void>()
    const released = yield* Deferred.make<void>()
    const toolset = yield* jobs(() =>
      Effect.uninterruptible(
        Deferred.succeed(begun, undefined).pipe(Effect.zipRight(Deferred.await(released)), Effect.zipRight(handled))
      )
    )
    const runner = yield* ToolRunner.make(toolset, policy)
    const run = runner.forRun({ id: "r" })
    const told: Array<Outcome.Outcome["_tag"]> = []
    const fiber = yield* Effect.fork(
      run.settle([jobCall("c")], {
        started: () => Effect.void,
        progress: () => () => Effect.void,
        finished: (_, outcome) => Effect.sync(() => told.push(outcome._tag))
      })
    )
    yield* Deferred.await(begun)
    const ending = yield* Effect.fork(Fiber.interrupt(fiber))
    // The interruption has reached the handler's fiber long before the handler ends.
    yield* Effect.repeatN(Effect.yieldNow(), 50)
    yield* Deferred.succeed(released, undefined)
    yield* Fiber.join(ending)
    return { run, told }
  })

describe("a handler that cannot be interrupted", () => {
  const journals = {
    "no journal": Effect.succeed(undefined),
    "a journal in memory": Journal.memory,
    // Without the operations that answer at once.
    "a journal elsewhere": Effect.map(Journal.memory, (journal) => ({ ...journal }))
  }
  for (const [kind, made] of Object.entries(journals)) {
    for (const limits of [undefined, { default: { timeout: "1 minute" } }] as const) {
      it.scoped(
        `is recorded as what it came to, with ${kind} and ${limits === undefined ? "no" : "a"} time limit`,
        () =>
          Effect.gen(function* () {
            const journal = yield* made
            const done = yield* interrupted(Effect.void, { journal, limits })
            expect(done.told).toEqual(["Success"])
            const [again] = yield* done.run.runAll([jobCall("c")])
            expect(again).toMatchObject({ _tag: "Success", notes: [{ _tag: "Replayed" }] })
            const died = yield* interrupted(Effect.die("no"), { journal: yield* made, limits })
            expect(died.told).toEqual(["Defect"])
          })
      )
    }
  }
})

describe("an interrupted call", () => {
  for (const limits of [undefined, { default: { timeout: "1 minute" } }] as const) {
    it.scoped(`waits for the finalizers of its handler, with ${limits === undefined ? "no" : "a"} time limit`, () =>
      Effect.gen(function* () {
        const begun = yield* Deferred.make<void>()
        const released = yield* Deferred.make<void>()
        const toolset = yield* jobs(() =>
          Deferred.succeed(begun, undefined).pipe(
            Effect.zipRight(Effect.never),
            Effect.ensuring(Deferred.await(released))
          )
        )
        const runner = yield* ToolRunner.make(toolset, { limits })
        const fiber = yield* Effect.fork(runner.run(jobCall("c")))
        yield* Deferred.await(begun)
        const ending = yield* Effect.fork(Fiber.interrupt(fiber))
        yield* Effect.repeatN(Effect.yieldNow(), 100)
        expect(ending.unsafePoll()).toBe(null)
        yield* Deferred.succeed(released, undefined)
        yield* Fiber.join(ending)
      })
    )
  }
})
