/**
 * One run at a time for each conversation: a second prompt comes after the answer
 * to the first, and a second answer finds the call answered.
 */
import * as Effect from "effect/Effect"

export type OneAtATime = <A, E, R>(conversation: string, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

interface Held {
  readonly semaphore: Effect.Semaphore
  /** Who has it and who waits for it. */
  count: number
}

export const makeOneAtATime = (): OneAtATime => {
  const held = new Map<string, Held>()
  return (conversation, effect) =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        let lock = held.get(conversation)
        if (lock === undefined) held.set(conversation, (lock = { semaphore: Effect.unsafeMakeSemaphore(1), count: 0 }))
        lock.count++
        return lock
      }),
      (lock) => lock.semaphore.withPermits(1)(effect),
      (lock) =>
        Effect.sync(() => {
          if (--lock.count === 0) held.delete(conversation)
        })
    )
}
