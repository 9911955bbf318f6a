/** The record of calls begun and finished: what it says is finished is replayed, never run again. */
import { Journal as Journal3 } from "@wield/effect3"
import * as Effect from "effect/Effect"
import type { JournalError } from "./Errors.js"
import { journalOf } from "./internal/journal.js"

/**
 * @category type ids
 */
export declare const TypeId: unique symbol

/**
 * A journal; give it to a policy.
 *
 * @category models
 */
export interface Journal {
  readonly [TypeId]: unknown
  /** Forgets a whole run, by the id that `forRun` was given. */
  readonly forget: (run: string) => Effect.Effect<void, JournalError>
}

/**
 * A journal in memory. It keeps a run until `forget`, and nothing beyond the process.
 *
 * @category constructors
 */
export const memory: Effect.Effect<Journal> = Effect.sync(() => journalOf(Journal3.unsafeMemory()))
