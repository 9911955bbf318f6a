import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Milliseconds of a clock that nobody sets. */
export const monotonic: Effect.Effect<number> = Effect.map(
  Clock.currentTimeNanos,
  (nanoseconds) => Number(nanoseconds) / 1_000_000
)
