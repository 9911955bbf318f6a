/** The names that may have been meant by one that is unknown. */
import { distance } from "fastest-levenshtein"

/** A name of many kilobytes is nonsense, and comparing it is slow. */
const longest = 100

/**
 * All names, the nearest first, each with the number of letters that differ.
 * Upper and lower case make no difference.
 *
 * @example
 * ```ts
 * import * as assert from "node:assert"
 * import { NearestNames } from "@wield/core"
 *
 * assert.deepStrictEqual(NearestNames.byDistance("serch", ["fetch", "search"]), [
 *   { name: "search", distance: 1 },
 *   { name: "fetch", distance: 2 }
 * ])
 * ```
 *
 * @category searching
 */
export const byDistance = (
  name: string,
  names: Iterable<string>
): ReadonlyArray<{ readonly name: string; readonly distance: number }> => {
  const sent = name.slice(0, longest).toLowerCase()
  return Array.from(names, (other) => ({ name: other, distance: distance(sent, other.toLowerCase()) })).sort(
    (left, right) => left.distance - right.distance
  )
}

/**
 * The nearest name, if it is near enough to be a slip: at most two letters
 * differ, or a third of a long name, or `most` of them.
 *
 * @category searching
 */
export const nearest = (name: string, names: Iterable<string>, most?: number): string | undefined =>
  byDistance(name, names).find(
    ({ distance, name: other }) =>
      distance <= (most ?? Math.max(2, Math.floor(Math.min(name.length, other.length) / 3)))
  )?.name

/**
 * ` (did you mean "search"?)`, to put behind a name in a message; empty where
 * no name is near.
 *
 * @category rendering
 */
export const suggestion = (name: string, names: Iterable<string>): string => {
  const found = nearest(name, names)
  return found === undefined ? "" : ` (did you mean ${JSON.stringify(found)}?)`
}

/**
 * As `suggestion`; where no name is near, it lists the first ten names.
 *
 * @category rendering
 */
export const hint = (name: string, names: ReadonlyArray<string>): string =>
  suggestion(name, names) ||
  ` (there are ${names.length === 0 ? "none" : names.slice(0, 10).join(", ")}${names.length > 10 ? ", …" : ""})`
