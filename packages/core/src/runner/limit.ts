/** Stage `limit`: answers from the cache, or refuses by rate or quota. `handle` holds the handler to the other limits. */
import { Limited, type Outcome, Success } from "../Outcome.js"
import { unsafeMonotonic } from "../Time.js"
import type { Execution, Step } from "./execution.js"
import type { Limiter } from "./machine.js"
import { countCall } from "./quota.js"
import type { ResultCache } from "./resultCache.js"

export const limit = (execution: Execution): Step => {
  // A call that goes on has been counted, and its result is of the reply, too.
  if (execution.asked !== undefined) return undefined
  const refused = limitTool(execution)
  return refused ?? (execution.machine.policy.quotas === undefined ? undefined : countCall(execution))
}

const limitTool = (execution: Execution): Outcome | undefined => {
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
export const keep = (execution: Execution, outcome: Outcome): Outcome => {
  if (outcome._tag !== "Success" || execution.cacheAs === undefined) return outcome
  const { cache, key } = execution.cacheAs
  cache.set(key, outcome, unsafeMonotonic(execution.clock))
  return outcome
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
