/** An ordinary function behind a handler: who finds it can call it without a fiber. */
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
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

/** What a call knows of itself, and what runs the effects that it leads to. */
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
  surroundings: Surroundings,
  hear: (exit: Exit.Exit<unknown, unknown>) => void
): (() => void) => {
  let isOver = false
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
  const call = new FunctionCall(surroundings)
  try {
    const value = execute(parameters, call)
    if (Predicate.isPromiseLike(value)) {
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
    call.abort()
  }
}

/** What a function may never ask for is made when it does. */
class FunctionCall {
  readonly id: string
  readonly attempt: number
  readonly context: Values
  readonly input: Call["input"]
  readonly progress: Call["progress"]
  declare readonly idempotencyKey: string
  declare readonly signal: AbortSignal
  readonly #current: CurrentCall.Call
  #controller: AbortController | undefined
  #isAborted = false

  constructor({ current, run, values }: Surroundings) {
    this.id = current.id
    this.attempt = current.attempt
    this.context = values
    this.input = current.input
    this.progress = (value) => run(current.progress(value))
    this.#current = current
    // Its own, so that a copy has them (`{ ...call }`); an object with getters of its own would keep its call alive.
    Object.defineProperty(this, "idempotencyKey", FunctionCall.#key)
    Object.defineProperty(this, "signal", FunctionCall.#signal)
  }

  abort(): void {
    this.#isAborted = true
    this.#controller?.abort()
  }

  static readonly #key = {
    enumerable: true,
    get(this: FunctionCall) {
      return this.#current.idempotencyKey
    }
  }

  static readonly #signal = {
    enumerable: true,
    get(this: FunctionCall) {
      if (this.#controller === undefined) {
        this.#controller = new AbortController()
        if (this.#isAborted) this.#controller.abort()
      }
      return this.#controller.signal
    }
  }
}
