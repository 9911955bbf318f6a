/** The call that a handler is handling. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Kept } from "./internal/kept.js"
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
  /** The same for every attempt at this call, also after a restart: hand it to services that take an idempotency key. */
  readonly idempotencyKey: string
  /** What exactly may run, where the approval rule named a subject. */
  readonly subject?: string | undefined
  /** The run that the call belongs to: the same object for all calls of one run in this process. */
  readonly run: { readonly id: string }
  /** What the handler has asked (`NeedsInput`), with the reply, where the call goes on with one. */
  readonly input?: (Input & { readonly state?: unknown; readonly reply: unknown }) | undefined
  /** 1 for the first attempt, 2 for the first retry. */
  readonly attempt: number
  /** Tells the watcher of the run how far the call has come. */
  readonly progress: (value: unknown) => Effect.Effect<void>
}

/**
 * The current call; outside of a runner, all its fields are empty.
 *
 * @category references
 */
export const CurrentCall: Context.Reference<Call> = Context.Reference<Call>("@wield/effect4/CurrentCall", {
  defaultValue: () => ({
    id: "",
    name: "",
    idempotencyKey: "",
    run: { id: "" },
    attempt: 1,
    progress: () => Effect.void
  })
})

/**
 * Runs an effect of a handler that nothing may interrupt, and keeps what it
 * comes to as the end of the call: it is recorded, though the run is interrupted
 * meanwhile. (`Effect.uninterruptible` alone loses its value to an interruption;
 * the end of the call is unknown then, and it is not run again.)
 *
 * @category running
 */
export const uninterruptible = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Kept, (kept) =>
    Effect.uninterruptible(
      Effect.flatMap(Effect.exit(effect), (exit) => {
        if (kept !== undefined) kept.exit = exit
        return exit
      })
    )
  )
