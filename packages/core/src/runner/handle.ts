/**
 * Stage `handle`: the handler, with `CurrentCall` in its context. A handler that
 * has already completed when it returns costs no fiber operation.
 */
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import { CallContext } from "../CallContext.js"
import { CallLost } from "../CallLost.js"
import { type Call, CurrentCall, unheard } from "../CurrentCall.js"
import { inContext, liveClock, onUninterruptibleEnd, runnerOf, together } from "../Fibers.js"
import { directOf, startDirect } from "../internal/direct.js"
import { NeedsInput } from "../NeedsInput.js"
import { convertStep } from "./decode.js"
import type { Execution, Step } from "./execution.js"
import type { Limiter } from "./machine.js"
import { gateOf } from "./quota.js"
import { invalidResult, mayRunAgain } from "./uncertain.js"

export const handle = (execution: Execution): Step => {
  const { tellBegun } = execution
  if (tellBegun === undefined) return begun(execution)
  execution.tellBegun = undefined
  const heard = tellBegun()
  return heard === undefined
    ? begun(execution)
    : Effect.flatMap(execution.interruptible(heard), () => {
        const step = begun(execution)
        return Effect.isEffect(step) ? step : Effect.succeed(step)
      })
}

const begun = (execution: Execution): Step => {
  const { entry } = execution
  const { handler } = entry
  if (handler === undefined) return fromAnswer(execution)
  const start = startOf(execution)
  if (start !== undefined) {
    const ended = Effect.async<undefined>((resume) => Effect.sync(start(() => resume(Exit.succeed(undefined)))))
    return execution.interruptible(ended)
  }
  const gate = gateOf(execution)
  const limiter = execution.machine.limiterFor(entry) ?? unlimited
  // What a handler does before it returns its effect waits for the permit, too.
  let first = limiter.permits === undefined && gate === undefined ? invoke(execution, handler) : undefined
  if (first !== undefined && Exit.isExit(first) && (Exit.isSuccess(first) || limiter.retry === undefined)) {
    execution.exit = first
    return undefined
  }
  if (first !== undefined && limiter === unlimited) {
    return withServices(
      execution,
      first,
      (effect) => execution.restore(effect),
      (exit) => {
        // What it came to holds, though it was interrupted where it ended.
        execution.exit ??= exit
        return undefined
      }
    )
  }
  const attempt = (restore: Execution["restore"]) => {
    const effect = first ?? invoke(execution, handler)
    first = undefined
    return Effect.flatten(withServices(execution, effect, restore, identity))
  }
  const ended = execution.interruptible(
    (gate ?? identity)(constrain(execution, limiter, Effect.uninterruptibleMask(attempt)))
  )
  return Effect.map(ended, (exit) => {
    if (exit === undefined) execution.timedOutAfter = limiter.timeout ?? 0
    if (execution.attempt > 1) execution.notes.push({ _tag: "Retried", attempts: execution.attempt })
    // As above.
    execution.exit ??= exit
    return undefined
  })
}

const unlimited: Limiter = {
  timeout: undefined,
  retry: undefined,
  permits: undefined,
  rate: undefined,
  cache: undefined
}

type Handler = (parameters: unknown) => Effect.Effect<unknown, unknown>

/** Begins a handler, and says when it has ended; gives what ends it before. */
export type Start = (ended: () => void) => () => void

/** What a timer takes. A longer time never comes. */
const longestTimer = 2 ** 31 - 1

/** How to begin a handler that is an ordinary function, without a fiber; `undefined` where it takes one. */
export const startOf = (execution: Execution): Start | undefined => {
  const { clock, entry, machine } = execution
  const direct = entry.handler === undefined ? undefined : directOf(entry.handler)
  // A clock that can be set is asked by an effect.
  if (direct === undefined || clock !== liveClock) return undefined
  const limiter = machine.limiterFor(entry)
  if (limiter?.permits !== undefined || limiter?.retry !== undefined || gateOf(execution) !== undefined) {
    return undefined
  }
  const timeout = limiter?.timeout
  return (ended) => {
    execution.attempt++
    let timer: ReturnType<typeof setTimeout> | undefined
    const surroundings = {
      current: new HandledCall(execution),
      values: execution.values,
      run: runnerOf(execution.fiber)
    }
    const cancel = startDirect(direct, execution.parameters, surroundings, (exit) => {
      clearTimeout(timer)
      execution.exit ??= exit
      ended()
    })
    if (timeout !== undefined && timeout <= longestTimer && execution.exit === undefined) {
      timer = setTimeout(() => {
        execution.timedOutAfter = timeout
        cancel()
        ended()
      }, timeout)
    }
    return () => {
      clearTimeout(timer)
      cancel()
    }
  }
}

/** A handler that throws before it returns an effect has died. */
const invoke = (execution: Execution, handler: Handler): Effect.Effect<unknown, unknown> => {
  execution.attempt++
  try {
    const effect = handler(execution.parameters)
    return Effect.isEffect(effect) ? effect : Effect.die(new TypeError("The handler did not return an Effect"))
  } catch (defect) {
    return Effect.die(defect)
  }
}

/**
 * What the handler ends with. It sees the services of its Layer, over them those of the request, and the call it
 * handles. Nothing but the handler can be interrupted.
 */
const withServices = <A>(
  execution: Execution,
  effect: Effect.Effect<unknown, unknown>,
  restore: Execution["restore"],
  before: (exit: Exit.Exit<unknown, unknown>) => A
): Effect.Effect<A> =>
  inContext(
    (outer) => contextOf(execution, outer),
    () => Effect.exit(restore(onUninterruptibleEnd(effect, (exit) => keepEnd(execution, exit)))),
    (exit) => {
      keepEnd(execution, exit)
      return before(exit)
    }
  )

/** Before anything can be interrupted: what the handler came to holds, though nothing waits for it any more. */
const keepEnd = (execution: Execution, exit: Exit.Exit<unknown, unknown>): void => {
  const { entry, machine, outcome, timedOutAfter } = execution
  if (outcome !== undefined || timedOutAfter !== undefined) return
  // A failure that is followed by another try is no end.
  const isEnd = Exit.isSuccess(exit)
    ? true
    : !Cause.isInterrupted(exit.cause) && machine.limiterFor(entry)?.retry === undefined
  if (isEnd) execution.exit = exit
}

const contextOf = (execution: Execution, outer: Context.Context<never>): Context.Context<never> => {
  const services = new Map<string, unknown>([[CurrentCall.key, new HandledCall(execution)]])
  if (execution.run.values !== undefined) services.set(CallContext.key, execution.values)
  return together(execution.entry.context, outer, services)
}

/** A class, since an object that is made with a getter takes ten times as long to make. */
class HandledCall implements Call {
  readonly id: string
  readonly name: string
  readonly attempt: number
  readonly progress: Call["progress"]
  readonly #execution: Execution

  constructor(execution: Execution) {
    this.id = execution.call.id
    this.name = execution.name
    this.attempt = execution.attempt
    const { progress } = execution
    // What is said after its end belongs to no call.
    this.progress =
      progress === unheard ? unheard : (value) => (execution.outcome === undefined ? progress(value) : Effect.void)
    this.#execution = execution
  }

  get subject(): string | undefined {
    return this.#execution.subject
  }

  get input(): Call["input"] {
    const { answer, asked } = this.#execution
    return asked === undefined || answer?.response._tag !== "Reply"
      ? undefined
      : { ...asked.input, reply: answer.response.value }
  }

  get idempotencyKey(): string {
    return this.#execution.idempotencyKey
  }

  get run(): Call["run"] {
    return this.#execution.run.identity
  }
}

/** What a client answered stands in for a handler; it must fit the tool's schemas all the same. */
export const fromAnswer = (execution: Execution): Step => {
  const { entry } = execution
  const response = execution.answer?.response
  const isFailure = response?._tag === "Failure"
  const encoded = response?._tag === "Result" || response?._tag === "Failure" ? response.encoded : undefined
  return convertStep(
    isFailure ? entry.decodeFailure(encoded) : entry.decodeSuccess(encoded),
    (value) => {
      execution.exit = isFailure ? Exit.fail(value) : Exit.succeed(value)
    },
    (issues) => invalidResult(execution, issues)
  )
}

/**
 * The handler's exit under the limits, or `undefined` when it took too long.
 * Waiting for a permit does not count: the timeout is the handler's own.
 */
const constrain = (
  execution: Execution,
  { permits, retry, timeout }: Limiter,
  attempt: Effect.Effect<unknown, unknown>
): Effect.Effect<Exit.Exit<unknown, unknown> | undefined> => {
  const isRepeatable = (error: unknown) => !NeedsInput.is(error) && (!CallLost.is(error) || mayRunAgain(execution))
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
