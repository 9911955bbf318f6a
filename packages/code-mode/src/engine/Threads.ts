/** Threads of one kind: each is used by one program at a time, and a few are kept for the next. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type Name, Thread } from "./Thread.js"

export interface Threads {
  /** A thread that is ready, until the scope closes. */
  readonly take: Effect.Effect<Thread, never, Scope.Scope>
}

/** So many are kept. */
const most = 2

export const makeThreads = (name: Name): Effect.Effect<Threads, never, Scope.Scope> =>
  Effect.gen(function* () {
    const idle: Array<Thread> = []
    let isClosed = false
    yield* Effect.addFinalizer(() => {
      isClosed = true
      return Effect.forEach(idle.splice(0), (thread) => thread.end, { discard: true })
    })
    const take = Effect.suspend(() => {
      const kept = idle.pop()
      if (kept?.isAlive === true) {
        kept.enter()
        return Effect.succeed(kept)
      }
      const thread = new Thread(name)
      return Effect.as(thread.ready, thread)
    })
    const giveBack = (thread: Thread) =>
      Effect.suspend(() => {
        if (!thread.isAlive) return Effect.void
        // One that is busy belongs to a program that was interrupted.
        if (thread.isBusy || isClosed || idle.length >= most) return thread.end
        thread.leave()
        idle.push(thread)
        return Effect.void
      })
    return { take: Effect.acquireRelease(Effect.interruptible(take), giveBack) }
  })
