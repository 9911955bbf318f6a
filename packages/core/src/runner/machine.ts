/**
 * What a runner holds for all its runs: the toolset, the policy with its
 * defaults, and the state of limits, caches and large results.
 */
import * as Facts from "../Facts.js"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as MetricHook from "effect/MetricHook"
import type { Rule } from "../Approval.js"
import { isObject } from "../Json.js"
import type { Limits, Policy } from "../Policy.js"
import type { Outcome } from "../Outcome.js"
import type { Entry, Offer } from "../toolset/model.js"
import type { Counts } from "../Quota.js"
import type { Asked, Ledger } from "./ledger.js"
import type { Gates } from "./quota.js"
import type { RunMemory } from "./run.js"
import { ResultCache } from "./resultCache.js"
import type { ResultStore } from "./resultStore.js"

/** The limits of one tool with the state they need. */
export interface Limiter {
  readonly timeout: number | undefined
  readonly retry: Limits["retry"]
  readonly permits: Effect.Semaphore | undefined
  readonly rate: { readonly calls: number; readonly window: number; readonly begun: Array<number> } | undefined
  readonly cache: ResultCache | undefined
}

/** Where the calls of one tool with one outcome are counted. */
export interface Meter {
  readonly calls: MetricHook.MetricHook.Counter<number>
  readonly duration: MetricHook.MetricHook.Histogram
  /** What the duration is recorded with. */
  readonly attributes: { readonly [name: string]: string }
}

export interface Machine {
  readonly offer: Effect.Effect<Offer, unknown>
  /** Gives an effect that runs calls what their handlers require, where the caller does not. */
  readonly provide: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** The offer of a toolset that cannot change and asks nothing of the request. */
  readonly known: Offer | undefined
  readonly policy: Policy
  readonly maxCharacters: number
  readonly maxDepth: number
  readonly repeatLimit: number | undefined
  readonly ruleFor: (name: string) => Rule | undefined
  readonly limiterFor: (entry: Entry) => Limiter | undefined
  readonly meterFor: (tool: string, outcome: Outcome["_tag"]) => Meter
  /** Where quotas are counted. */
  readonly counts: Counts
  readonly gates: Gates
  readonly results: ResultStore | undefined
  /** Over the policy's journal, if it has one. */
  readonly ledger: Ledger | undefined
  /** Ids of what persons were asked, where the policy has no journal. */
  readonly asks: Map<string, string>
  /** Names on offer that no tool had, which were reported. */
  readonly misspelt: Set<string>
  /** What each run has run, by its id, where the policy has no journal. */
  readonly memory: RunMemory
  /** What calls wait for as input, where the policy has no journal. */
  readonly inputs: Map<string, Asked>
}

export const defaultMaxCharacters = 16 * 1024 * 1024
export const defaultMaxDepth = 200
export const defaultRepeatLimit = 3

export const ruleFor = (approval: unknown): ((name: string) => Rule | undefined) => {
  // `invalidPolicy` has found a function, or an object of them and of such objects.
  if (typeof approval === "function") return () => approval as Rule
  if (!isObject(approval)) return () => undefined
  const ofOthers = ruleFor(approval["*"])
  return (name) => {
    // `invalidPolicy` has found functions only. A rule that is `undefined` is that of all others.
    const own = Object.hasOwn(approval, name) && name !== "*" ? (approval[name] as Rule | undefined) : undefined
    return own ?? ofOthers(name)
  }
}

/**
 * Limits are looked up by name; their state is made at a tool's first call. A
 * tool that was altered meanwhile is another one: what was kept of the old one,
 * and what its facts allowed, does not hold for it; permits and rate do.
 */
export const limiterFor = (
  limits: Policy["limits"],
  limiters: LimitState["limiters"]
): ((entry: Entry) => Limiter | undefined) => {
  if (limits === undefined) return () => undefined
  return (entry) => {
    const { facts, name } = entry.definition
    const held = limiters.get(name)
    if (held !== undefined && held.handler === entry.handler && held.facts === facts) return held.limiter
    const made = makeLimiter(limits, entry)
    const limiter =
      made === undefined || held?.limiter === undefined
        ? made
        : { ...made, permits: held.limiter.permits, rate: held.limiter.rate }
    limiters.set(name, { limiter, facts, handler: entry.handler })
    return limiter
  }
}

/** What limits count: by tool, and what runs at once by quota and user. */
export class LimitState {
  readonly limiters = new Map<string, Held>()
  readonly gates: Gates = new Map()
}

/** A limiter, and of which tool it is. */
interface Held {
  readonly limiter: Limiter | undefined
  readonly facts: Entry["definition"]["facts"]
  readonly handler: Entry["handler"]
}

/** Of limits by name and of those of all tools, what holds for this one. */
export const limitsOf = (limits: Policy["limits"] = {}, entry: Entry): Limits | undefined => {
  const { facts, name } = entry.definition
  const { default: common } = limits
  const [own] = [limits.tools, limits.dynamic].flatMap((all: { readonly [name: string]: Limits | undefined } = {}) =>
    Object.hasOwn(all, name) && all[name] !== undefined ? [all[name]] : []
  )
  if (common === undefined && own === undefined) return undefined
  return {
    timeout: own?.timeout ?? common?.timeout,
    // A default retry must not make the side effect of a tool happen twice.
    retry: own?.retry ?? (Facts.isRepeatable(facts) ? common?.retry : undefined),
    concurrency: own?.concurrency ?? common?.concurrency,
    rate: own?.rate ?? common?.rate,
    cache: entry.isFresh === true ? undefined : (own?.cache ?? (facts.isReadOnly ? common?.cache : undefined))
  }
}

const makeLimiter = (limits: Policy["limits"], entry: Entry): Limiter | undefined => {
  const own = limitsOf(limits, entry)
  if (own === undefined) return undefined
  const { cache, concurrency, rate, retry, timeout } = own
  return {
    timeout: timeout === undefined ? undefined : Duration.toMillis(timeout),
    retry,
    // Without a permit no call would ever begin.
    permits: concurrency === undefined ? undefined : Effect.unsafeMakeSemaphore(Math.max(1, concurrency)),
    rate: rate === undefined ? undefined : { calls: rate.calls, window: Duration.toMillis(rate.window), begun: [] },
    cache: cache === undefined ? undefined : new ResultCache(cache)
  }
}
