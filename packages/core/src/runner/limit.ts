/** Stage `limit`: answers from the cache, or refuses by rate or quota. `handle` holds the handler to the other limits. */
import { Limited, type Outcome, Success } from "../Outcome.js"
import { unsafeMonotonic } from "../Time.js"
import type { Execution, Step } from "./execution.js"
import type { Limiter } from "./machine.js"
import { countCall } from "./quota.js"

export const limit = (execution: Execution): Step => {
  // A call that goes on has been counted, and its result is of the reply, too.
  if (execution.asked !== undefined) return undefined
  // So has one that was attempted or begun before, or that a client has carried out: it is not refused, and has a result
  // of its own.
  if (execution.run.isCounted || execution.wasBegun || execution.entry.handler === undefined) return keepAs(execution)
  return limitCall(execution)
}

/** What ends a call by its limits, or its result that was kept. */
export const limitCall = (execution: Execution): Step =>
  limitTool(execution) ?? (execution.machine.policy.quotas === undefined ? undefined : countCall(execution))

const limitTool = (execution: Execution): Outcome | undefined => {
  const limiter = execution.machine.limiterFor(execution.entry)
  if (limiter === undefined || (limiter.cache === undefined && limiter.rate === undefined)) return undefined
  const now = unsafeMonotonic(execution.clock)
  const cached = fromCache(execution, now)
  if (cached !== undefined) {
    execution.notes.push({ _tag: "Cached" })
    const { content, encoded, result, text } = cached
    return new Success({ call: execution.call, notes: execution.notes, result, encoded, text, content })
  }
  return refuse(execution, limiter.rate, now)
}

const fromCache = (execution: Execution, now: number): Success | undefined => {
  keepAs(execution)
  const { cacheAs } = execution
  const cached = cacheAs?.cache.get(cacheAs.key, now)
  if (cached !== undefined) execution.cacheAs = undefined
  return cached
}

/** The handler may change what it is given, so the key is not made after it. */
const keepAs = (execution: Execution): undefined => {
  const { arguments: sent, entry, machine, parameters, values } = execution
  const cache = machine.limiterFor(entry)?.cache
  // What a client has carried out may have arguments that its tool does not take by now.
  if (cache !== undefined && parameters !== undefined)
    execution.cacheAs = { cache, key: cache.keyOf(parameters, sent, values) }
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
