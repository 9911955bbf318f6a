/** Expressions of JavaScript's own engine. What they may cost is another question. */

/** ECMAScript's, with the flag `u` as JSON Schema asks, or without, as much of the wild needs. */
export const isRegExp = (pattern: string): boolean => native(pattern) !== undefined

export const native = (pattern: string): RegExp | undefined => {
  for (const flag of ["u", ""]) {
    // The constructor reports by throwing; no effect is involved.
    try {
      return new RegExp(pattern, flag)
    } catch {
      continue
    }
  }
  return undefined
}
