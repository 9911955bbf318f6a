/** An ordinary function, which may be asynchronous, as what a dynamic tool does. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { CallContext, type Values } from "./CallContext.js"
import * as CurrentCall from "./CurrentCall.js"
import { contextOf, runnerOf, withFiber } from "./Fibers.js"
import { type Direct, mark, startDirect } from "./internal/direct.js"
import type { Json } from "./Json.js"
import { NeedsInput } from "./NeedsInput.js"
import { aFunction, orThrow } from "./Options.js"

/**
 * What a function learns about its call.
 *
 * @category models
 */
export interface Call {
  readonly id: string
  /** The same for each attempt, also after a restart: give it to services that take an idempotency key. */
  readonly idempotencyKey: string
  /** 1 for the first attempt, 2 for the first retry. */
  readonly attempt: number
  /** Aborts when the call times out, or when its run is aborted. */
  readonly signal: AbortSignal
  readonly context: Values
  /** What the function has asked with a `NeedsInput`, and the reply, where the call goes on with one. */
  readonly input: CurrentCall.Call["input"]
  /** Reports how far the call has come, as an event of the run. Resolves when the reader has taken it. */
  readonly progress: (value: unknown) => Promise<void>
}

/**
 * Of a thrown value, what the model reads; `undefined` for an internal error,
 * of which it reads a reference and no text.
 *
 * @category models
 */
export type FailureOf = (thrown: unknown) => Json | undefined

/**
 * Of a value that the function gives, what the call comes to.
 *
 * @category models
 */
export type ExitOf = (value: unknown) => Exit.Exit<unknown, unknown>

/**
 * A function as the `execute` of a dynamic tool. A `NeedsInput` that it returns
 * or throws asks a user: the call waits for a reply.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Handler, ToolCall, ToolRunner, Toolset } from "@wield/core"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const toolset = yield* Toolset.dynamic([{ name: "now", execute: Handler.fromFunction(async () => "noon") }])
 *   const runner = yield* ToolRunner.make(toolset)
 *   return yield* runner.run(ToolCall.make("call_1", "now", {}))
 * })
 * Effect.runPromise(program).then((outcome) => {
 *   assert.strictEqual(outcome._tag === "Success" && outcome.encoded, "noon")
 * })
 * ```
 *
 * @category constructors
 */
export const fromFunction = <Parameters>(
  execute: (parameters: Parameters, call: Call) => unknown,
  failureOf: FailureOf = () => undefined,
  exitOf: ExitOf = Exit.succeed
): ((parameters: Parameters) => Effect.Effect<unknown, unknown>) => {
  orThrow(aFunction(execute), "What `Handler.fromFunction` takes")
  const direct: Direct = {
    // Validated by the schema that types them.
    execute: execute as Direct["execute"],
    ended: (value) => (NeedsInput.is(value) ? Exit.fail(value) : exitOf(value)),
    threw: (thrown) => {
      const failure = NeedsInput.is(thrown) ? thrown : failureOf(thrown)
      return failure === undefined ? Exit.die(thrown) : Exit.fail(failure)
    }
  }
  return mark(direct, (parameters) =>
    withFiber((fiber) =>
      Effect.async((resume) => {
        const surroundings = {
          current: Context.get(contextOf(fiber), CurrentCall.CurrentCall),
          values: Context.get(contextOf(fiber), CallContext),
          run: runnerOf(fiber)
        }
        return Effect.sync(startDirect(direct, parameters, surroundings, resume))
      })
    )
  )
}
