import { describe, expect, it } from "@effect/vitest"
import { Outcome, ToolCall, Turn } from "@wield/core"
import { Effect, Fiber, FastCheck, Logger, TestClock } from "effect"
import * as Stop from "./Stop.js"

const turn: Turn.Turn = {
  format: "openai-chat",
  id: undefined,
  model: "gpt-5-mini-2025-08-07",
  parts: [],
  usage: Turn.unknownUsage,
  finish: "stop",
  nativeFinish: "stop",
  native: [],
  isComplete: true
}

const state = (known: Partial<Stop.State>): Stop.State => ({
  steps: 1,
  usage: Turn.unknownUsage,
  usageByModel: new Map(),
  elapsed: 0,
  entries: [],
  turn,
  outcomes: [],
  ...known
})

const usage = (known: Partial<Turn.Usage>): Turn.Usage => ({ ...Turn.unknownUsage, ...known })

/** Whether it is reached, and what it logs. */
const asked = (stop: Stop.Stop, known: Partial<Stop.State>) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => lines.push(`${logLevel.label} ${String(message)}`))
    const reached = yield* Stop.isReached(stop, state(known)).pipe(
      Effect.provide(Logger.replace(Logger.defaultLogger, logger))
    )
    return { reached, lines }
  })

const isReached = (stop: Stop.Stop, known: Partial<Stop.State>) =>
  Effect.map(asked(stop, known), ({ lines, reached }) => {
    expect(lines).toStrictEqual([])
    return reached
  })

const call = ToolCall.make("call_1", "finish", {})

const success = Outcome.success(call, {})

describe("Stop", () => {
  it.effect("steps are reached with the last of them", () =>
    Effect.gen(function* () {
      expect(yield* isReached(Stop.steps(3), { steps: 2 })).toBe(false)
      expect(yield* isReached(Stop.steps(3), { steps: 3 })).toBe(true)
      expect(yield* isReached(Stop.steps(3), { steps: 4 })).toBe(true)
    })
  )

  it.effect("tokens are input and output together, and reasoning is part of the output", () =>
    Effect.gen(function* () {
      expect(yield* isReached(Stop.tokens(100), { usage: usage({ input: 60, output: 39, reasoning: 30 }) })).toBe(false)
      expect(yield* isReached(Stop.tokens(100), { usage: usage({ input: 60, output: 40 }) })).toBe(true)
      expect(yield* isReached(Stop.tokens(100), { usage: usage({ output: 100 }) })).toBe(true)
    })
  )

  it.effect("a limit of tokens that cannot be measured is reached, and a warning says why", () =>
    Effect.gen(function* () {
      const { lines, reached } = yield* asked(Stop.tokens(100), {})
      expect(reached).toBe(true)
      expect(lines).toHaveLength(1)
      expect(lines[0]).toMatch(/^WARN A run stops at its limit of 100 tokens/)
    })
  )

  it.effect("time is reached after the duration", () =>
    Effect.gen(function* () {
      expect(Stop.time("90 seconds").name).toBe("time(1m 30s)")
      expect(yield* isReached(Stop.time("90 seconds"), { elapsed: 89_999 })).toBe(false)
      expect(yield* isReached(Stop.time("90 seconds"), { elapsed: 90_000 })).toBe(true)
    })
  )

  it.effect("a tool has been called when it has answered, with a success or with its own failure", () =>
    Effect.gen(function* () {
      const stop = Stop.call("finish")
      const failure = Outcome.failure(call, "no")
      const invalid = new Outcome.InvalidArguments({ call, issues: [] })
      const other = Outcome.success(ToolCall.make("2", "now", {}), {})
      expect(yield* isReached(stop, { outcomes: [other, success] })).toBe(true)
      expect(yield* isReached(stop, { outcomes: [failure] })).toBe(true)
      expect(yield* isReached(stop, { outcomes: [invalid, other] })).toBe(false)
      expect(yield* isReached(stop, { outcomes: [new Outcome.UnknownTool({ call, nearest: [] })] })).toBe(false)
      expect(yield* isReached(stop, {})).toBe(false)
      expect(stop.tools).toStrictEqual(["finish"])
    })
  )

  it.effect("a predicate decides, at once or as an Effect", () =>
    Effect.gen(function* () {
      expect(
        yield* isReached(
          Stop.when("second step", ({ steps }) => steps === 2),
          { steps: 2 }
        )
      ).toBe(true)
      const slow = Stop.when("slow", () => Effect.delay(Effect.succeed(true), "1 second"))
      const fiber = yield* Effect.fork(isReached(slow, {}))
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(fiber)).toBe(true)
    })
  )

  it.effect.prop(
    "any is reached as some is, all as every one, whether they answer at once or later",
    [FastCheck.array(FastCheck.tuple(FastCheck.boolean(), FastCheck.boolean()), { minLength: 1, maxLength: 6 })],
    ([members]) =>
      Effect.gen(function* () {
        const order: Array<number> = []
        const stops = members.map(([reached, isLater], index) =>
          Stop.when(`${index}`, () => {
            order.push(index)
            return isLater ? Effect.as(Effect.yieldNow(), reached) : reached
          })
        )
        const [first, ...others] = stops
        if (first === undefined) return
        const answers = members.map(([reached]) => reached)
        expect(yield* isReached(Stop.any(first, ...others), {})).toBe(answers.includes(true))
        // Up to the first that decides, and none twice.
        const decides = answers.indexOf(true)
        expect(order).toStrictEqual(
          answers.slice(0, decides < 0 ? answers.length : decides + 1).map((_, index) => index)
        )
        order.length = 0
        expect(yield* isReached(Stop.all(first, ...others), {})).toBe(!answers.includes(false))
        const refuses = answers.indexOf(false)
        expect(order).toStrictEqual(
          answers.slice(0, refuses < 0 ? answers.length : refuses + 1).map((_, index) => index)
        )
      })
  )

  it("composed conditions name their members and what these wait for", () => {
    const stop = Stop.any(Stop.all(Stop.steps(2), Stop.call("finish")), Stop.call("cancel"))
    expect(stop.name).toBe("any(all(steps(2), call(finish)), call(cancel))")
    expect(stop.tools).toStrictEqual(["finish", "cancel"])
  })

  it("conditions that answer at once are asked without an Effect", () => {
    const stop = Stop.any(Stop.all(Stop.steps(2), Stop.time("1 minute")), Stop.call("finish"))
    expect(stop.isReached(state({ outcomes: [success] }))).toBe(true)
  })
})

describe("Stop.cost", () => {
  const prices = {
    "gpt-5-mini": { input: 0.25, output: 2, cacheRead: 0.025 },
    "claude-opus-4": { input: 15, output: 75 }
  }
  const million = 1_000_000

  it("input from a cache costs its own price, and the input's where it has none", () => {
    const used = usage({ input: million, output: million / 2, cacheRead: 400_000, cacheWrite: 100_000 })
    expect(Stop.priceOf(new Map([["gpt-5-mini", used]]), prices)).toBeCloseTo(0.5 * 0.25 + 0.4 * 0.025 + 0.1 * 0.25 + 1)
    expect(Stop.priceOf(new Map([["claude-opus-4", used]]), prices)).toBeCloseTo(15 + 37.5)
  })

  it("more read from a cache than there was input does not lower the cost", () => {
    const used = usage({ input: 0, output: 0, cacheRead: million })
    expect(Stop.priceOf(new Map([["gpt-5-mini", used]]), prices)).toBeCloseTo(0.025)
  })

  it("a price is that of dated versions, and of no other model", () => {
    const used = usage({ input: million, output: 0 })
    const price = (model: string) => Stop.priceOf(new Map([[model, used]]), prices)
    expect(price("gpt-5-mini-2025-08-07")).toBe(0.25)
    expect(price("claude-opus-4-20250514")).toBe(15)
    expect(price("claude-opus-4@20250514")).toBe(15)
    expect(price("claude-opus-4-1-20250805")).toBeUndefined()
    expect(price("gpt-5")).toBeUndefined()
    expect(price("toString")).toBeUndefined()
  })

  it.effect("the costs of several models add up to the limit", () =>
    Effect.gen(function* () {
      const usageByModel = new Map([
        ["gpt-5-mini", usage({ input: million, output: 0 })],
        ["claude-opus-4", usage({ input: million, output: 0 })]
      ])
      expect(yield* isReached(Stop.cost(15.3, prices), { usageByModel })).toBe(false)
      expect(yield* isReached(Stop.cost(15.25, prices), { usageByModel })).toBe(true)
    })
  )

  it.effect("a model without a price counts as too dear, and the log names it", () =>
    Effect.gen(function* () {
      const usageByModel = new Map([["llama", usage({ input: 1, output: 1 })]])
      const { lines, reached } = yield* asked(Stop.cost(1, prices), { usageByModel })
      expect(reached).toBe(true)
      expect(lines).toHaveLength(1)
      expect(lines[0]).toContain("the model llama has no price")
      expect(yield* isReached(Stop.cost(1, prices, { other: { input: 1, output: 1 } }), { usageByModel })).toBe(false)
    })
  )

  it.effect("a model that does not say what it uses counts as too dear, and the log names it", () =>
    Effect.gen(function* () {
      const usageByModel = new Map([["gpt-5-mini", Turn.unknownUsage]])
      const { lines, reached } = yield* asked(Stop.cost(1, prices), { usageByModel })
      expect(reached).toBe(true)
      expect(lines[0]).toContain("the model gpt-5-mini does not say how many tokens it uses")
    })
  )

  it.effect("a limit that is reached by what is known needs no warning", () =>
    Effect.gen(function* () {
      const usageByModel = new Map([
        ["llama", usage({ input: 1, output: 1 })],
        ["claude-opus-4", usage({ input: million, output: 0 })]
      ])
      expect(yield* isReached(Stop.cost(10, prices), { usageByModel })).toBe(true)
    })
  )
})

describe("Turn.addUsage", () => {
  const amount = FastCheck.option(FastCheck.nat(), { nil: undefined })
  const usages: FastCheck.Arbitrary<Turn.Usage> = FastCheck.record({
    input: amount,
    output: amount,
    reasoning: amount,
    cacheRead: amount,
    cacheWrite: amount
  })

  it.prop(
    "is commutative and associative, with the unknown usage as its zero",
    [usages, usages, usages],
    ([a, b, c]) => {
      expect(Turn.addUsage(a, Turn.unknownUsage)).toStrictEqual(a)
      expect(Turn.addUsage(a, b)).toStrictEqual(Turn.addUsage(b, a))
      expect(Turn.addUsage(Turn.addUsage(a, b), c)).toStrictEqual(Turn.addUsage(a, Turn.addUsage(b, c)))
      expect(Turn.addUsage(a, b).input).toBe(
        a.input === undefined && b.input === undefined ? undefined : (a.input ?? 0) + (b.input ?? 0)
      )
    }
  )
})
