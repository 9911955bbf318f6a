/** Sending a request again, as long as nothing of its turn came. */
import type { TurnEvent } from "@wield/core"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import type { RetryOptions } from "../Model.js"
import { isPassing, type ModelError } from "../ModelError.js"

type Events = Stream.Stream<TurnEvent.TurnEvent, ModelError>

/** In milliseconds. */
interface Policy {
  readonly times: number
  readonly delay: number
  readonly maxRetryAfter: number
}

const maxDelay = 30_000

export const withRetries = (attempt: Events, options: RetryOptions | false | undefined): Events =>
  options === false
    ? attempt
    : tryFrom(0, attempt, {
        times: options?.times ?? 3,
        delay: Duration.toMillis(options?.delay ?? 500),
        maxRetryAfter: Duration.toMillis(options?.maxRetryAfter ?? 60_000)
      })

const tryFrom = (tried: number, attempt: Events, policy: Policy): Events =>
  Stream.suspend(() => {
    let hasBegun = false
    return attempt.pipe(
      Stream.mapChunks((events) => {
        hasBegun ||= events.length > 0
        return events
      }),
      Stream.catchAll((error) => {
        const wait = hasBegun || tried >= policy.times ? undefined : waitFor(error, tried, policy)
        return wait === undefined
          ? Stream.fail(error)
          : Stream.unwrap(Effect.as(Effect.flatMap(wait, Effect.sleep), tryFrom(tried + 1, attempt, policy)))
      })
    )
  })

/** Milliseconds; `undefined` for an error that a further try would not mend. */
const waitFor = (error: ModelError, tried: number, policy: Policy): Effect.Effect<number> | undefined => {
  // A response that has come is for the loop, which knows what was taken of it.
  const hasCome = error._tag === "WireError" || (error._tag === "ModelTimedOut" && error.waitedFor === "piece")
  if (hasCome || !isPassing(error)) return undefined
  const retryAfter = "retryAfter" in error ? error.retryAfter : undefined
  if (retryAfter === undefined) return backoff(tried, policy)
  return retryAfter > policy.maxRetryAfter ? undefined : Effect.succeed(retryAfter)
}

/** Milliseconds before the next try, doubled each time. A quarter is chance: those who failed together do not come back together. */
const backoff = (tried: number, { delay }: Policy): Effect.Effect<number> =>
  Effect.map(Random.next, (random) => Math.min(delay * 2 ** tried, maxDelay) * (0.75 + random / 2))
