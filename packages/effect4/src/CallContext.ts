/** Values that the application supplies for one request and the model never sees or sets. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/**
 * The values by name, in encoded form.
 *
 * @category models
 */
export interface Values {
  readonly [field: string]: unknown
}

/**
 * The values of the current request; a handler may read it, though a hidden
 * field is the typed way.
 *
 * @category references
 */
export const CallContext: Context.Reference<Values> = Context.Reference<Values>("@wield/effect4/CallContext", {
  defaultValue: () => ({})
})

/**
 * The services that a Layer has captured: the call context is the request's own,
 * not that of whichever request built the Layer.
 *
 * @internal
 */
export const withoutCallContext = <R>(services: Context.Context<R>): Context.Context<R> =>
  // A reference is no requirement.
  Context.omit(CallContext)(services) as Context.Context<R>

/**
 * Supplies values for all calls that the effect runs.
 *
 * @category providing
 */
export const provide = <A, E, R>(effect: Effect.Effect<A, E, R>, values: Values): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, CallContext, values)
