/**
 * When a run stops although the model would go on: conditions on steps, tokens,
 * cost, time and calls, which compose.
 *
 * They are asked after every step, once the results of its calls are there, so
 * a run stops between steps: a limit can be passed by what one step takes. What
 * has to end in the middle of a step is interrupted.
 */
import type { Outcome, Turn } from "@wield/core"
import { isObject, isPlain } from "@wield/core/Json"
import { holds, list, orThrow } from "@wield/core/Options"
import { isPrice } from "@wield/core/Quota"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Entry } from "./Conversation.js"

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
  invalid: typeof count === "number" && count > 0 ? undefined : "a number of tokens above 0",
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
  invalid: invalidCost(limit, prices, options?.other),
  isReached: (state) => {
    const known = costOf(state.usageByModel, prices, options?.other)
    return known.unknown === undefined
      ? known.cost >= limit
      : known.cost >= limit || warn(`A run stops at its limit of cost ${limit}: ${known.unknown}`)
  }
})

const invalidCost = (limit: unknown, prices: unknown, other: unknown): string | undefined => {
  if (typeof limit !== "number" || !(limit > 0)) return "a cost above 0"
  const areKnown = isPlain(prices) && Object.values(prices).every(isPrice) && (other === undefined || isPrice(other))
  return areKnown ? undefined : "a cost with prices by model, each such as { input: 2, output: 8 }"
}

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
  tools: typeof name === "string" ? [name] : [],
  invalid: typeof name === "string" ? undefined : "the name of a tool",
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
  invalid: typeof predicate === "function" ? undefined : "a function of the run so far",
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
): Stop<Stops[number]["tools"][number]> => compose("any", stops, true)

/**
 * Stops when all of the conditions are reached after the same step. They are
 * asked in order, up to the first that is not.
 *
 * @category combinators
 */
export const all = <const Stops extends readonly [Stop, ...ReadonlyArray<Stop>]>(
  ...stops: Stops
): Stop<Stops[number]["tools"][number]> => compose("all", stops, false)

/**
 * Whether the condition is reached, as an Effect either way.
 *
 * @category accessors
 */
export const isReached = (stop: Stop, state: State): Effect.Effect<boolean> =>
  Effect.suspend(() => effectOf(stop.isReached(state)))

type Reached = boolean | Effect.Effect<boolean>

/** A predicate without types may give anything that counts as true or false. */
const effectOf = (reached: Reached): Effect.Effect<boolean> =>
  Effect.isEffect(reached) ? Effect.map(reached, Boolean) : Effect.succeed(Boolean(reached))

const compose = <Name extends string>(word: string, stops: ReadonlyArray<Stop<Name>>, wanted: boolean): Stop<Name> => {
  orThrow(list(aStop)(stops), `What \`Stop.${word}\` takes`)
  return {
    name: `${word}(${stops.map((stop) => stop.name).join(", ")})`,
    tools: stops.flatMap((stop) => stop.tools),
    // Of no condition, none would ever be reached.
    invalid: stops.length === 0 ? "at least one condition" : stops.find((stop) => stop.invalid !== undefined)?.invalid,
    isReached: (state) => firstThatIs(wanted, stops, state)
  }
}

const aStop = holds(
  "a condition, such as Stop.steps(5)",
  (value) => isObject(value) && typeof value["isReached"] === "function"
)

/** `wanted` as soon as one condition says so, the opposite when none does; no Effect as long as none of them is one. */
const firstThatIs = (wanted: boolean, [stop, ...others]: ReadonlyArray<Stop>, state: State): Reached => {
  if (stop === undefined) return !wanted
  const goOn = (isReached: boolean): Reached => (isReached === wanted ? wanted : firstThatIs(wanted, others, state))
  const reached = stop.isReached(state)
  return Effect.isEffect(reached)
    ? Effect.flatMap(effectOf(reached), (now) => effectOf(goOn(now)))
    : goOn(Boolean(reached))
}

/** A limit that cannot be measured counts as reached; the log says why. */
const warn = (why: string): Effect.Effect<boolean> => Effect.as(Effect.logWarning(why), true)

/** What is known of the cost, and why something is not. */
interface Cost {
  readonly cost: number
  readonly unknown: string | undefined
}

const costOf = (usageByModel: ReadonlyMap<string, Turn.Usage>, prices: Prices, other: Price | undefined): Cost => {
  let cost = 0
  let unknown: string | undefined
  for (const [model, usage] of usageByModel) {
    const price = priceNamed(model, prices) ?? other
    if (price === undefined) {
      unknown ??= `the model ${model} has no price: add it to the prices, or give the price of other models`
    } else if (usage.input === undefined && usage.output === undefined) {
      unknown ??= `the model ${model} does not say how many tokens it uses: ask the API for usage, or stop by steps`
    } else cost += times(usage, price)
  }
  return { cost, unknown }
}

const times = (usage: Turn.Usage, price: Price): number => {
  const read = usage.cacheRead ?? 0
  const written = usage.cacheWrite ?? 0
  // `input` includes both; an API that says otherwise must not lower the cost.
  const fresh = Math.max(0, (usage.input ?? 0) - read - written)
  return (
    (fresh * price.input +
      read * (price.cacheRead ?? price.input) +
      written * (price.cacheWrite ?? price.input) +
      (usage.output ?? 0) * price.output) /
    1_000_000
  )
}

/** `-20250805`, `-2025-08-07`, `@20250805`: no other ending, since `claude-opus-4-1` is not `claude-opus-4`. */
const date = /[-@](?:\d{8}|\d{4}-\d{2}-\d{2})$/

const priceNamed = (model: string, prices: Prices): Price | undefined => {
  const name = [model, model.replace(date, "")].find((known) => Object.hasOwn(prices, known))
  return name === undefined ? undefined : prices[name]
}
