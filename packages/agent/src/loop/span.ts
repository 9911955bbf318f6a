/**
 * A span that says what kind of error it ended with, and not its words: those
 * quote arguments, results and what a model said, and exporters record them.
 */
import { isTraced, withFiber } from "@wield/core/Fibers"
import { setAttribute } from "@wield/core/Traces"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type * as Tracer from "effect/Tracer"

export type Attributes = { readonly [name: string]: unknown }

/**
 * An effect with a span of its own, which is not yet the parent of anything.
 * `known` is what the span begins with, `learned` what it is to have as well in
 * the end. Without a tracer there is no span.
 */
export const withSpan = <A, E>(
  name: string,
  kind: Tracer.SpanKind,
  known: () => Attributes,
  effect: (span: Tracer.Span | undefined) => Effect.Effect<A, E>,
  learned: () => Attributes = () => ({})
): Effect.Effect<A, E> =>
  withFiber((fiber) => {
    if (!isTraced(fiber)) return effect(undefined)
    return Effect.acquireUseRelease(
      Effect.makeSpan(name, { kind, attributes: known(), captureStackTrace: false }),
      effect,
      (span, exit) =>
        Effect.map(Clock.currentTimeNanos, (now) => {
          for (const [key, value] of Object.entries(learned())) setAttribute(span, key, value)
          const failed = Exit.isFailure(exit) ? errorType(exit.cause) : undefined
          if (failed !== undefined) span.attribute("error.type", failed)
          span.end(now, withoutWords(exit))
        })
    )
  })

/** An effect with a span around it, if there is one. */
export const within = <A, E, R>(effect: Effect.Effect<A, E, R>, span: Tracer.Span | undefined) =>
  span === undefined ? effect : (Effect.withParentSpan(effect, span) as Effect.Effect<A, E, R>)

const withoutWords = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<void, SpanEnded> =>
  Exit.match(exit, {
    onSuccess: () => Exit.void,
    onFailure: (cause) => {
      const error = errorType(cause)
      return error === undefined
        ? Exit.interrupt(Option.getOrElse(Cause.interruptOption(cause), () => FiberId.none))
        : Exit.fail(new SpanEnded({ error }))
    }
  })

/** `error.type` of what failed; none where it was interrupted. `_OTHER` is the conventions' word for what has no name. */
export const errorType = (cause: Cause.Cause<unknown>): string | undefined => {
  if (Cause.isInterruptedOnly(cause)) return undefined
  return Option.match(Cause.failureOption(cause), {
    onNone: () => "_OTHER",
    onSome: (error) => (Predicate.hasProperty(error, "_tag") && typeof error._tag === "string" ? error._tag : "_OTHER")
  })
}

/** The tag of an error, which is the name of its type. */
export const tagOf = (error: unknown): string =>
  Predicate.hasProperty(error, "_tag") && typeof error._tag === "string" ? error._tag : "an error without a tag"

/** What a span says of a run or a turn that failed. */
class SpanEnded extends Data.TaggedError("SpanEnded")<{ readonly error: string }> {
  override get message(): string {
    return `It ended with ${this.error}`
  }
}
