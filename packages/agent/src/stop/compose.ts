/**
 * Conditions one after the other: without an Effect as long as none of them is
 * one.
 */
import * as Effect from "effect/Effect"
import type { State, Stop } from "../Stop.js"

export const anyReached = (stops: ReadonlyArray<Stop>, state: State): boolean | Effect.Effect<boolean> =>
  firstThatIs(true, stops, state, 0)

export const allReached = (stops: ReadonlyArray<Stop>, state: State): boolean | Effect.Effect<boolean> =>
  firstThatIs(false, stops, state, 0)

/** `wanted` as soon as one condition says so, the opposite when none does. */
const firstThatIs = (
  wanted: boolean,
  stops: ReadonlyArray<Stop>,
  state: State,
  from: number
): boolean | Effect.Effect<boolean> => {
  for (const [index, stop] of stops.entries()) {
    if (index < from) continue
    const reached = stop.isReached(state)
    if (typeof reached !== "boolean") {
      return Effect.flatMap(reached, (now) => {
        if (now === wanted) return Effect.succeed(wanted)
        const rest = firstThatIs(wanted, stops, state, index + 1)
        return typeof rest === "boolean" ? Effect.succeed(rest) : rest
      })
    }
    if (reached === wanted) return wanted
  }
  return !wanted
}

/** A limit that cannot be measured counts as reached; the log says why. */
export const warned = (why: string): Effect.Effect<boolean> => Effect.as(Effect.logWarning(why), true)
