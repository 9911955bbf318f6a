/** When a run stops although the model would go on, asked after each step. */
import { Stop as Stop3 } from "@wield/effect3"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type * as Types from "effect/Types"
import type { Usage } from "./Agent.js"
import type { Entry } from "./Conversation.js"
import { durationTo3 } from "./internal/policies.js"
import { predicateTo3, stopFrom3, stopTo3 } from "./internal/stops.js"
import type { Outcome } from "./Outcome.js"

/**
 * @category type ids
 */
export declare const TypeId: unique symbol

/**
 * A condition under which a run stops. `Name` are the tools that it waits for.
 *
 * @category models
 */
export interface Stop<out Name extends string = string> {
  readonly [TypeId]: Types.Covariant<Name>
  /** Says which condition it was, such as `steps(10)`. */
  readonly name: string
}

/**
 * A run as it is after a step.
 *
 * @category models
 */
export interface State {
  /** How many turns the model has given in this run. */
  readonly steps: number
  /** What those turns used together. */
  readonly usage: Usage
  /** Milliseconds since the run began. */
  readonly elapsed: number
  /** All entries of the conversation, those of this step included. */
  readonly entries: ReadonlyArray<Entry>
  /** How the calls of this step ended, in their order. */
  readonly outcomes: ReadonlyArray<Outcome>
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
 * versions with which APIs answer.
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
export const steps = (count: number): Stop<never> => stopFrom3(Stop3.steps(count))

/**
 * Stops when the run has used so many tokens, input and output together.
 *
 * @category constructors
 */
export const tokens = (count: number): Stop<never> => stopFrom3(Stop3.tokens(count))

/**
 * Stops when the run has cost so much, in the currency of the prices; and where
 * a model has no price. `other` is the price of all models that are not named.
 *
 * @category constructors
 */
export const cost = (limit: number, prices: Prices, options?: { readonly other?: Price | undefined }): Stop<never> =>
  stopFrom3(Stop3.cost(limit, prices, options))

/**
 * Stops when the run has taken so long. A step that runs is not cut short.
 *
 * @category constructors
 */
export const time = (duration: Duration.Input): Stop<never> => stopFrom3(Stop3.time(durationTo3(duration)))

/**
 * Stops when the tool has been called and has answered.
 *
 * @category constructors
 */
export const call = <const Name extends string>(name: Name): Stop<Name> => stopFrom3(Stop3.call(name))

/**
 * Stops where a function of yours says so, under a name that the result has.
 *
 * @category constructors
 */
export const when = (name: string, predicate: (state: State) => boolean | Effect.Effect<boolean>): Stop<never> =>
  stopFrom3(Stop3.when(name, predicateTo3(predicate)))

type NameOf<Stops extends ReadonlyArray<Stop>> = Stops[number] extends Stop<infer Name> ? Name : never

/**
 * Stops when one of them does.
 *
 * @category combinators
 */
export const any = <const Stops extends readonly [Stop, ...ReadonlyArray<Stop>]>(
  ...stops: Stops
): Stop<NameOf<Stops>> => stopFrom3(Stop3.any(stopTo3(stops[0]), ...stops.slice(1).map(stopTo3)))

/**
 * Stops when all of them would, after the same step.
 *
 * @category combinators
 */
export const all = <const Stops extends readonly [Stop, ...ReadonlyArray<Stop>]>(
  ...stops: Stops
): Stop<NameOf<Stops>> => stopFrom3(Stop3.all(stopTo3(stops[0]), ...stops.slice(1).map(stopTo3)))
