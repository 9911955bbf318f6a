/**
 * Milliseconds of a clock that only ever goes on: what lasts some time lasts it
 * also when somebody sets the time of day.
 */
import type * as Clock from "effect/Clock"

export const monotonic = (clock: Clock.Clock): number => Number(clock.unsafeCurrentTimeNanos()) / 1_000_000
