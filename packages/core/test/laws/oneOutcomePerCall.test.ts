/**
 * Law 1: one result per call id, in order, whatever happened. Law 4: a result
 * is never `undefined`.
 */
import { describe, expect, it } from "@effect/vitest"
import { Approval, CallContext, Outcome, type Policy, ToolResult, ToolRunner } from "@wield/core"
import { Chunk, Effect, FastCheck, Fiber, Schedule, Stream, TestClock } from "effect"
import { acting, turn } from "./calls.js"
import { runs } from "../../../../test/sizes.js"

const policies: ReadonlyArray<Policy.Policy> = [
  {},
  { concurrency: 1 },
  { concurrency: 2, unknownArguments: "reject", repeatGuard: 1 },
  { resultBound: { maxBytes: 5 }, observe: { arguments: true, results: true, causes: true } },
  { limits: { default: { concurrency: 1, rate: { calls: 2, window: "1 minute" }, retry: Schedule.recurs(2) } } },
  { limits: { default: { cache: { timeToLive: "1 minute" }, concurrency: 2 } } },
  { approval: Approval.cautious },
  {
    approval: () => {
      throw new Error("rule")
    }
  },
  { approval: () => Effect.delay(Effect.succeed(Approval.allow), "1 millis") }
]

const scenario = {
  calls: turn,
  policy: FastCheck.constantFrom(...policies),
  isRun: FastCheck.boolean(),
  isTold: FastCheck.boolean()
}

const limited = (policy: Policy.Policy): Policy.Policy => ({
  ...policy,
  limits: { ...policy.limits, default: { timeout: "1 second", ...policy.limits?.default } }
})

const runnerFor = (policy: Policy.Policy, isRun: boolean, isTold: boolean) =>
  Effect.map(
    Effect.flatMap(acting, (toolset) => ToolRunner.make(toolset, limited(policy))),
    // The types demand the context; a program without types may forget it.
    (runner) => (isRun ? runner.forRun(isTold ? { context: { customerId: "c_1" } } : ({} as never)) : runner)
  )

/** Time goes on until the fiber has ended; an outcome that never comes is a failure of the law. */
const finished = <A, E>(fiber: Fiber.RuntimeFiber<A, E>): Effect.Effect<A, E> =>
  Effect.iterate(0, {
    while: (second) => second < 20 && fiber.unsafePoll() === null,
    body: (second) => Effect.as(TestClock.adjust("1 second"), second + 1)
  }).pipe(
    Effect.zipRight(
      Effect.suspend(() =>
        fiber.unsafePoll() === null ? Effect.dieMessage("calls without an outcome") : Fiber.join(fiber)
      )
    )
  )

describe("law 1: one outcome per call, in order, with its id", () => {
  it.scoped.prop(
    "settle has an outcome for every call, whatever it is",
    scenario,
    ({ calls, isRun, isTold, policy }) =>
      Effect.gen(function* () {
        const runner = yield* runnerFor(policy, isRun, isTold)
        const outcomes = yield* finished(yield* Effect.fork(runner.settle(calls)))
        expect(outcomes.length).toBe(calls.length)
        for (const [index, outcome] of outcomes.entries()) {
          expect(outcome.call).toBe(calls[index])
          expect(outcome.id).toBe(calls[index]?.id)
          expectReadable(outcome)
        }
      }).pipe(CallContext.provide({ customerId: "c_1" })),
    { fastCheck: { numRuns: runs(80) } }
  )

  it.scoped.prop(
    "stream finishes every call once, and starts each that does not wait",
    scenario,
    ({ calls, isRun, isTold, policy }) =>
      Effect.gen(function* () {
        const runner = yield* runnerFor(policy, isRun, isTold)
        const events = yield* finished(
          yield* Effect.fork(Stream.runCollect(runner.stream(calls).pipe(Stream.catchAll(() => Stream.empty))))
        )
        const told = (tag: ToolRunner.RunEvent["_tag"]) =>
          Chunk.toReadonlyArray(events).flatMap((event) => (event._tag === tag ? [event.call] : []))
        expect(told("Finished").length).toBe(calls.length)
        expect(new Set(told("Finished"))).toEqual(new Set(calls))
        // What waits has not begun.
        const waiting = Chunk.toReadonlyArray(events).flatMap((event) =>
          event._tag === "Finished" && event.outcome._tag === "Deferred" ? [event.call] : []
        )
        expect(new Set(told("Started")).size).toBe(told("Started").length)
        expect(new Set([...told("Started"), ...waiting])).toEqual(new Set(calls))
      }).pipe(CallContext.provide({ customerId: "c_1" })),
    { fastCheck: { numRuns: runs(40) } }
  )
})

const expectReadable = (outcome: Outcome.Outcome) => {
  const result = Outcome.render(outcome)
  if (outcome._tag === "Deferred") {
    expect(result).toBeUndefined()
    return
  }
  expect(result).toBeDefined()
  if (result === undefined) return
  expect(result.id).toBe(outcome.id)
  expect(result.isError).toBe(outcome._tag !== "Success")
  expect(result.content.length).toBeGreaterThan(0)
  for (const part of result.content) {
    if (part._tag === "JsonValue") expect(part.value).not.toBeUndefined()
    if (part._tag === "Text") expect(typeof part.text).toBe("string")
  }
  if ("structured" in result) expect(result.structured).not.toBeUndefined()
  if (outcome._tag === "Success" || outcome._tag === "Failure") {
    expect(outcome.encoded).not.toBeUndefined()
    JSON.parse(outcome.text)
  }
  const text = ToolResult.toText(result)
  expect(typeof text).toBe("string")
  // A stack trace names files of the program.
  expect(text).not.toMatch(/\bat .*:\d+:\d+/)
}
