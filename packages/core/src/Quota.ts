/**
 * Quotas: how much one tenant, user or conversation may use in a window of time,
 * of calls, tokens or money, and how many of its calls run at once.
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Values } from "./CallContext.js"
import { show } from "./Issue.js"
import { isPlain } from "./Json.js"
import { LimitState } from "./runner/machine.js"

/**
 * Sums under keys, each within a window of time. Over several processes they
 * stand in a store.
 *
 * @category models
 */
export interface Counts {
  /**
   * Adds an amount, unless the sum of this window were over `limit` with it: then
   * nothing is added. Answers whether it was added. `window` is in milliseconds,
   * and begins at its multiples by the clock; one that is set back goes on with the latest.
   */
  readonly add: (key: string, window: number, amount: number, limit: number) => Effect.Effect<boolean, unknown>
  readonly sum: (key: string, window: number) => Effect.Effect<number, unknown>
}

/**
 * How much may be used under one key. A quota whose counts cannot be reached lets
 * nothing through.
 *
 * @category models
 */
export interface Quota {
  /** What it is for, such as `tenant`: it stands in what models and programs read, where the key does not. */
  readonly name: string
  /**
   * Whose use is counted together, from the call context. Those without a key
   * (`undefined`) are counted together, too; those with `null` are not. The run's id is that of its conversation.
   */
  readonly by: (context: Values, about: { readonly run: string }) => string | null | undefined
  /** Of which `calls`, `tokens` and `cost` are counted: `"1 day"`. */
  readonly window: Duration.DurationInput
  /** The tools whose calls count; all unless given. */
  readonly tools?: ReadonlyArray<string> | undefined
  /** How many calls may begin in a window; further ones end as `Limited`. */
  readonly calls?: number | undefined
  /** How many calls run at once, in this process; the others wait. */
  readonly concurrency?: number | undefined
  /** How many tokens models may read and write in a window: then runs of agents stop. */
  readonly tokens?: number | undefined
  /** The same in money: prices are those of a million tokens, as `Stop.cost` has them. */
  readonly cost?:
    | {
        readonly limit: number
        readonly prices: { readonly [model: string]: Price }
        readonly other?: Price | undefined
      }
    | undefined
}

/**
 * What a million tokens cost.
 *
 * @category models
 */
export interface Price {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number | undefined
  readonly cacheWrite?: number | undefined
}

/**
 * Whether a value is a price: one with a misspelt field would cost nothing, and no limit would be reached.
 *
 * @category guards
 */
export const isPrice = (value: unknown): value is Price =>
  isPlain(value) &&
  priceFields.every((field) => isCost(value[field]) || (field.startsWith("cache") && value[field] === undefined)) &&
  Object.keys(value).every((field) => priceFields.includes(field))

const priceFields = ["input", "output", "cacheRead", "cacheWrite"]

const isCost = (value: unknown): boolean => typeof value === "number" && value >= 0

/**
 * Where runners and agents count. Stores that outlive a process provide theirs;
 * in memory unless provided.
 *
 * @category references
 */
export class CurrentCounts extends Context.Reference<CurrentCounts>()("@wield/core/Quota/CurrentCounts", {
  defaultValue: (): Counts => memory()
}) {}

/**
 * What runners count that no store does: the rate of each tool, and what runs at once. Each runner has its own, unless
 * `shareLimits` has made them.
 *
 * @category references
 */
export class CurrentLimits extends Context.Reference<CurrentLimits>()("@wield/core/Quota/CurrentLimits", {
  defaultValue: (): { readonly take: () => LimitState } => ({ take: () => new LimitState() })
}) {}

/**
 * For a program that makes its runners, or its agents, again for each request: what it makes within what this gives has
 * its limits in common with what was made so before, in the order of making.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Quota, ToolCall, ToolRunner, Toolset } from "@wield/core"
 * import { Effect } from "effect"
 *
 * const limited = Quota.shareLimits()
 * const request = Effect.gen(function* () {
 *   const toolset = yield* Toolset.dynamic([{ name: "pay", execute: () => Effect.succeed("paid") }])
 *   const limits = { default: { rate: { calls: 1, window: "1 minute" } } } as const
 *   const runner = yield* limited(ToolRunner.make(toolset, { limits }))
 *   return yield* runner.run(ToolCall.make("call_1", "pay", {}))
 * })
 * Effect.runPromise(Effect.all([request, request])).then(([first, second]) =>
 *   assert.deepStrictEqual([first._tag, second._tag], ["Success", "Limited"])
 * )
 * ```
 *
 * @category constructors
 */
export const shareLimits = (): (<A, E, R>(make: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) => {
  const states: Array<LimitState> = []
  return (make) =>
    Effect.suspend(() => {
      let next = 0
      return Effect.provideService(make, CurrentLimits, { take: () => (states[next++] ??= new LimitState()) })
    })
}

/**
 * Counts in memory.
 *
 * @category constructors
 */
export const memory = (): Counts => {
  const sums = new Map<string, { readonly start: number; readonly end: number; sum: number }>()
  const current = (key: string, window: number, now: number) => {
    const start = startOf(window, now)
    const name = nameOf(key, window)
    let held = sums.get(name)
    // A clock that is set back opens no window that is over.
    if (held !== undefined && held.start >= start) return held
    // What is over is forgotten when others begin.
    for (const [other, { end }] of sums) if (end <= now) sums.delete(other)
    held = { start, end: start + window, sum: 0 }
    sums.set(name, held)
    return held
  }
  return {
    add: (key, window, amount, limit) =>
      Effect.clockWith((clock) =>
        Effect.sync(() => {
          const held = current(key, window, clock.unsafeCurrentTimeMillis())
          if (held.sum + amount > limit) return false
          held.sum += amount
          return true
        })
      ),
    sum: (key, window) =>
      Effect.clockWith((clock) =>
        Effect.sync(() => {
          const held = sums.get(nameOf(key, window))
          // To look opens no window: the clock may be set back.
          return held !== undefined && held.start >= startOf(window, clock.unsafeCurrentTimeMillis()) ? held.sum : 0
        })
      )
  }
}

const nameOf = (key: string, window: number): string => `${window}:${key}`

/**
 * When the window began that a moment is in; both in milliseconds.
 *
 * @category windows
 */
export const startOf = (window: number, now: number): number => Math.floor(now / window) * window

/**
 * Under which key something is counted; `undefined` where it is not. Throws where
 * a program without types gives an object.
 *
 * @category windows
 */
export const userOf = ({ by, name }: Quota, context: Values, about: { readonly run: string }): string | undefined => {
  const key: unknown = by(context, about)
  if (key === null) return undefined
  if (typeof key === "object" || typeof key === "function") {
    throw new TypeError(
      `\`by\` of the quota ${name} gives a text, or \`null\` for what is not counted, but gave ${show(key)}`
    )
  }
  return key === undefined ? "" : String(key)
}

/**
 * The key under which one thing is counted of one quota.
 *
 * @category windows
 */
export const keyOf = (quota: Quota, of: "calls" | "tokens" | "cost", key: string): string =>
  JSON.stringify([quota.name, of, key])

/**
 * What of a quota is used up, as programs and models read it.
 *
 * @category windows
 */
export const describe = (quota: Quota, limit: number, of: string): string =>
  `${limit} ${of} per ${Duration.format(Duration.decode(quota.window))} (${quota.name})`
