/**
 * When a run stops although the model would go on: conditions on steps, tokens,
 * cost, time and calls, which compose.
 *
 * They are asked after every step, once the results of its calls are there, so
 * a run stops between steps: a limit can be passed by what one step takes. What
 * has to end in the middle of a step is interrupted.
 */
import type { Outcome, Turn } from "@wield/core"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Entry } from "./Conversation.js"
import { costOf } from "./stop/cost.js"

/**
 * A run as it is after a step.
 *
 * @category models
 */
export interface State {
  /** How many turns the model has given in this run. */
  readonly steps: number
  /** What those turns used together. */
  readonly usage: Turn.Usage
  /** The same by model: by the id that the API answered with, or else the one that was asked for. */
  readonly usageByModel: ReadonlyMap<string, Turn.Usage>
  /** Milliseconds since the run began. */
  readonly elapsed: number
  /** All entries of the conversation, those of this step included. */
  readonly entries: ReadonlyArray<Entry>
  /** The turn of this step. */
  readonly turn: Turn.Turn
  /** How the calls of this step ended, in their order. */
  readonly outcomes: ReadonlyArray<Outcome.Outcome>
}

/**
 * A condition under which a run stops. `Name` are the tools that it waits for.
 *
 * @category models
 */
export interface Stop<out Name extends string = string> {
  /** Says which condition it was, such as `steps(10)`. */
  readonly name: string
  /** The tools whose calls it looks for. */
  readonly tools: ReadonlyArray<Name>
  readonly isReached: (state: State) => boolean | Effect.Effect<boolean>
  /** What its limit must be, if it is invalid: `Agent.make` fails with it. */
  readonly invalid?: string | undefined
}

/**
 * What a model costs, in any one currency, per million tokens. A price that is
 * not given is that of `input`.
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
 * Prices by the model's id. A price without a date is also that of the dated
 * versions with which APIs answer: `gpt-5-mini` of `gpt-5-mini-2025-08-07`.
 *
 * @category models
 */
export interface Prices {
  readonly [model: string]: Price
}

/**
 * Stops after so many turns of the model.
 *
 * @category constructors
 */
export const steps = (count: number): Stop<never> => ({
  name: `steps(${count})`,
  tools: [],
  invalid: Number.isInteger(count) && count > 0 ? undefined : "a whole number of steps, at least 1",
  isReached: (state) => state.steps >= count
})

/**
 * Stops when the run has used so many tokens, input and output together. Input
 * counts again in every step, as it is paid for, whether it came from a cache or
 * not.
 *
 * Where the API says nothing of tokens, the limit cannot be kept, and counts as
 * reached; a warning in the log says so.
 *
 * @category constructors
 */
export const tokens = (count: number): Stop<never> => ({
  name: `tokens(${count})`,
  tools: [],
  invalid: count > 0 ? undefined : "a number of tokens above 0",
  isReached: ({ usage }) =>
    usage.input === undefined && usage.output === undefined
      ? warn(
          `A run stops at its limit of ${count} tokens, because the model does not say how many it uses: ask the API for usage, or stop by steps`
        )
      : (usage.input ?? 0) + (usage.output ?? 0) >= count
})

/**
 * Stops when the run has cost so much, in the currency of the prices.
 *
 * Where a model has no price or does not say what it uses, the limit cannot be
 * kept, and counts as reached; a warning in the log names the model. `other` is
 * the price of all models that are not named.
 *
 * @category constructors
 */
export const cost = (limit: number, prices: Prices, options?: { readonly other?: Price | undefined }): Stop<never> => ({
  name: `cost(${limit})`,
  tools: [],
  invalid: limit > 0 ? undefined : "a cost above 0",
  isReached: (state) => {
    const known = costOf(state.usageByModel, prices, options?.other)
    return known.unknown === undefined
      ? known.cost >= limit
      : known.cost >= limit || warn(`A run stops at its limit of cost ${limit}: ${known.unknown}`)
  }
})

/**
 * What usage by model costs, in the currency of the prices; `undefined` where a
 * model has no price or does not say what it used.
 *
 * @category accessors
 */
export const priceOf = (
  usageByModel: ReadonlyMap<string, Turn.Usage>,
  prices: Prices,
  options?: { readonly other?: Price | undefined }
): number | undefined => {
  const known = costOf(usageByModel, prices, options?.other)
  return known.unknown === undefined ? known.cost : undefined
}

/**
 * Stops when the run has taken so long. A step that runs is not cut short:
 * interrupt the run, or give it a timeout, for that.
 *
 * @category constructors
 */
export const time = (duration: Duration.DurationInput): Stop<never> => {
  const limit = Option.getOrElse(Duration.decodeUnknown(duration), () => Duration.zero)
  const milliseconds = Duration.toMillis(limit)
  const isValid = milliseconds > 0
  return {
    name: `time(${isValid ? Duration.format(limit) : String(duration)})`,
    tools: [],
    invalid: isValid ? undefined : "a duration above 0, such as 30 seconds",
    isReached: (state) => state.elapsed >= milliseconds
  }
}

/**
 * Stops when the tool has been called and has answered, with a success or with
 * a failure that it declares. Calls that never came to its handler (invalid
 * arguments, denied, waiting), timed out or broke down do not count: the model
 * may still put them right.
 *
 * The name is checked against the tools of the agent.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Stop } from "@wield/agent"
 *
 * const stop = Stop.any(Stop.call("hang_up"), Stop.steps(10), Stop.time("5 minutes"))
 * assert.strictEqual(stop.name, "any(call(hang_up), steps(10), time(5m))")
 * ```
 *
 * @category constructors
 */
export const call = <const Name extends string>(name: Name): Stop<Name> => ({
  name: `call(${name})`,
  tools: [name],
  isReached: (state) =>
    state.outcomes.some(
      (outcome) => outcome.name === name && (outcome._tag === "Success" || outcome._tag === "Failure")
    )
})

/**
 * Stops when the predicate holds.
 *
 * @category constructors
 */
export const when = (name: string, predicate: (state: State) => boolean | Effect.Effect<boolean>): Stop<never> => ({
  name,
  tools: [],
  isReached: predicate
})

/**
 * Stops when one of the conditions is reached. They are asked in order, up to
 * the first that is.
 *
 * @category combinators
 */
export const any = <const Stops extends readonly [Stop, ...ReadonlyArray<Stop>]>(
  ...stops: Stops
): Stop<Stops[number]["tools"][number]> => ({
  name: `any(${stops.map((stop) => stop.name).join(", ")})`,
  tools: stops.flatMap((stop) => stop.tools),
  invalid: stops.find((stop) => stop.invalid !== undefined)?.invalid,
  isReached: (state) => anyReached(stops, state)
})

/**
 * Stops when all of the conditions are reached after the same step. They are
 * asked in order, up to the first that is not.
 *
 * @category combinators
 */
export const all = <const Stops extends readonly [Stop, ...ReadonlyArray<Stop>]>(
  ...stops: Stops
): Stop<Stops[number]["tools"][number]> => ({
  name: `all(${stops.map((stop) => stop.name).join(", ")})`,
  tools: stops.flatMap((stop) => stop.tools),
  invalid: stops.find((stop) => stop.invalid !== undefined)?.invalid,
  isReached: (state) => allReached(stops, state)
})

/**
 * Whether the condition is reached, as an Effect either way.
 *
 * @category accessors
 */
export const isReached = (stop: Stop, state: State): Effect.Effect<boolean> =>
  Effect.suspend(() => {
    const reached = stop.isReached(state)
    return typeof reached === "boolean" ? Effect.succeed(reached) : reached
  })

/**
 * Conditions one after the other: without an Effect as long as none of them is
 * one.
 */
const anyReached = (stops: ReadonlyArray<Stop>, state: State): boolean | Effect.Effect<boolean> =>
  firstThatIs(true, stops, state, 0)

const allReached = (stops: ReadonlyArray<Stop>, state: State): boolean | Effect.Effect<boolean> =>
  firstThatIs(false, stops, state, 0)

/** `wanted` as soon as one condition says so, the opposite when none does. */
const firstThatIs = (
  wanted: boolean,
  stops: ReadonlyArray<Stop>,
  state: State,
  from: number
): boolean | Effect.Effect<boolean> => {
  for (const [index, stop] of stops.entries()) {
    if (index < from) continue
    const reached = stop.isReached(state)
    if (typeof reached !== "boolean") {
      return Effect.flatMap(reached, (now) => {
        if (now === wanted) return Effect.succeed(wanted)
        const rest = firstThatIs(wanted, stops, state, index + 1)
        return typeof rest === "boolean" ? Effect.succeed(rest) : rest
      })
    }
    if (reached === wanted) return wanted
  }
  return !wanted
}

/** A limit that cannot be measured counts as reached; the log says why. */
const warn = (why: string): Effect.Effect<boolean> => Effect.as(Effect.logWarning(why), true)
