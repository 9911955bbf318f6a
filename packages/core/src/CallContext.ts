/**
 * Values that the application supplies for one request and the model never
 * sees or sets: who the customer is, which tenant, whose token. Hidden fields
 * are filled from them, and toolsets can be filtered by them.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import { aContext, orThrow } from "./Options.js"

/**
 * The values by name, in encoded form: a hidden field decodes its value by its
 * own schema.
 *
 * @category models
 */
export interface Values {
  readonly [field: string]: unknown
}

/**
 * The values of the current request; empty unless provided. A handler may read
 * it, though a hidden field is the typed way.
 *
 * @category references
 */
export class CallContext extends Context.Reference<CallContext>()("@wield/core/CallContext", {
  defaultValue: (): Values => ({})
}) {}

/**
 * The services that a Layer or a toolset has captured: the call context is the
 * request's own, not that of whichever request built them.
 *
 * @internal
 */
export const withoutCallContext = <R>(services: Context.Context<R>): Context.Context<R> =>
  // A reference is no requirement.
  Context.omit(CallContext)(services) as Context.Context<R>

/**
 * What an effect requires that calls tools with hidden fields outside of a run:
 * their values. `provide` satisfies it, field by field.
 *
 * @category models
 */
export interface CallContextWith<out Fields extends string> {
  readonly "fields of the call context": Fields
}

/** The requirements that are left when these fields are given. */
type Without<R, Given> =
  R extends CallContextWith<infer Fields>
    ? [Exclude<Fields, Given>] extends [never]
      ? never
      : CallContextWith<Exclude<Fields, Given>>
    : R

/**
 * Supplies values for all calls that the effect runs. `Runner.forRun` does the
 * same for one run, and checks the types of the values as well as their names.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { CallContext } from "@wield/core"
 * import { Effect } from "effect"
 *
 * const program = Effect.map(CallContext.CallContext, (values) => values.customerId)
 * const customerId = Effect.runSync(program.pipe(CallContext.provide({ customerId: "c_42" })))
 * assert.strictEqual(customerId, "c_42")
 * ```
 *
 * @category providing
 */
export const provide: {
  <V extends Values>(values: V): <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, Without<R, keyof V>>
  <A, E, R, V extends Values>(effect: Effect.Effect<A, E, R>, values: V): Effect.Effect<A, E, Without<R, keyof V>>
} = dual(2, <A, E, R>(effect: Effect.Effect<A, E, R>, values: Values): Effect.Effect<A, E, R> => {
  orThrow(aContext(values), "What `CallContext.provide` takes")
  return Effect.provideService(effect, CallContext, values)
})
