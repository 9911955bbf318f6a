/** What plain JavaScript may do: call a function with anything, and read what became of it. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

export const untyped = <A>(make: unknown): ((...given: ReadonlyArray<unknown>) => A) =>
  // Without types, a function takes whatever it is given.
  make as (...given: ReadonlyArray<unknown>) => A

/** How an effect failed or died, in words. */
export const causeOf = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<string, never, R> =>
  Effect.map(Effect.exit(effect), (exit) => (Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "it did not fail"))
