import type { Duration } from "effect"
import * as Effect from "effect/Effect"

/** What a program decides, in time: nothing waits for what cannot be interrupted. */
export const within = <A, E, L>(
  effect: Effect.Effect<A, E>,
  duration: Duration.DurationInput,
  onTimeout: () => L
): Effect.Effect<A, E | L> =>
  // A fiber of its own that fails would be logged, with what it failed with.
  Effect.exit(effect).pipe(
    Effect.disconnect,
    Effect.interruptible,
    Effect.timeoutFail({ duration, onTimeout }),
    Effect.flatten
  )
