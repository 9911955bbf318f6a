/** Which of some names may have been meant by one that is none of them. */
import { distance } from "fastest-levenshtein"

/** A name of many kilobytes is nonsense, and comparing it is slow. */
const longest = 100

/** Best first, each with how many letters are other; small or capital makes no difference. */
export const nearestNames = (
  name: string,
  names: Iterable<string>
): ReadonlyArray<{ readonly name: string; readonly distance: number }> => {
  const sent = name.slice(0, longest).toLowerCase()
  return Array.from(names, (other) => ({ name: other, distance: distance(sent, other.toLowerCase()) })).sort(
    (left, right) => left.distance - right.distance
  )
}
