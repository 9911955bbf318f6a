import * as assert from "node:assert"
import { CurrentCall, Hidden, Journal, type Outcome, ToolCall, ToolRunner, Toolset } from "@wield/effect4"
import { Laws } from "@wield/testing"
import { Effect, Fiber, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { describe, expect, it } from "vitest"
import { runs, sized } from "../../../test/sizes.js"
import { into4 } from "../src/internal/seam.js"
import { partsOf } from "../src/internal/toolsets.js"

const Order = Schema.Struct({
  customerId: Schema.String,
  amount: Schema.Finite.check(Schema.isGreaterThan(0)),
  items: Schema.Array(Schema.Struct({ id: Schema.String, count: Schema.Int })),
  way: Schema.optionalKey(Schema.Literals(["post", "shop"]))
})
const Buy = Hidden.fields(
  Tool.make("buy", {
    parameters: Order,
    success: Schema.Struct({ at: Schema.DateFromString, way: Schema.NullOr(Schema.String) })
  }),
  "customerId"
)
const Now = Tool.make("now", { success: Schema.String })
const Market = Toolkit.make(Buy, Now)
const MarketLive = Market.toLayer({
  buy: ({ way }) => Effect.as(Effect.yieldNow, { at: new Date(0), way: way ?? null }),
  now: () => Effect.succeed("12:00")
})

describe("a toolkit of Effect 4", () => {
  it("keeps the laws of toolsets", () =>
    Effect.gen(function* () {
      const toolset = yield* Toolset.fromToolkit(Market)
      const report = yield* into4(
        Laws.check(partsOf(toolset).toolset, { context: { customerId: "c_42" }, runs: runs(500) })
      )
      expect(report.tools).toEqual([
        { name: "buy", isRun: true },
        { name: "now", isRun: true }
      ])
      assert.ok(report.isKept, Laws.render(report))
    }).pipe(Effect.provide(MarketLive), Effect.runPromise))
})

/** Numbers that look random and are the same each time. */
const randomOf = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state * 1103515245 + 12345) & 0x7fffffff
    return (state >> 8) % below
  }
}

interface World {
  effects: number
  open: number
}

const steps = (count: number) =>
  Effect.gen(function* () {
    for (let step = 0; step < count; step++) yield* Effect.yieldNow
  })

const Write = Tool.make("write", {
  parameters: Schema.Struct({
    before: Schema.Int,
    after: Schema.Int,
    finalizer: Schema.Int,
    isUninterruptible: Schema.Boolean,
    fails: Schema.Boolean
  }),
  success: Schema.Struct({ at: Schema.DateFromString }),
  failure: Schema.String,
  failureMode: "return"
})
const Book = Toolkit.make(Write)

/** A handler that takes effect once, `after` steps before its end, and has a finalizer that takes its time. */
const bookOf = (world: World) =>
  Book.toLayer({
    write: ({ after, before, fails, finalizer, isUninterruptible }) => {
      const work = Effect.gen(function* () {
        yield* steps(before)
        world.effects++
        yield* steps(after)
        if (fails) return yield* Effect.fail("no")
        return { at: new Date(0) }
      })
      return Effect.acquireUseRelease(
        Effect.sync(() => void world.open++),
        () => (isUninterruptible ? CurrentCall.uninterruptible(work) : work),
        () =>
          Effect.andThen(
            steps(finalizer),
            Effect.sync(() => void world.open--)
          )
      )
    }
  })

const schedule = (seed: number) =>
  Effect.gen(function* () {
    const random = randomOf(seed)
    const journal = yield* Journal.memory
    const toolset = yield* Toolset.fromToolkit(Book)
    const concurrency = random(2) === 0 ? 1 : undefined
    const limits = random(3) === 0 ? ({ default: { timeout: "1 minute" } } as const) : undefined
    const runner = yield* ToolRunner.make(toolset, { journal, concurrency, limits })
    const calls = Array.from({ length: 1 + random(3) }, (_, index) => ({
      ...ToolCall.make(`call_${index}`, "write", {
        before: random(4),
        after: random(4),
        finalizer: random(4),
        isUninterruptible: random(2) === 0,
        fails: random(4) === 0
      })
    }))
    const first = yield* Effect.forkChild(runner.forRun({ id: "run" }).settle(calls))
    yield* steps(random(14))
    yield* Fiber.interrupt(first)
    return { runner, calls }
  })

const tags = new Set<Outcome.Outcome["_tag"]>(["Success", "Failure", "Uncertain", "Interrupted"])

describe("an interruption at any moment", () => {
  it("waits for finalizers, and leaves a record by which no call takes effect twice", async () => {
    const seen = new Set<string>()
    for (let seed = 1; seed <= sized(80, 1_000); seed++) {
      const world: World = { effects: 0, open: 0 }
      await Effect.runPromise(
        Effect.gen(function* () {
          const { calls, runner } = yield* schedule(seed)
          assert.strictEqual(world.open, 0, `seed ${seed}: the interruption was over before the finalizers`)
          const outcomes = yield* runner.forRun({ id: "run", isRecovered: true }).settle(calls)
          assert.strictEqual(outcomes.length, calls.length)
          for (const outcome of outcomes) {
            assert.ok(tags.has(outcome._tag), `seed ${seed}: ${outcome._tag}`)
            seen.add(outcome._tag)
            if (outcome._tag === "Success") assert.ok(outcome.name === "write")
          }
          assert.ok(world.effects <= calls.length, `seed ${seed}: ${world.effects} effects of ${calls.length} calls`)
          const before = world.effects
          const again = yield* runner.forRun({ id: "run" }).settle(calls)
          assert.deepStrictEqual(
            again.map(({ _tag }) => _tag),
            outcomes.map(({ _tag }) => _tag),
            `seed ${seed}: the record has changed`
          )
          assert.strictEqual(world.effects, before, `seed ${seed}: a recorded call ran again`)
        }).pipe(Effect.provide(bookOf(world)))
      )
    }
    // Else the schedules are all alike.
    expect([...seen]).toEqual(expect.arrayContaining(["Success", "Failure", "Uncertain"]))
  })

  it("records what a handler that cannot be interrupted came to", async () => {
    const world: World = { effects: 0, open: 0 }
    await Effect.runPromise(
      Effect.gen(function* () {
        const journal = yield* Journal.memory
        const runner = yield* ToolRunner.make(yield* Toolset.fromToolkit(Book), { journal })
        const parameters = { before: 2, after: 2, finalizer: 1, isUninterruptible: true, fails: false }
        const call = ToolCall.make("call", "write", parameters)
        const fiber = yield* Effect.forkChild(runner.forRun({ id: "run" }).settle([call]))
        while (world.open === 0) yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
        const [outcome] = yield* runner.forRun({ id: "run" }).settle([call])
        expect([outcome?._tag, outcome?.notes, world.effects]).toEqual(["Success", [{ _tag: "Replayed" }], 1])
      }).pipe(Effect.provide(bookOf(world)))
    )
  })
})
