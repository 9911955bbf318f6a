/** The span of a request, which says what kind of error it ended with: its words quote arguments and what the API answered. */
import { isTraced } from "@wield/core/Traces"
import { withFiber } from "@wield/core/Fibers"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { ExecutorError } from "../ExecutorError.js"

export const withSpan = <A>(
  effect: Effect.Effect<A, ExecutorError>,
  name: string,
  attributes: { readonly [name: string]: string }
): Effect.Effect<A, ExecutorError> =>
  withFiber((fiber) =>
    isTraced(fiber)
      ? Effect.acquireUseRelease(
          Effect.makeSpan(name, { attributes, captureStackTrace: false }),
          (span) => Effect.withParentSpan(effect, span),
          (span, exit) =>
            Effect.map(Clock.currentTimeNanos, (now) => {
              const error = Exit.isFailure(exit) ? errorType(exit.cause) : undefined
              if (error !== undefined) span.attribute("error.type", error)
              span.end(now, error === undefined ? Exit.asVoid(exit) : Exit.fail(new RequestEnded({ error })))
            })
        )
      : effect
  )

/** None where it was interrupted. */
const errorType = (cause: Cause.Cause<ExecutorError>): string | undefined =>
  Cause.isInterruptedOnly(cause)
    ? undefined
    : Option.match(Cause.failureOption(cause), { onNone: () => "_OTHER", onSome: ({ _tag }) => _tag })

class RequestEnded extends Data.TaggedError("RequestEnded")<{ readonly error: string }> {
  override get message(): string {
    return `It ended with ${this.error}`
  }
}
