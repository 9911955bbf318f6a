/**
 * The record of calls begun and finished, the basis of recovery: what it says
 * is finished is replayed, never run again.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Digest from "./Digest.js"
import { idIn } from "./internal/callName.js"
import { MemoryJournal, setMemoryJournal } from "./internal/memoryJournal.js"
import type { JsonObject } from "./Json.js"
import type { JournalError } from "./JournalError.js"
import type { Input } from "./Outcome.js"

/**
 * What identifies a call: the run it belongs to, its id, and a digest of tool
 * and arguments, since some servers use an id again for another call.
 *
 * @category models
 */
export interface Key {
  /** The run's id, as `forRun` was given it; what `forget` forgets. */
  readonly run: string
  /** The call's id; in a turn (`forRun({ turn })`), the turn's name and the call's id. Any text. */
  readonly call: string
  /** SHA-256 over the tool's name and the visible arguments that the model sent, hexadecimal. */
  readonly digest: string
}

/**
 * The key of an entry that is of no call, such as that a run goes on: no call has its digest.
 *
 * @category constructors
 */
export const keyOf = (run: string, name: string): Key => ({ run, call: name, digest: Digest.ofText(name) })

/**
 * The id of the call that an entry is of, as the model gave it; `undefined` where `keyOf` has made its key.
 *
 * @category getters
 */
export const callOf = ({ call, digest }: Key): string | undefined =>
  digest === Digest.ofText(call) ? undefined : idIn(call.replace(/^reply:/, ""))

/**
 * How a call ended, as a journal keeps it: JSON values only.
 *
 * `edited` are the arguments that it ran with, where a person put them in place
 * of the model's. `Denied` is a response's denial: the call never runs. (What
 * an approval rule denies is not recorded; the rule is asked again.)
 *
 * With `Asked` the handler waits for input, and nothing has happened yet. The
 * reply begins the rest of the call, under a key of its own.
 *
 * @category models
 */
export type Ending = (
  | { readonly _tag: "Success"; readonly encoded: unknown }
  | { readonly _tag: "Failure"; readonly encoded: unknown }
  | { readonly _tag: "Denied"; readonly reason: string }
  | { readonly _tag: "TimedOut"; readonly limit: number }
  | { readonly _tag: "InvalidResult"; readonly reference: string }
  | { readonly _tag: "Defect"; readonly reference: string }
  | {
      readonly _tag: "Asked"
      readonly input: Input
      /** What a reply has to name. */
      readonly digest: string
      /** Whether a person has approved the call. */
      readonly isApproved: boolean
      /** SHA-256 of the reply after which this was asked, hexadecimal; none for the first question. */
      readonly reply?: string | undefined
    }
) & { readonly edited?: JsonObject | undefined }

/**
 * What a journal knows of a call when it is to begin.
 *
 * - `Fresh`: nothing; it is now recorded as begun.
 * - `Running`: another process is at it. `over` completes when that has changed,
 *   and the call begins again.
 * - `Begun`: it was begun before and never finished.
 * - `Interrupted`: it was begun before and interrupted.
 * - `Finished`: it is over.
 *
 * @category models
 */
export type Known =
  | { readonly _tag: "Fresh" }
  | { readonly _tag: "Running"; readonly over: Effect.Effect<void, JournalError> }
  | { readonly _tag: "Begun" }
  | { readonly _tag: "Interrupted" }
  | { readonly _tag: "Finished"; readonly ending: Ending }

/**
 * The operations of a journal. `begin` is atomic: of two callers with one key,
 * one gets `Fresh`.
 *
 * @category models
 */
export interface Service {
  /** What is known of the call; records nothing. A call that another one has begun is `Begun`, be it `Running` or not. */
  readonly look: (key: Key) => Effect.Effect<Known, JournalError>
  /**
   * What is known of the call; what is `Fresh` is recorded as begun by the name of its tool. With an `ending` it is
   * recorded as over at once: of a denial, which runs nothing, no crash leaves a call that may have run. `finish` follows.
   */
  readonly begin: (key: Key, tool: string, ending?: Ending) => Effect.Effect<Known, JournalError>
  /** Records how a call ended. */
  readonly finish: (key: Key, ending: Ending) => Effect.Effect<void, JournalError>
  /** Records that a call was interrupted while its handler ran. */
  readonly interrupt: (key: Key) => Effect.Effect<void, JournalError>
  /** Forgets a call that was begun but never came to its handler; not one that another process is at. */
  readonly abandon: (key: Key) => Effect.Effect<void, JournalError>
  /** Forgets a whole run. */
  readonly forget: (run: string) => Effect.Effect<void, JournalError>
}

/**
 * The journal as a service. A runner uses the one that its policy has, not the
 * one in its context: `Policy.journal` takes the service's value.
 *
 * @category services
 */
export class Journal extends Context.Tag("@wield/core/Journal")<Journal, Service>() {}

/**
 * Who begins the calls, such as the address of a runner in a cluster. A journal in
 * a database writes it beside the call, for administration; it decides nothing.
 *
 * @category services
 */
export class BegunBy extends Context.Reference<BegunBy>()("@wield/core/Journal/BegunBy", {
  defaultValue: (): string | undefined => undefined
}) {}

/**
 * Who gave the answer with which the calls go on, for administration, as `BegunBy`
 * is. An agent says it of answers that have a `by`.
 *
 * @category services
 */
export class AnsweredBy extends Context.Reference<AnsweredBy>()("@wield/core/Journal/AnsweredBy", {
  defaultValue: (): string | undefined => undefined
}) {}

/**
 * A journal in memory. It keeps a run until `forget`, with the arguments of its
 * calls as they were sent, and nothing beyond the process. It grows with every
 * call, so give the runs whose calls it records an
 * id (`forRun({ id })`), and forget them by it.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Journal } from "@wield/core"
 * import { Effect } from "effect"
 *
 * const key = { run: "run_1", call: "call_1", digest: "d" }
 * const program = Effect.gen(function* () {
 *   const journal = yield* Journal.memory
 *   yield* journal.begin(key, "pay")
 *   yield* journal.finish(key, { _tag: "Success", encoded: "paid" })
 *   assert.strictEqual((yield* journal.begin(key, "pay"))._tag, "Finished")
 * })
 * Effect.runSync(program)
 * ```
 *
 * @category constructors
 */
export const memory: Effect.Effect<Service> = Effect.sync(() => unsafeMemory())

/**
 * A journal in memory, made outside of an effect.
 *
 * @category constructors
 */
export const unsafeMemory = (): Service => {
  const journal = new MemoryJournal()
  const service: Service = {
    look: (key) => Effect.sync(() => journal.look(key)),
    begin: (key, tool, ending) => Effect.sync(() => journal.begin(key, tool, ending)),
    finish: (key, ending) => Effect.sync(() => journal.finish(key, ending)),
    interrupt: (key) => Effect.sync(() => journal.interrupt(key)),
    abandon: (key) => Effect.sync(() => journal.abandon(key)),
    forget: (run) => Effect.sync(() => journal.forget(run))
  }
  setMemoryJournal(service, journal)
  return service
}

/**
 * The service `Journal` with a journal in memory.
 *
 * @category layers
 */
export const layerMemory: Layer.Layer<Journal> = Layer.effect(Journal, memory)
