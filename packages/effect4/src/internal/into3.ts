/** Effects of Effect 4 in Effect 3. What is there at once costs no asynchronous step. */
import { Context as Context3, Effect as Effect3, type Exit as Exit3 } from "@wield/effect3"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import { identity } from "effect/Function"
import * as Tracer from "effect/Tracer"
import { toExit3 } from "./exits.js"
import { Kept } from "./kept.js"
import { Services, spanIn } from "./services.js"

/** An effect of Effect 4, in the context of the fiber of 4 that Wield was called in. */
export const into3 = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect3.Effect<A, E> => into3With(() => effect)

/** A handler: what it keeps (`CurrentCall.uninterruptible`) is its end, though it was interrupted after. */
export const handlerInto3 = <A, E, R>(
  make: () => Effect.Effect<A, E, R>,
  add: (services: Context.Context<never>, context: Context3.Context<never>) => Context.Context<never>
): Effect3.Effect<A, E> =>
  // The runner looks into an effect that begins so: its end is recorded before an interruption is.
  Effect3.uninterruptible(
    start(
      Effect3.interruptible,
      () => {
        const kept: Kept = { exit: undefined }
        const handled = Effect.provideService(Effect.interruptible(Effect.suspend(() => effectOf(make()))), Kept, kept)
        return Effect.flatMap(Effect.exit(handled), (exit): Exit.Exit<A, E> =>
          // It is of the handler, or of its last part.
          kept.exit !== undefined && Exit.hasInterrupts(exit) ? (kept.exit as Exit.Exit<A, E>) : exit
        )
      },
      add,
      uninterruptible
    )
  )

/** Plain JavaScript can give anything. */
const effectOf = <A, E, R>(given: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.isEffect(given)
    ? given
    : Effect.die(
        new TypeError("A handler gives an effect: put a promise into Effect.promise, a value into Effect.succeed")
      )

/** The fiber as a whole cannot be interrupted, or it would lose its end where it ends. */
const uninterruptible = { uninterruptible: true } as const

/**
 * The same for an effect that is made when it is run, with what it adds to the
 * services. Interruption waits for its finalizers; what it comes to all the
 * same, because it could not be interrupted, is what it came to.
 */
export const into3With = <A, E, R>(
  make: (context: Context3.Context<never>) => Effect.Effect<A, E, R>,
  add: (services: Context.Context<never>, context: Context3.Context<never>) => Context.Context<never> = identity
): Effect3.Effect<A, E> => Effect3.uninterruptibleMask((restore) => start(restore, make, add))

type Restore = <A, E>(effect: Effect3.Effect<A, E>) => Effect3.Effect<A, E>

const start = <A, E, R>(
  restore: Restore,
  make: (context: Context3.Context<never>) => Effect.Effect<A, E, R>,
  add: (services: Context.Context<never>, context: Context3.Context<never>) => Context.Context<never>,
  options?: { readonly uninterruptible: boolean }
): Effect3.Effect<A, E> =>
  Effect3.withFiberRuntime<A, E>(({ currentContext }) => {
    const given = Context3.get(currentContext, Services)
    const span = spanIn(currentContext)
    const services = add(span === undefined ? given : Context.add(given, Tracer.ParentSpan, span), currentContext)
    // What the effect requires is in the type of the toolset, hence of whatever calls the runner.
    const fiber = Effect.runForkWith(services as Context.Context<R>)(make(currentContext), options)
    const done = fiber.pollUnsafe()
    return done === undefined ? endOf(fiber, restore) : toExit3(done)
  })

const endOf = <A, E>(fiber: Fiber.Fiber<A, E>, restore: Restore): Effect3.Effect<A, E> => {
  const end = Effect3.async<Exit3.Exit<A, E>>((resume) => {
    const remove = fiber.addObserver((exit) => resume(Effect3.succeed(toExit3(exit))))
    return Effect3.sync(remove)
  })
  return Effect3.matchCauseEffect(restore(end), {
    onSuccess: identity,
    // `end` cannot fail: it was interrupted.
    onFailure: () =>
      Effect3.suspend(() => {
        fiber.interruptUnsafe()
        return Effect3.flatten(end)
      })
  })
}
