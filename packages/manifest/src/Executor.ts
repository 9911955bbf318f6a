/**
 * What runs the calls of entries of type `api`: one for each API.
 *
 * @since 0.1.0
 */
import type * as Effect from "effect/Effect"
import type { ExecutionError } from "./ExecutionError.js"
import type { ApiEntry } from "./ManifestEntry.js"
import type { Fault } from "./Problem.js"

/**
 * The valid arguments of a call, hidden fields included.
 *
 * @since 0.1.0
 * @category models
 */
export interface Arguments {
  readonly [parameter: string]: unknown
}

/**
 * Runs one entry.
 *
 * @since 0.1.0
 * @category models
 */
export type Execute = (parameters: Arguments) => Effect.Effect<unknown, ExecutionError>

/**
 * An executor. It sees each entry once, when the manifest is loaded, and says
 * then what is wrong with it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Executor {
  /** What kind it is, such as `rest`. */
  readonly kind: string
  /** What is wrong with the entry, for the linter and for loading; errors keep it from loading. */
  readonly check: (entry: ApiEntry) => ReadonlyArray<Fault>
  /** The entry, ready to be called; only for entries that `check` finds no error in. */
  readonly prepare: (entry: ApiEntry) => Execute
}
