/** Effects of Effect 3 in Effect 4, and streams of either in the other. What is there at once costs no asynchronous step. */
import {
  Chunk as Chunk3,
  Effect as Effect3,
  FiberId as FiberId3,
  Option as Option3,
  Runtime as Runtime3,
  Scheduler as Scheduler3,
  Scope as Scope3,
  Stream as Stream3
} from "@wield/effect3"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Scheduler from "effect/Scheduler"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { fromExit3, toExit3 } from "./exits.js"
import { into3 } from "./into3.js"
import { runtimeOf } from "./runtime.js"

/** An effect of Effect 3, Wield's own: clock, tracer, loggers and services are those of the fiber that runs it. */
export const into4 = <A, E>(effect: Effect3.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.withFiber<A, E>(({ context }) => {
    // What `Effect.runSync` runs cannot wait for another turn: what would, where it takes long, does not there.
    const isSync = Context.get(context, Scheduler.Scheduler).executionMode === "sync"
    const scheduler = isSync ? new Scheduler3.SyncScheduler() : undefined
    const fiber = Runtime3.runFork(runtimeOf(context))(effect, scheduler && { scheduler })
    scheduler?.flush()
    const done = fiber.unsafePoll()
    if (done !== null) return fromExit3(done)
    return Effect.callback<A, E>((resume) => {
      fiber.addObserver((exit) => resume(fromExit3(exit)))
      return Effect.callback<void>((end) => {
        fiber.addObserver(() => end(Effect.void))
        fiber.unsafeInterruptAsFork(FiberId3.none)
      })
    })
  })

export const streamInto4 = <A, E>(stream: Stream3.Stream<A, E>): Stream.Stream<A, E> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const scope = yield* Effect.acquireRelease(into4(Scope3.make()), (scope, exit) =>
        into4(Scope3.close(scope, toExit3(exit)))
      )
      const pull = yield* into4(Scope3.extend(Stream3.toPull(stream), scope))
      const next = into4(pull).pipe(
        // A chunk that is pulled is not empty.
        Effect.map((chunk) => Chunk3.toReadonlyArray(chunk) as readonly [A, ...Array<A>]),
        Effect.catchCause((cause) =>
          Effect.failCause(Cause.map(cause, (ended) => (Option3.isSome(ended) ? ended.value : Cause.Done())))
        )
      )
      return Stream.fromPull(Effect.succeed(next))
    })
  )

export const streamInto3 = <A, E, R>(stream: Stream.Stream<A, E, R>): Stream3.Stream<A, E> =>
  Stream3.fromPull(
    Effect3.gen(function* () {
      const scope = yield* Effect3.acquireRelease(into3(Scope.make()), (scope, exit) =>
        into3(Scope.close(scope, fromExit3(exit)))
      )
      const pull = yield* into3(Effect.provideService(Stream.toPull(stream), Scope.Scope, scope))
      return into3(
        Effect.catchCause(pull, (cause) =>
          Effect.failCause(
            // What is not the end is of the stream itself.
            Cause.map(cause, (error) => (Cause.isDone(error) ? Option3.none<E>() : Option3.some(error as E)))
          )
        )
      ).pipe(Effect3.map(Chunk3.unsafeFromArray))
    })
  )
