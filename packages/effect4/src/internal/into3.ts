/** Effects of Effect 4 in Effect 3. What is there at once costs no asynchronous step. */
import { Context as Context3, Effect as Effect3, type Exit as Exit3 } from "@wield/effect3"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import { identity } from "effect/Function"
import * as Tracer from "effect/Tracer"
import { toExit3 } from "./exits.js"
import { Services, spanIn } from "./services.js"

/** An effect of Effect 4, in the context of the fiber of 4 that Wield was called in. */
export const into3 = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect3.Effect<A, E> => into3With(() => effect)

/**
 * The same for an effect that is made when it is run, with what it adds to the
 * services. Interruption waits for its finalizers; what it comes to all the
 * same, because it could not be interrupted, is what it came to.
 */
export const into3With = <A, E, R>(
  make: (context: Context3.Context<never>) => Effect.Effect<A, E, R>,
  add: (services: Context.Context<never>, context: Context3.Context<never>) => Context.Context<never> = identity
): Effect3.Effect<A, E> =>
  // The runner looks into an effect that begins so: its end is recorded before an interruption is.
  Effect3.uninterruptibleMask((restore) =>
    Effect3.withFiberRuntime<A, E>(({ currentContext }) => {
      const given = Context3.get(currentContext, Services)
      const span = spanIn(currentContext)
      const services = add(span === undefined ? given : Context.add(given, Tracer.ParentSpan, span), currentContext)
      // What the effect requires is in the type of the toolset, hence of whatever calls the runner.
      const fiber = Effect.runForkWith(services as Context.Context<R>)(make(currentContext))
      const done = fiber.pollUnsafe()
      return done === undefined ? restoreOf(fiber, restore) : toExit3(done)
    })
  )

const restoreOf = <A, E>(
  fiber: Fiber.Fiber<A, E>,
  restore: <A2, E2>(effect: Effect3.Effect<A2, E2>) => Effect3.Effect<A2, E2>
): Effect3.Effect<A, E> => {
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
