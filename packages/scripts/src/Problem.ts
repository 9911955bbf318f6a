/**
 * What is wrong with a script, or is lost when it becomes a tool.
 *
 * @since 0.1.0
 */

/**
 * A place in a file; lines and columns are counted from 1, columns in UTF-16
 * units.
 *
 * @since 0.1.0
 * @category models
 */
export interface Place {
  readonly line: number
  readonly column: number
}

/**
 * How bad a problem is: an error keeps the function, or the whole file, from
 * being a tool; a warning does not.
 *
 * @since 0.1.0
 * @category models
 */
export type Severity = "error" | "warning"

/**
 * A problem of a file.
 *
 * @since 0.1.0
 * @category models
 */
export interface Problem {
  readonly severity: Severity
  /** A short name of the rule, such as `unknown-type` or `missing-description`. */
  readonly rule: string
  /** What is wrong, what was expected, and what to do. */
  readonly message: string
  /** The file, as it was named when it was read. */
  readonly file: string
  /** Absent where the file as a whole is meant. */
  readonly place: Place | undefined
  /** The function or parameter it belongs to, such as `run` or `run.city`. */
  readonly subject: string | undefined
}

/**
 * Whether a problem keeps something from being a tool.
 *
 * @since 0.1.0
 * @category guards
 */
export const isError = (problem: Problem): boolean => problem.severity === "error"

/**
 * A problem as compilers say it: `file:line:column: error: what is wrong`.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { Problem } from "@wield/scripts"
 *
 * const text = Problem.toText({
 *   severity: "error",
 *   rule: "missing-description",
 *   message: "run has no docstring; say in it what the tool does",
 *   file: "tools/weather.py",
 *   place: { line: 3, column: 5 },
 *   subject: "run"
 * })
 * assert.strictEqual(text, "tools/weather.py:3:5: error: run has no docstring; say in it what the tool does")
 * ```
 *
 * @since 0.1.0
 * @category conversions
 */
export const toText = ({ file, message, place, severity }: Problem): string =>
  `${file}:${place === undefined ? "" : `${place.line}:${place.column}:`} ${severity}: ${message}`
