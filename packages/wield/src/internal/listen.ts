/** A listener of the program. What it hears of goes on where it fails, and waits for its promise. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"

export const listen =
  <Event>(onEvent: (event: Event) => unknown) =>
  (event: Event): Effect.Effect<void> | undefined => {
    try {
      const heard = onEvent(event)
      if (!Predicate.isPromiseLike(heard)) return undefined
      return Effect.catchAllCause(
        Effect.promise(async () => void (await heard)),
        logFailure
      )
    } catch (error) {
      return logFailure(Cause.die(error))
    }
  }

const logFailure = (cause: Cause.Cause<never>) =>
  Effect.logWarning("`onEvent` failed. What it was called with goes on", cause)
