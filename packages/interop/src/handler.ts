/** An ordinary function, which may be asynchronous, as what a dynamic tool does. */
import type { Json } from "@wield/core"
import * as CallContext from "@wield/core/CallContext"
import * as CurrentCall from "@wield/core/CurrentCall"
import { NeedsInput } from "@wield/core/NeedsInput"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"

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
  readonly context: CallContext.Values
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
export type FailureOf = (thrown: unknown) => Json.Json | undefined

/**
 * A function as the `execute` of a dynamic tool. A `NeedsInput` that it returns
 * or throws asks a user: the call waits for a reply.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { ToolCall, ToolRunner, Toolset } from "@wield/core"
 * import { fromFunction } from "@wield/interop/handler"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const toolset = yield* Toolset.dynamic([{ name: "now", execute: fromFunction(async () => "noon") }])
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
export const fromFunction =
  <Parameters>(execute: (parameters: Parameters, call: Call) => unknown, failureOf: FailureOf = () => undefined) =>
  (parameters: Parameters): Effect.Effect<unknown, Json.Json | NeedsInput> =>
    Effect.gen(function* () {
      const current = yield* CurrentCall.CurrentCall
      const context = yield* CallContext.CallContext
      const runtime = yield* Effect.runtime()
      return yield* Effect.async<unknown, Json.Json | NeedsInput>((resume, signal) => {
        const about: Call = {
          id: current.id,
          attempt: current.attempt,
          signal,
          context,
          input: current.input,
          get idempotencyKey() {
            return current.idempotencyKey
          },
          progress: (value) => Runtime.runPromise(runtime)(current.progress(value))
        }
        // Also what is thrown at once.
        void (async () => execute(parameters, about))().then(
          (value) => resume(NeedsInput.is(value) ? Effect.fail(value) : Effect.succeed(value)),
          (thrown: unknown) => {
            const failure = NeedsInput.is(thrown) ? thrown : failureOf(thrown)
            resume(failure === undefined ? Effect.die(thrown) : Effect.fail(failure))
          }
        )
      })
    })
