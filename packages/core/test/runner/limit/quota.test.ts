import { describe, expect, it } from "@effect/vitest"
import { CallContext, Outcome, type Policy, Quota, ToolCall, ToolRunner, Toolset } from "@wield/core"
import { expectOutcome } from "@wield/testing/OutcomeAssertions"
import { Deferred, Effect, Fiber, TestClock } from "effect"

const tenantOf: Quota.Quota["by"] = ({ tenant }) => (typeof tenant === "string" ? tenant : undefined)
const perMinute = (calls: number): Quota.Quota => ({ name: "tenant", by: tenantOf, window: "1 minute", calls })

const runnerOf = (policy: Policy.Policy, execute: Effect.Effect<string> = Effect.succeed("done")) =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.dynamic(["look", "pay"].map((name) => ({ name, execute: () => execute })))
    return yield* ToolRunner.make(toolset, policy)
  }).pipe(Effect.provideService(Quota.CurrentCounts, Quota.memory()))

let ids = 0
const callOf = (name: string) => ToolCall.make(`call_${++ids}`, name, {})
const as = (tenant: string) => CallContext.provide({ tenant })

describe("a quota of calls", () => {
  it.effect("counts those of one tenant, of all tools and runs, and none of another's", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf({ quotas: [perMinute(2)] })
      const tags = (tenant: string, ...names: ReadonlyArray<string>) =>
        Effect.map(runner.settle(names.map(callOf)).pipe(as(tenant)), (outcomes) => outcomes.map(({ _tag }) => _tag))
      expect(yield* tags("acme", "look", "pay", "look")).toEqual(["Success", "Success", "Limited"])
      expect(yield* tags("zenith", "look")).toEqual(["Success"])
      expect(yield* tags("acme", "pay")).toEqual(["Limited"])
      yield* TestClock.adjust("1 minute")
      expect(yield* tags("acme", "pay")).toEqual(["Success"])
    })
  )

  it.effect("says what it is for and how long to wait, and not whose it is", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf({ quotas: [perMinute(1)] })
      yield* TestClock.adjust("20 seconds")
      yield* runner.run(callOf("pay")).pipe(as("acme"))
      const outcome = expectOutcome(yield* runner.run(callOf("pay")).pipe(as("acme")), "Limited")
      expect(outcome.retryAfter).toBe(40_000)
      expect(Outcome.text(outcome)).toBe(
        "The tool pay is limited to 1 call per 1m (tenant) and was not run. Try again in 40 s."
      )
    })
  )

  it.effect("is of the tools that it names", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf({ quotas: [{ ...perMinute(1), tools: ["pay"] }] })
      const outcomes = yield* runner.settle(["look", "look", "pay", "pay"].map(callOf)).pipe(as("acme"))
      expect(outcomes.map(({ _tag }) => _tag)).toEqual(["Success", "Success", "Success", "Limited"])
    })
  )

  it.effect("counts those who have no key together, and only those not at all for whom it says so", () =>
    Effect.gen(function* () {
      const pay = (quota: Quota.Quota, ...as: ReadonlyArray<object>) =>
        Effect.flatMap(runnerOf({ quotas: [quota] }), (runner) =>
          Effect.forEach(as, (context) =>
            Effect.map(runner.run(callOf("pay")).pipe(CallContext.provide({ ...context })), ({ _tag }) => _tag)
          )
        )
      // A name that is not spelt right has no key for anyone.
      expect(yield* pay(perMinute(1), { tenat: "acme" }, { tenat: "zenith" }, {})).toEqual([
        "Success",
        "Limited",
        "Limited"
      ])
      const exempt: Quota.Quota = { ...perMinute(1), by: () => null }
      expect(yield* pay(exempt, {}, {})).toEqual(["Success", "Success"])
      // Plain JavaScript may give anything.
      const by = ({ tenant }: { readonly tenant?: unknown }) => tenant as string
      expect(yield* pay({ ...perMinute(1), by }, { tenant: 7 }, { tenant: 7 }, { tenant: { id: 7 } })).toEqual([
        "Success",
        "Limited",
        "Defect"
      ])
    })
  )

  it.effect("lets no call run whose count cannot be reached, or whose key cannot be told", () =>
    Effect.gen(function* () {
      let ran = 0
      const run = Effect.sync(() => `${++ran}`)
      const down: Quota.Counts = { add: () => Effect.fail("down"), sum: () => Effect.fail("down") }
      const toolset = yield* Toolset.dynamic([{ name: "pay", execute: () => run }])
      const runner = yield* ToolRunner.make(toolset, { quotas: [perMinute(1)] }).pipe(
        Effect.provideService(Quota.CurrentCounts, down)
      )
      expectOutcome(yield* runner.run(callOf("pay")).pipe(as("acme")), "Defect")
      for (const answer of ["no", { count: 0 }, []]) {
        // Counts in plain JavaScript may give what their database gives.
        const odd: Quota.Counts = { ...down, add: () => Effect.succeed(answer as unknown as boolean) }
        const runner = yield* ToolRunner.make(toolset, { quotas: [perMinute(1)] }).pipe(
          Effect.provideService(Quota.CurrentCounts, odd)
        )
        expect(["Limited", "Defect"]).toContain((yield* runner.run(callOf("pay")).pipe(as("acme")))._tag)
      }
      const by = () => {
        throw new Error("no tenant")
      }
      const other = yield* ToolRunner.make(toolset, { quotas: [{ ...perMinute(1), by }] })
      expectOutcome(yield* other.run(callOf("pay")).pipe(as("acme")), "Defect")
      expect(ran).toBe(0)
    })
  )

  it.effect("that names a tool that there is not is refused", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.constant([{ name: "pay", execute: () => Effect.succeed("paid") }])
      const error = yield* Effect.flip(ToolRunner.make(toolset, { quotas: [{ ...perMinute(1), tools: ["pya"] }] }))
      expect(error.message).toContain('quotas["0"].tools.pya')
    })
  )

  it.effect("that is written wrongly is refused where the runner is made", () =>
    Effect.gen(function* () {
      for (const wrong of [
        { calls: 0 },
        { window: 0 },
        { by: "tenant" },
        { call: 5 },
        { tokens: -1 },
        { calls: undefined },
        { tools: [] }
      ]) {
        // Plain JavaScript has no compiler to say so.
        const quota = { ...perMinute(1), ...wrong } as unknown as Quota.Quota
        expect((yield* Effect.flip(runnerOf({ quotas: [quota] })))._tag).toBe("InvalidPolicy")
      }
    })
  )
})

describe("a quota of calls at once", () => {
  it.effect("has further ones of the same tenant wait, and no others", () =>
    Effect.gen(function* () {
      const open = yield* Deferred.make<void>()
      let begun = 0
      const wait = Effect.zipRight(
        Effect.sync(() => void begun++),
        Effect.as(Deferred.await(open), "done")
      )
      const quota: Quota.Quota = { name: "tenant", by: tenantOf, window: "1 minute", concurrency: 1 }
      const runner = yield* runnerOf({ quotas: [quota] }, wait)
      const acme = yield* Effect.fork(runner.settle([callOf("look"), callOf("pay")]).pipe(as("acme")))
      const zenith = yield* Effect.fork(runner.settle([callOf("pay")]).pipe(as("zenith")))
      yield* TestClock.adjust("1 second")
      expect(begun).toBe(2)
      yield* Deferred.succeed(open, undefined)
      expect((yield* Fiber.join(acme)).map(({ _tag }) => _tag)).toEqual(["Success", "Success"])
      yield* Fiber.join(zenith)
      expect(begun).toBe(3)
    })
  )

  it.effect("is free again after a call that was interrupted, while it ran or waited", () =>
    Effect.gen(function* () {
      const quota: Quota.Quota = { name: "tenant", by: tenantOf, window: "1 minute", concurrency: 1 }
      let isSlow = true
      const execute = Effect.suspend(() => (isSlow ? Effect.never : Effect.succeed("done")))
      const runner = yield* runnerOf({ quotas: [quota] }, execute)
      const all = yield* Effect.fork(runner.settle([callOf("look"), callOf("pay")]).pipe(as("acme")))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(all)
      isSlow = false
      expectOutcome(yield* runner.run(callOf("pay")).pipe(as("acme")), "Success")
    })
  )
})
