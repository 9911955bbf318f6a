/**
 * Law 6: interrupting a run interrupts its handlers, and leaves a journal entry
 * that says so. Law 10: a call whose journal entry is finished is never executed
 * again.
 */
import { describe, expect, it } from "@effect/vitest"
import { Journal, ToolCall, ToolRunner } from "@wield/core"
import { Array as Arr, Effect, Exit, FastCheck, Fiber, Stream, TestClock } from "effect"
import { recordedJournal } from "../recording/Journals.js"
import { jobCall, type JobHandler, jobs } from "../tools/Job.js"
import { runs } from "../../../../test/sizes.js"

/** A handler that counts how it goes: each attempt takes so many milliseconds. */
const counted = () => {
  const counts = { begun: new Map<string, number>(), interrupted: new Set<string>(), ended: new Set<string>() }
  const handler: JobHandler = ({ value }) => {
    const [id = "", duration = "0", how = "ok"] = String(value).split(" ")
    return Effect.suspend(() => {
      counts.begun.set(id, (counts.begun.get(id) ?? 0) + 1)
      const end = how === "fail" ? Effect.fail("x") : how === "die" ? Effect.die("x") : Effect.succeed("done")
      return Effect.zipRight(duration === "0" ? Effect.yieldNow() : Effect.sleep(Number(duration)), end)
    }).pipe(
      Effect.onExit((exit) => Effect.sync(() => (Exit.isInterrupted(exit) ? counts.interrupted : counts.ended).add(id)))
    )
  }
  return { counts, handler }
}

const durations = FastCheck.array(FastCheck.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 6 })

const entrance = FastCheck.constantFrom(...(["runAll", "settle", "stream", "run"] as const))

describe("law 6: an interrupted run", () => {
  it.scoped.prop(
    "interrupts what is running, finishes what has ended, and the journal says which",
    {
      durations,
      after: FastCheck.integer({ min: 0, max: 110 }),
      concurrency: FastCheck.constantFrom(1, 2, undefined),
      entrance
    },
    ({ after, concurrency, durations: all, entrance: how }) =>
      Effect.gen(function* () {
        const { counts, handler } = counted()
        const journal = recordedJournal()
        const runner = (yield* ToolRunner.make(yield* jobs(handler), { concurrency, journal: journal.service })).forRun(
          {}
        )
        const calls = all.map((duration, index) => jobCall(`c${index}`, `c${index} ${duration}`))
        const running: Effect.Effect<unknown> =
          how === "run"
            ? Effect.forEach(calls, runner.run, { concurrency: concurrency ?? "unbounded" })
            : how === "stream"
              ? Stream.runDrain(runner.stream(calls))
              : runner[how](calls)
        const fiber = yield* Effect.fork(running)
        yield* TestClock.adjust(after)
        yield* Fiber.interrupt(fiber)

        for (const { id } of calls) {
          const said = journal.lines.filter((line) => line.split(" ")[1] === id)
          if (!counts.begun.has(id)) expect(said).toEqual([])
          else if (counts.interrupted.has(id)) expect(said).toEqual([`begin ${id}`, `interrupt ${id}`])
          else {
            expect(counts.ended.has(id)).toBe(true)
            expect(said).toEqual([`begin ${id}`, `finish ${id} Success`])
          }
        }
        // What was interrupted may have taken effect: it is not run again.
        const again = yield* Effect.fork(runner.settle(calls))
        while (again.unsafePoll() === null) yield* TestClock.adjust(600)
        const outcomes = yield* Fiber.join(again)
        for (const outcome of outcomes) {
          expect(outcome._tag).toBe(counts.interrupted.has(outcome.id) ? "Uncertain" : "Success")
          expect(counts.begun.get(outcome.id)).toBe(1)
        }
      }),
    { fastCheck: { numRuns: runs(50) } }
  )

  it.scoped.prop(
    "without a journal interrupts all handlers, too",
    { durations, entrance },
    ({ durations: all, entrance: how }) =>
      Effect.gen(function* () {
        const { counts, handler } = counted()
        const runner = yield* ToolRunner.make(yield* jobs(handler))
        const calls = all.map((duration, index) => jobCall(`c${index}`, `c${index} ${duration}`))
        const running: Effect.Effect<unknown> =
          how === "run"
            ? Effect.forEach(calls, runner.run, { concurrency: "unbounded" })
            : how === "stream"
              ? Stream.runDrain(runner.stream(calls))
              : runner[how](calls)
        const fiber = yield* Effect.fork(running)
        yield* TestClock.adjust(0)
        yield* Fiber.interrupt(fiber)
        expect([...counts.interrupted].sort()).toEqual(calls.map(({ id }) => id).sort())
        expect(counts.ended.size).toBe(0)
      }),
    { fastCheck: { numRuns: runs(40) } }
  )
})

describe("law 10: a finished call", () => {
  const step = FastCheck.record({
    id: FastCheck.constantFrom("a", "b", "c"),
    how: FastCheck.constantFrom("ok", "fail", "die"),
    entrance: FastCheck.constantFrom(...(["run", "runAll", "stream"] as const)),
    isRestarted: FastCheck.boolean()
  })
  it.scoped.prop(
    "is never executed again, through whatever it comes and however it ended, after a restart neither",
    { steps: FastCheck.array(step, { minLength: 1, maxLength: 12 }) },
    ({ steps }) =>
      Effect.gen(function* () {
        const { counts, handler } = counted()
        const journal = yield* Journal.memory
        const start = Effect.gen(function* () {
          const runner = yield* ToolRunner.make(yield* jobs(handler), { journal })
          return runner.forRun({ id: "run" })
        })
        let runner = yield* start
        const first = new Map<string, string>()
        for (const { entrance: how, id, isRestarted, how: ending } of steps) {
          if (isRestarted) runner = yield* start
          // The call is what its id, tool and arguments are.
          const name = `${id}-${ending}`
          const call = ToolCall.make(id, "job", { value: `${name} 0 ${ending}` })
          const running =
            how === "run"
              ? Effect.map(runner.run(call), Arr.of)
              : how === "runAll"
                ? runner.runAll([call, call])
                : Effect.map(Stream.runCollect(runner.stream([call])), (events) =>
                    Arr.fromIterable(events).flatMap((event) => (event._tag === "Finished" ? [event.outcome] : []))
                  )
          const fiber = yield* Effect.fork(running)
          for (const outcome of yield* Fiber.join(fiber)) {
            expect(outcome._tag).toBe(ending === "ok" ? "Success" : ending === "fail" ? "Failure" : "Defect")
            const said = outcome._tag === "Defect" ? outcome.reference : outcome._tag
            expect(first.get(name) ?? said).toBe(said)
            first.set(name, said)
          }
          expect(counts.begun.get(name)).toBe(1)
        }
      }),
    { fastCheck: { numRuns: runs(80) } }
  )
})
