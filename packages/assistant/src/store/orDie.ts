/** A fault of the store is the application's: to a tool it is a defect, of which the model reads nothing. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { StoreError } from "../StoreError.js"

const isStoreError = Schema.is(StoreError)

export const orDie = <A, E, R>(
  effect: Effect.Effect<A, E | StoreError, R>
): Effect.Effect<A, Exclude<E, StoreError>, R> => Effect.catchIf(effect, isStoreError, Effect.die)
