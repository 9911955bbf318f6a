import type { Duration } from "effect"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { transplant } from "../Fibers.js"

/** What a program decides, in time: nothing waits for what cannot be interrupted. What it forks lives on, as without. */
export const within = <A, E, L>(
  effect: Effect.Effect<A, E>,
  duration: Duration.DurationInput,
  onTimeout: () => L
): Effect.Effect<A, E | L> =>
  Exit.isExit(effect)
    ? effect
    : transplant((ofCaller) =>
        // A fiber of its own that fails would be logged, with what it failed with.
        Effect.exit(ofCaller(effect)).pipe(
          Effect.disconnect,
          Effect.interruptible,
          Effect.timeoutFail({ duration, onTimeout }),
          Effect.flatten
        )
      )
