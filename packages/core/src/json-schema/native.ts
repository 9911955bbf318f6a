/** Expressions of JavaScript's own engine. What they may cost is another question. */

/** ECMAScript's, with the flag `u` as JSON Schema asks, or without, as much of the wild needs. */
export const isRegExp = (pattern: string): boolean => native(pattern) !== undefined

export const native = (pattern: string): RegExp | undefined =>
  made(pattern, "u") ?? (isForeign(pattern) ? undefined : made(pattern, ""))

const made = (pattern: string, flags: string): RegExp | undefined => {
  // The constructor reports by throwing; no effect is involved.
  try {
    return new RegExp(pattern, flags)
  } catch {
    return undefined
  }
}

/** Without the flag, what other engines know and ECMAScript does not is read as its letters: `\A`, `\p{Upper}`, `[[:alpha:]]`. */
const isForeign = (pattern: string): boolean =>
  /\\[aeghijlmopqyzACE-RT-VXYZ]|\[:\w+:\]/.test(pattern.replaceAll("\\\\", ""))
