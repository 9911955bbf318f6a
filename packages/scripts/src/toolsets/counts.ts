/**
 * How much of a set is there.
 */

/** Every function is loaded, some are, or none is. A set that has no functions, such as `none`, lacks nothing. */
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
  const status = missing.length === 0 ? "ok" : enabled === 0 ? "empty" : "partial"
  return { functions, enabled, total: functions.length, missing, status }
}
