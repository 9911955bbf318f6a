import * as Effect from "effect/Effect"

/** What is there at once or comes by an effect, as an effect. */
export const effectOf = <A, E = never, R = never>(value: A | Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.isEffect(value) ? value : Effect.succeed(value)
