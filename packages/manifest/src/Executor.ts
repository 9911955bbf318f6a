/** What runs the calls of entries of type `api`: one for each API. */
import type * as Effect from "effect/Effect"
import type { ExecutorError } from "./ExecutorError.js"
import type { ApiEntry } from "./ManifestEntry.js"
import type { Fault } from "./ManifestProblem.js"

/**
 * The valid arguments of a call, hidden fields included.
 *
 * @category models
 */
export interface Arguments {
  readonly [parameter: string]: unknown
}

/**
 * Runs one entry.
 *
 * @category models
 */
export type Execute = (parameters: Arguments) => Effect.Effect<unknown, ExecutorError>

/**
 * Checks an entry when the manifest is loaded, and prepares it when it is first called.
 *
 * @category models
 */
export interface Executor {
  /** What kind it is, such as `rest`. */
  readonly kind: string
  /** What is wrong with the entry, for the linter and for loading; errors keep it from loading. */
  readonly check: (entry: ApiEntry) => ReadonlyArray<Fault>
  /** The entry, ready to be called; asked for with its first call, and only where `check` finds no error. */
  readonly prepare: (entry: ApiEntry) => Execute
}
