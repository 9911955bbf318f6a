/**
 * A span that says what kind of error it ended with, and not its words: those
 * quote arguments, results and what a model said, and exporters record them.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as FiberRef from "effect/FiberRef"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Tracer from "effect/Tracer"

type Attributes = { readonly [name: string]: unknown }

/** `learned` is what the span is to have as well where the effect succeeds. Without a tracer there is no span. */
export const withSpan = <A, E>(
  effect: Effect.Effect<A, E>,
  name: string,
  options: Tracer.SpanOptions,
  learned: () => Attributes = () => ({})
): Effect.Effect<A, E> =>
  Effect.withFiberRuntime((fiber) => {
    if (fiber.currentTracer === unheard || !fiber.getFiberRef(FiberRef.currentTracerEnabled)) return effect
    return Effect.acquireUseRelease(
      Effect.makeSpan(name, options),
      (span) =>
        Effect.tap(Effect.withParentSpan(effect, span), () => {
          for (const [key, value] of Object.entries(learned())) span.attribute(key, value)
        }),
      (span, exit) => Effect.map(Clock.currentTimeNanos, (now) => span.end(now, withoutWords(exit)))
    )
  })

/** Effect always has a tracer; the one it starts with records nothing. */
const unheard = Context.get(DefaultServices.liveServices, Tracer.Tracer)

const withoutWords = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<void, Ended> =>
  Exit.match(exit, {
    onSuccess: () => Exit.void,
    onFailure: (cause) =>
      Cause.isInterruptedOnly(cause)
        ? Exit.interrupt(Option.getOrElse(Cause.interruptOption(cause), () => FiberId.none))
        : Exit.fail(new Ended({ error: kindOf(cause) }))
  })

const kindOf = (cause: Cause.Cause<unknown>): string =>
  Option.match(Cause.failureOption(cause), { onNone: () => "a defect", onSome: tagOf })

/** The tag of an error, which is the name of its type. */
export const tagOf = (error: unknown): string =>
  Predicate.hasProperty(error, "_tag") && typeof error._tag === "string" ? error._tag : "an error without a tag"

/** What a span says of a run or a turn that failed. */
class Ended extends Data.TaggedError("Ended")<{ readonly error: string }> {
  override get message(): string {
    return `It ended with ${this.error}`
  }
}
