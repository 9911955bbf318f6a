/** What is wrong with a file that tools are read from, with its place. */

import * as Schema from "effect/Schema"

/**
 * A place in a file; lines and columns are counted from 1, columns in UTF-16
 * units.
 * @category models
 */
export interface Place {
  readonly line: number
  readonly column: number
}

/**
 * How bad a problem is. An error keeps a tool, or the whole file, from being
 * used; a warning does not.
 * @category models
 */
export type Severity = "error" | "warning"

/**
 * A problem of a file.
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
  /** The tool, function or parameter that it belongs to, such as `run` or `run.city`. */
  readonly subject: string | undefined
}

/**
 * Whether a problem keeps something from being used.
 * @category guards
 */
export const isError = (problem: Problem): boolean => problem.severity === "error"

/**
 * A problem as compilers report it: `file:line:column: error: what is wrong`.
 * @category conversions
 */
export const report = ({ file, message, place, severity }: Problem): string =>
  `${file}:${place === undefined ? "" : `${place.line}:${place.column}:`} ${severity}: ${message}`

/**
 * A problem as a schema, for errors that hold some.
 *
 * @category schemas
 */
export const ProblemSchema: Schema.Schema<Problem> = Schema.Struct({
  severity: Schema.Literal("error", "warning"),
  rule: Schema.String,
  message: Schema.String,
  file: Schema.String,
  place: Schema.UndefinedOr(Schema.Struct({ line: Schema.Number, column: Schema.Number })),
  subject: Schema.UndefinedOr(Schema.String)
})
