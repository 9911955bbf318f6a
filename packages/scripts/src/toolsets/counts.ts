/**
 * How much of a set is there.
 */

/** Every function is loaded, some are, or none is. */
export type Status = "ok" | "partial" | "empty"

export interface Counts {
  /** The functions of the set, loaded or not. */
  readonly functions: ReadonlyArray<string>
  /** How many of them are loaded. */
  readonly enabled: number
  readonly total: number
  /** Those that no loaded tool has the name of. */
  readonly missing: ReadonlyArray<string>
  readonly status: Status
}

export const countsOf = (functions: ReadonlyArray<string>, loaded: ReadonlySet<string>): Counts => {
  const missing = functions.filter((name) => !loaded.has(name))
  const enabled = functions.length - missing.length
  const status = enabled === 0 ? "empty" : missing.length === 0 ? "ok" : "partial"
  return { functions, enabled, total: functions.length, missing, status }
}
