/**
 * Stage `limit`: what the policy sets around the handler. `limit` answers from
 * the cache or refuses by rate; `constrained` holds the handler to its
 * concurrency, timeout and retries.
 */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { CallLost } from "../CallLost.js"
import { NeedsInput } from "../NeedsInput.js"
import { Limited, type Outcome, Success } from "../Outcome.js"
import { unsafeMonotonic } from "../Time.js"
import type { Execution, Step } from "./execution.js"
import type { Limiter } from "./machine.js"
import type { ResultCache } from "./resultCache.js"
import { mayRunAgain } from "./uncertain.js"

export const limit = (execution: Execution): Step => {
  // A call that goes on has been counted, and its result is of the reply, too.
  if (execution.asked !== undefined) return undefined
  const limiter = execution.machine.limiterFor(execution.entry)
  if (limiter === undefined || (limiter.cache === undefined && limiter.rate === undefined)) return undefined
  const now = unsafeMonotonic(execution.clock)
  const cached = fromCache(execution, limiter.cache, now)
  if (cached !== undefined) {
    execution.notes.push({ _tag: "Cached" })
    const { content, encoded, result, text } = cached
    return new Success({ call: execution.call, notes: execution.notes, result, encoded, text, content })
  }
  return refuse(execution, limiter.rate, now)
}

const fromCache = (execution: Execution, cache: ResultCache | undefined, now: number): Success | undefined => {
  if (cache === undefined) return undefined
  const { arguments: sent, parameters, values } = execution
  const key = cache.keyOf(parameters, sent, values)
  const cached = cache.get(key, now)
  // The handler may change what it is given, so the key is not made again after it.
  if (cached === undefined) execution.cacheAs = { cache, key }
  return cached
}

/** Keeps a success that the handler has just made, so that an equal call need not run. */
export const keep = (execution: Execution, outcome: Outcome): void => {
  if (outcome._tag !== "Success" || execution.cacheAs === undefined) return
  const { cache, key } = execution.cacheAs
  cache.set(key, outcome, unsafeMonotonic(execution.clock))
}

const refuse = (execution: Execution, rate: Limiter["rate"], now: number): Limited | undefined => {
  if (rate === undefined) return undefined
  const { begun, calls, window } = rate
  while (begun[0] !== undefined && begun[0] <= now - window) begun.shift()
  if (begun.length < calls) {
    begun.push(now)
    return undefined
  }
  // None at all where no call may begin.
  const oldest = begun[0] ?? now
  return new Limited({
    call: execution.call,
    notes: execution.notes,
    limit: `${calls} ${calls === 1 ? "call" : "calls"} per ${window} ms`,
    retryAfter: Math.ceil(oldest + window - now)
  })
}

/**
 * The handler's exit under the limits, or `undefined` when it took too long.
 * Waiting for a permit does not count: the timeout is the handler's own.
 */
export const constrain = (
  execution: Execution,
  { permits, retry, timeout }: Limiter,
  attempt: Effect.Effect<unknown, unknown>
): Effect.Effect<Exit.Exit<unknown, unknown> | undefined> => {
  const isRepeatable = (error: unknown) =>
    !(error instanceof NeedsInput) && (!(error instanceof CallLost) || mayRunAgain(execution))
  const attempts = Effect.exit(
    retry === undefined ? attempt : Effect.retry(attempt, { schedule: retry, while: isRepeatable })
  )
  const timed: Effect.Effect<Exit.Exit<unknown, unknown> | undefined> =
    timeout === undefined ? attempts : within(timeout, attempts)
  return permits === undefined ? timed : permits.withPermits(1)(timed)
}

/**
 * An effect, or `undefined` after so many milliseconds. When its time is over
 * nothing waits for it any more: finalizers that hang must not hold up the outcome.
 * An interruption waits for them, as it does for every effect.
 */
const within = <A>(timeout: number, effect: Effect.Effect<A>): Effect.Effect<A | undefined> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDaemon(restore(effect)), (fiber) =>
      restore(Effect.timeoutOption(Fiber.join(fiber), timeout)).pipe(
        Effect.onInterrupt(() => Fiber.interrupt(fiber)),
        Effect.flatMap(
          Option.match({
            onNone: () => Effect.as(Fiber.interruptFork(fiber), undefined),
            onSome: Effect.succeed
          })
        )
      )
    )
  )
