/**
 * The name that somebody may have meant.
 */
import { distance } from "fastest-levenshtein"

/** `most` letters may be other than in the name. */
export const nearestOf = (name: string, known: Iterable<string>, most?: number): string | undefined => {
  const folded = name.toLowerCase()
  const [nearest] = [...known]
    .map((other) => ({ other, steps: distance(folded, other.toLowerCase()) }))
    .filter(({ other, steps }) => steps <= (most ?? Math.max(2, Math.floor(Math.min(name.length, other.length) / 3))))
    .sort((left, right) => left.steps - right.steps)
  return nearest?.other
}

/** ` (did you mean …?)`, or nothing. */
export const suggestion = (name: string, known: Iterable<string>): string => {
  const nearest = nearestOf(name, known)
  return nearest === undefined ? "" : ` (did you mean ${JSON.stringify(nearest)}?)`
}
