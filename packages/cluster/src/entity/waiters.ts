/**
 * Those who wait for a run. They learn of its end at once from this process, if it is at the run, otherwise from the
 * table: all runs are asked for together, ends often, others seldom.
 */
import { ofStore } from "@wield/core/Traces"
import * as Array from "effect/Array"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import type * as RunResult from "../RunResult.js"
import type { ClusterError, Key, RunNotFound } from "../runs/model.js"

interface Waiter {
  readonly key: Key
  readonly over: Deferred.Deferred<RunResult.AnyResult, ClusterError | RunNotFound>
  count: number
}

export type End = readonly [Key, Exit.Exit<RunResult.AnyResult, ClusterError | RunNotFound>]

type Find = (keys: ReadonlyArray<Key>) => Effect.Effect<ReadonlyArray<End>, unknown>

export const nameOf = ({ conversation, entity, id }: Key): string => JSON.stringify([entity, conversation, id])

/** How many runs a statement asks for. */
const batch = 500

export const makeWaiters = (findEnds: Find, findLost: Find, isOwn: (key: Key) => boolean) =>
  Effect.gen(function* () {
    const waiting = new Map<string, Waiter>()
    const some = Effect.unsafeMakeLatch(false)

    const end = (key: Key, exit: End[1]) =>
      Effect.suspend(() => {
        const waiter = waiting.get(nameOf(key))
        return waiter === undefined ? Effect.void : Deferred.done(waiter.over, exit)
      })

    const look = (
      find: Find,
      pause: { readonly before?: Duration.DurationInput; readonly after: Duration.DurationInput }
    ) =>
      some.await.pipe(
        Effect.zipRight(Effect.sleep(pause.before ?? 0)),
        Effect.zipRight(
          Effect.sync(() => {
            const keys = [...waiting.values()].map(({ key }) => key).filter((key) => !isOwn(key))
            return Array.chunksOf(keys, batch)
          })
        ),
        Effect.flatMap(Effect.forEach((keys) => ofStore(find(keys)))),
        Effect.flatMap((ends) => Effect.forEach(ends.flat(), ([key, exit]) => end(key, exit), { discard: true })),
        // The database may be back at the next look.
        Effect.catchAllCause((cause) => Effect.logDebug(cause)),
        Effect.zipRight(Effect.sleep(pause.after)),
        Effect.forever,
        Effect.forkScoped
      )
    yield* look(findEnds, { after: "100 millis" })
    // The messages of runs that are soon over need not be looked at.
    yield* look(findLost, { before: "1 second", after: "1 second" })

    const result = (key: Key) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          const name = nameOf(key)
          const waiter = waiting.get(name) ?? { key, over: Deferred.unsafeMake(FiberId.none), count: 0 }
          waiter.count++
          waiting.set(name, waiter)
          some.unsafeOpen()
          return waiter
        }),
        ({ over }) => Deferred.await(over),
        (waiter) =>
          Effect.sync(() => {
            if (--waiter.count === 0) waiting.delete(nameOf(key))
            if (waiting.size === 0) some.unsafeClose()
          })
      )
    return { result, end }
  })
