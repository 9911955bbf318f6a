/**
 * The names that somebody may have meant, best first.
 */
import { distance } from "fastest-levenshtein"

export const nearestOf = (name: string, known: Iterable<string>): ReadonlyArray<string> => {
  // A name of many kilobytes is nonsense, and comparing it is slow.
  const given = name.slice(0, 100).toLowerCase()
  return [...known]
    .map((other) => ({ other, steps: distance(given, other.toLowerCase()) }))
    .sort((left, right) => left.steps - right.steps)
    .slice(0, 3)
    .map(({ other }) => other)
}
