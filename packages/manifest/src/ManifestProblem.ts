/**
 * What is wrong with a manifest, or could be better.
 *
 * What checks one entry (an executor, a rule) gives `Fault`s, which know nothing
 * of files; `at` makes a `ManifestProblem` of one, with its place.
 */
import type { Common, Place } from "./ManifestEntry.js"

/**
 * How bad a problem is: an error keeps the manifest from loading.
 *
 * @category models
 */
export type Severity = "error" | "warning"

/**
 * A path into JSON, such as `["api", "path"]`.
 *
 * @category models
 */
export type Path = ReadonlyArray<string | number>

/**
 * What is wrong with one entry, said from within it.
 *
 * @category models
 */
export interface Fault {
  readonly severity: Severity
  /** A short name of the rule, such as `placeholder-without-parameter`. */
  readonly rule: string
  /** What is wrong, what was expected, and what to do. */
  readonly message: string
  /** From the entry, such as `["api", "path"]`. */
  readonly path: Path
  /** Where in the text at `path`, in UTF-16 units from 0: a word of a query, a placeholder of a path. */
  readonly offset?: number | undefined
}

/**
 * A problem.
 *
 * @category models
 */
export interface ManifestProblem extends Omit<Fault, "path" | "offset"> {
  /** The entry's function name, where there is one. */
  readonly tool: string | undefined
  /** From the root of the file, such as `[0, "api", "path"]`. */
  readonly path: Path
  /** Absent where the manifest did not come from a text. */
  readonly place: Place | undefined
}

/**
 * A problem of no entry, unless `tool` names one.
 *
 * @category constructors
 */
export const make = (
  parts: Pick<ManifestProblem, "severity" | "rule" | "message"> & Partial<ManifestProblem>
): ManifestProblem => ({
  tool: undefined,
  path: [],
  place: undefined,
  ...parts
})

/**
 * A fault that keeps a manifest from loading.
 *
 * @category constructors
 */
export const error = (rule: string, message: string, path: Path, offset?: number): Fault => ({
  severity: "error",
  rule,
  message,
  path,
  offset
})

/**
 * The fault of an entry with the place where it stands.
 *
 * @category constructors
 */
export const at = (entry: Common, { offset, path, ...fault }: Fault): ManifestProblem => ({
  ...fault,
  tool: entry.function.name,
  path: [...(entry.source?.path ?? []), ...path],
  place: entry.source?.at(path, offset)
})

/**
 * Whether a problem keeps a manifest from loading.
 *
 * @category guards
 */
export const isError = (problem: { readonly severity: Severity }): boolean => problem.severity === "error"

/**
 * A line for each of the first hundred items, and how many more there are.
 *
 * @category rendering
 */
export const toLines = <A>(all: ReadonlyArray<A>, toLine: (one: A) => string): ReadonlyArray<string> => {
  const lines = all.slice(0, most).map(toLine)
  return all.length > most ? [...lines, `and ${all.length - most} more`] : lines
}

const most = 100
