/** Somebody sets the time of day while limits, caches and handles are counted. */
import { expect, it } from "@effect/vitest"
import { type Policy, ToolCall, ToolRunner } from "@wield/core"
import { Clock, Effect } from "effect"
import { expectOutcome, tagsOf } from "../../tools/outcomes.js"
import { jobCall, jobs, ReadOnlyJob } from "../../tools/Job.js"

const hour = 3_600_000

/** A clock whose time of day can be set while its monotonic one goes on by itself. */
const clockOf = () => {
  const live = Clock.make()
  const time = { day: 10 * hour, passed: 0 }
  const clock: Clock.Clock = {
    ...live,
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: () => time.day,
    currentTimeMillis: Effect.sync(() => time.day),
    unsafeCurrentTimeNanos: () => BigInt(time.passed) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(time.passed) * 1_000_000n)
  }
  return { clock, time }
}

const runnerOf = (policy: Policy.Policy) => {
  let times = 0
  return Effect.flatMap(
    jobs(() => Effect.sync(() => `${++times} ${"x".repeat(100)}`), ReadOnlyJob),
    (toolset) => ToolRunner.make(toolset, policy)
  )
}

it.scoped("a rate is of the time that passed", () =>
  Effect.gen(function* () {
    const { clock, time } = clockOf()
    const runner = yield* runnerOf({ limits: { default: { rate: { calls: 1, window: "1 minute" } } } })
    const ended = (id: string) => Effect.map(Effect.withClock(runner.run(jobCall(id)), clock), ({ _tag }) => _tag)
    expect(yield* ended("1")).toBe("Success")
    time.day += hour
    expect(yield* ended("2")).toBe("Limited")
    time.day -= 9 * hour
    time.passed += 60_000
    expect(yield* ended("3")).toBe("Success")
  })
)

it.scoped("a cache keeps a result for the time that passed", () =>
  Effect.gen(function* () {
    const { clock, time } = clockOf()
    const runner = yield* runnerOf({ limits: { default: { cache: { timeToLive: "1 minute" } } } })
    const notes = (id: string) =>
      Effect.map(Effect.withClock(runner.run(jobCall(id)), clock), (outcome) => outcome.notes)
    expect(yield* notes("1")).toEqual([])
    time.day += hour
    expect(yield* notes("2")).toEqual([{ _tag: "Cached" }])
    time.day -= 9 * hour
    time.passed += 60_000
    expect(yield* notes("3")).toEqual([])
  })
)

it.scoped("the rest of a large result can be read for the time that passed", () =>
  Effect.gen(function* () {
    const { clock, time } = clockOf()
    const runner = yield* runnerOf({ resultBound: { maxBytes: 20, timeToLive: "1 minute" } })
    const [large] = expectOutcome(yield* Effect.withClock(runner.run(jobCall("1")), clock), "Success").notes
    const handle = large?._tag === "Bounded" ? large.handle : expect.unreachable()
    const reading = Effect.map(
      Effect.withClock(runner.runAll([ToolCall.make("2", "read_result", { handle, offset: 0 })]), clock),
      tagsOf
    )
    time.day += hour
    expect(yield* reading).toEqual(["Success"])
    time.day -= 9 * hour
    time.passed += 60_000
    expect(yield* reading).toEqual(["Failure"])
  })
)
