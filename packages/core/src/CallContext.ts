/**
 * Values that the application supplies for one request and the model never
 * sees or sets: who the customer is, which tenant, whose token. Hidden fields
 * are filled from them, and toolsets can be filtered by them.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { dual } from "effect/Function"

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
 * Supplies values for all calls that the effect runs. `Runner.forRun` does the
 * same with the fields and their types checked against the toolset.
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
  (values: Values): <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  <A, E, R>(effect: Effect.Effect<A, E, R>, values: Values): Effect.Effect<A, E, R>
} = dual(2, <A, E, R>(effect: Effect.Effect<A, E, R>, values: Values): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, CallContext, values)
)
