/**
 * Ends calls that take longer than they may. All have the same time, so they
 * are due in the order in which they began, and one fiber waits for the first:
 * a fiber for each call would cost as much as the rest of Wield's part in it.
 */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"

/** Gives what is told of a call that begins, with what to do when its time is over; that gives what ends the wait. */
export const makeDeadlines = (
  time: Duration.Duration
): Effect.Effect<(exceeded: () => void) => () => void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const runtime = yield* Effect.runtime()
    const clock: Clock.Clock = yield* Effect.clock
    // Of a clock that nobody sets.
    const now = () => Number(clock.unsafeCurrentTimeNanos()) / 1_000_000
    const allowed = Duration.toMillis(time)
    /** When each call is due, the first first. */
    const due = new Map<object, { readonly at: number; readonly exceeded: () => void }>()
    let waiter: Fiber.RuntimeFiber<void> | undefined
    let isWaiting = false

    const wait: Effect.Effect<void> = Effect.suspend(() => {
      const at = now()
      for (const [key, call] of due) {
        if (call.at > at) return Effect.zipRight(Effect.sleep(call.at - at), wait)
        due.delete(key)
        call.exceeded()
      }
      isWaiting = false
      return Effect.void
    })

    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        due.clear()
        return waiter === undefined ? Effect.void : Fiber.interrupt(waiter)
      })
    )
    return (exceeded) => {
      const key = {}
      due.set(key, { at: now() + allowed, exceeded })
      if (Number.isFinite(allowed) && !isWaiting) {
        // The fiber may have begun, and even ended, when it is given.
        isWaiting = true
        waiter = Runtime.runFork(runtime, wait)
      }
      return () => void due.delete(key)
    }
  })
