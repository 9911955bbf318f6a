/** An ordinary function behind a handler: who finds it can call it without a fiber. */
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { RuntimeFiber } from "effect/Fiber"
import * as Runtime from "effect/Runtime"
import type { Values } from "../CallContext.js"
import type * as CurrentCall from "../CurrentCall.js"
import type { Call } from "../Handler.js"

export interface Direct {
  readonly execute: (parameters: unknown, call: Call) => unknown
  readonly ended: (value: unknown) => Exit.Exit<unknown, unknown>
  readonly threw: (thrown: unknown) => Exit.Exit<unknown, unknown>
}

type Handler = (parameters: never) => Effect.Effect<unknown, unknown>

const functions = new WeakMap<Handler, Direct>()

export const mark = <H extends Handler>(direct: Direct, handler: H): H => {
  functions.set(handler, direct)
  return handler
}

export const directOf = (handler: Handler): Direct | undefined => functions.get(handler)

/** What a call is told of itself, and what runs the effects that it leads to. */
export interface Surroundings {
  readonly current: CurrentCall.Call
  readonly values: Values
  readonly run: <A>(effect: Effect.Effect<A>) => Promise<A>
}

/**
 * Calls the function; `ended` hears how it ended, at once where it gives no promise. Gives what aborts its signal: what
 * it comes to after that is not heard.
 */
export const startDirect = (
  { ended, execute, threw }: Direct,
  parameters: unknown,
  { current, run, values }: Surroundings,
  hear: (exit: Exit.Exit<unknown, unknown>) => void
): (() => void) => {
  let isOver = false
  let isAborted = false
  let controller: AbortController | undefined
  const end = (exitOf: (value: unknown) => Exit.Exit<unknown, unknown>, value: unknown) => {
    if (isOver) return
    isOver = true
    let exit: Exit.Exit<unknown, unknown>
    try {
      exit = exitOf(value)
    } catch (defect) {
      exit = Exit.die(defect)
    }
    hear(exit)
  }
  // An object of its own, whose parts a function may spread.
  const call: Call = {
    id: current.id,
    attempt: current.attempt,
    context: values,
    input: current.input,
    progress: (value) => run(current.progress(value)),
    get idempotencyKey() {
      return current.idempotencyKey
    },
    // A signal takes longer to make than the rest of a call.
    get signal() {
      if (controller === undefined) {
        controller = new AbortController()
        if (isAborted) controller.abort()
      }
      return controller.signal
    }
  }
  try {
    const value = execute(parameters, call)
    if (isPromiseLike(value)) {
      Promise.resolve(value).then(
        (result) => end(ended, result),
        (thrown: unknown) => end(threw, thrown)
      )
    } else end(ended, value)
  } catch (thrown) {
    end(threw, thrown)
  }
  return () => {
    isOver = true
    isAborted = true
    controller?.abort()
  }
}

const isPromiseLike = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"

/** Runs effects with what a fiber has, after it has gone on. */
export const runnerOf = (fiber: RuntimeFiber<unknown, unknown>): Surroundings["run"] => {
  const { currentContext: context } = fiber
  return (effect) =>
    Runtime.runPromise(
      Runtime.make({ context, fiberRefs: fiber.getFiberRefs(), runtimeFlags: Runtime.defaultRuntimeFlags })
    )(effect)
}
