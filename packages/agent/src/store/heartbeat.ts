/**
 * The calls that this process has begun and not ended. While there are any, it
 * writes from time to time that it is at them, so that another process waits for
 * their outcome, and does not take them for calls whose process has died.
 */
import type { Journal } from "@wield/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/** How often this process writes that it is handling a call. */
const interval = "2 seconds"

/** Milliseconds without a word after which a process counts as dead. */
export const silence = 10_000

export interface Heartbeat {
  readonly begin: (key: Journal.Key) => Effect.Effect<void>
  /** Does nothing for a call that another process has begun. */
  readonly end: (key: Journal.Key) => Effect.Effect<void>
  /** Says nothing more of calls that were never ended. */
  readonly stop: Effect.Effect<void>
}

export const makeHeartbeat = (
  beat: (keys: ReadonlyArray<Journal.Key>) => Effect.Effect<unknown, unknown>
): Heartbeat => {
  const begun = new Map<string, Journal.Key>()
  let beating: Fiber.Fiber<unknown, unknown> | undefined
  const nameOf = ({ call, digest, run }: Journal.Key) => `${run.length}:${run}${digest}${call}`
  const loop = Effect.sleep(interval).pipe(
    Effect.zipRight(Effect.suspend(() => beat([...begun.values()]))),
    // A beat that is missed is followed by another one.
    Effect.ignore,
    Effect.forever,
    // Nothing of the call that happened to be the first: it may be within a transaction.
    Effect.mapInputContext<never, never>(() => Context.empty())
  )
  const stop = Effect.suspend(() => {
    if (beating === undefined) return Effect.void
    const fiber = beating
    beating = undefined
    return Fiber.interruptFork(fiber)
  })
  return {
    stop,
    begin: (key) =>
      Effect.suspend(() => {
        begun.set(nameOf(key), key)
        return beating === undefined
          ? Effect.map(Effect.forkDaemon(Effect.interruptible(loop)), (fiber) => void (beating = fiber))
          : Effect.void
      }),
    end: (key) => Effect.suspend(() => (begun.delete(nameOf(key)) && begun.size === 0 ? stop : Effect.void))
  }
}
