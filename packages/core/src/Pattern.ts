/**
 * Regular expressions from outside, such as those of schemas. JavaScript's engine
 * may take years for a short one, and nothing interrupts it: before one runs,
 * this says for which texts it may. Import it by its path, since its parser takes
 * some milliseconds to load.
 */
import { native } from "./json-schema/native.js"
import { longestTextFor } from "./json-schema/pattern.js"

/**
 * The longest text, in characters, for which JavaScript's engine takes a second
 * at most: `Infinity` where time grows with the text only, `undefined` for a
 * pattern that must not run at all, or is no expression.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import * as Pattern from "@wield/core/Pattern"
 *
 * assert.strictEqual(Pattern.longestText("^[a-z]+$"), Infinity)
 * assert.strictEqual(Pattern.longestText("^(a+)+$"), undefined)
 * ```
 *
 * @category accessors
 */
export const longestText = (pattern: string): number | undefined =>
  native(pattern) === undefined ? undefined : longestTextFor(pattern)

/**
 * Whether a pattern matches a text. `undefined` where that could take more than a
 * second, or the pattern is no expression.
 *
 * @category predicates
 */
export const matches = (pattern: string, text: string): boolean | undefined =>
  text.length <= (longestText(pattern) ?? -1) ? native(pattern)?.test(text) : undefined
