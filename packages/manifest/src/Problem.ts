/**
 * What is wrong with a manifest, or could be better.
 *
 * @since 0.1.0
 */
import type { Place } from "./ManifestEntry.js"

/**
 * A problem.
 *
 * @since 0.1.0
 * @category models
 */
export interface Problem {
  readonly severity: "error" | "warning"
  /** A short name of the rule, such as `placeholder-without-parameter`. */
  readonly rule: string
  /** What is wrong, what was expected, and what to do. */
  readonly message: string
  /** The entry's function name, where there is one. */
  readonly tool: string | undefined
  /** From the root of the file, such as `[0, "api", "path"]`. */
  readonly path: ReadonlyArray<string | number>
  /** Absent where the manifest did not come from a text. */
  readonly place: Place | undefined
}
