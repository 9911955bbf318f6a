/**
 * Waits by the machine's clock: processes end and pipes drain in its time,
 * also where a test has set the clock of Effect to its own.
 */
import * as Effect from "effect/Effect"

export const delay = (milliseconds: number): Effect.Effect<void> =>
  Effect.async((resume) => {
    const timer = setTimeout(() => resume(Effect.void), milliseconds)
    return Effect.sync(() => clearTimeout(timer))
  })
