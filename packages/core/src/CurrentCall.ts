/**
 * The call that a handler is handling: its id, a stable idempotency key, the
 * attempt, and a way to tell how far it has come.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Json } from "./Json.js"
import type { Input } from "./Outcome.js"

/**
 * The call that a handler is handling.
 *
 * @category models
 */
export interface Call {
  readonly id: string
  /** The tool's name as it was offered. */
  readonly name: string
  /**
   * The same for every attempt at this call, in this process and after a
   * restart: hand it to services that take an idempotency key, so that a side
   * effect happens once. Worked out when it is read.
   */
  readonly idempotencyKey: string
  /**
   * What exactly may run, where the approval rule named a subject: what a person
   * approved, or what the rule allowed. Nothing else can set it.
   */
  readonly subject?: string | undefined
  /** What the handler has asked (`NeedsInput`), with the reply, where the call goes on with one. */
  readonly input?: (Input & { readonly reply: Json }) | undefined
  /**
   * The run that the call belongs to: the same object for all calls of one run
   * in this process, so that it can be the key of a `WeakMap`. Its id names the
   * run in the journal.
   */
  readonly run: { readonly id: string }
  /** 1 for the first attempt, 2 for the first retry. */
  readonly attempt: number
  /**
   * Reports to the watcher of the run how far the call has come. Waits while the
   * watcher is behind; does nothing without a watcher.
   */
  readonly progress: (value: unknown) => Effect.Effect<void>
}

/**
 * The `progress` of a call to which nothing listens: what takes time to report can be left out.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { CurrentCall } from "@wield/core"
 * import { Effect } from "effect"
 *
 * const isHeard = Effect.map(CurrentCall.CurrentCall, ({ progress }) => progress !== CurrentCall.unheard)
 * assert.strictEqual(Effect.runSync(isHeard), false) // no runner has called it
 * ```
 *
 * @category references
 */
export const unheard: Call["progress"] = () => Effect.void

const outside: Call = {
  id: "",
  name: "",
  idempotencyKey: "",
  run: { id: "" },
  attempt: 1,
  progress: unheard
}

/**
 * The current call. It is a reference, so a handler that reads it needs
 * nothing in its requirements; outside of a runner, all its fields are empty.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { CurrentCall } from "@wield/core"
 * import { Effect } from "effect"
 *
 * const pay = Effect.gen(function* () {
 *   const call = yield* CurrentCall.CurrentCall
 *   yield* call.progress("asking the bank")
 *   return `paid under ${call.idempotencyKey}`
 * })
 * assert.strictEqual(Effect.runSync(pay), "paid under ") // no runner has called it
 * ```
 *
 * @category references
 */
export class CurrentCall extends Context.Reference<CurrentCall>()("@wield/core/CurrentCall", {
  defaultValue: (): Call => outside
}) {}
