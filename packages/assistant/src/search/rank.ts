/**
 * One order out of several: what an item is worth by its words and by its
 * meaning, added. Of two that are found alike, the newer and the more important
 * comes first.
 */
import type { Hit, Weights } from "../SearchIndex.js"
import type { Candidate } from "./Backend.js"

/** What a search is worth to each item it has found, between 0 and 1, by the item's key. */
export interface Scored {
  readonly by: "words" | "meaning"
  readonly weight: number
  readonly found: ReadonlyArray<Candidate>
  readonly scores: ReadonlyMap<number, number>
}

const day = 86_400_000

export const fused = (
  searches: ReadonlyArray<Scored>,
  weights: Weights,
  now: number,
  limit: number
): ReadonlyArray<Hit> => {
  const candidates = new Map(searches.flatMap(({ found }) => found.map((candidate) => [candidate.key, candidate])))
  const total = searches.reduce((sum, { weight }) => sum + weight, 0)
  const finders = searches.map(({ by, found }) => ({ by, keys: new Set(found.map(({ key }) => key)) }))
  return [...candidates.values()]
    .map((candidate) => ({
      candidate,
      score:
        (searches.reduce((sum, { scores, weight }) => sum + weight * (scores.get(candidate.key) ?? 0), 0) / total) *
        favour(candidate, weights, now)
    }))
    .sort((left, right) => right.score - left.score || right.candidate.key - left.candidate.key)
    .slice(0, limit)
    .map(({ candidate: { changed, id, importance, key, text, title, type }, score }) => ({
      type,
      id,
      title,
      text,
      importance,
      changed,
      score,
      by: finders.filter(({ keys }) => keys.has(key)).map(({ by }) => by)
    }))
}

/** How near an item is among those that were found by their meaning: 1 for the nearest, 0 for the farthest. */
export const meaningScores = (candidates: ReadonlyArray<Candidate>): ReadonlyMap<number, number> => {
  const nearest = candidates[0]?.rank ?? 0
  const farthest = candidates.at(-1)?.rank ?? 0
  return new Map(
    candidates.map(({ key, rank }) => [key, nearest === farthest ? 1 : (rank - farthest) / (nearest - farthest)])
  )
}

/** At most 1: for what is new and of the highest importance. */
const favour = (
  { changed, importance }: Candidate,
  { halfLife, importance: weight, recency }: Weights,
  now: number
) => {
  const age = Math.max(0, now - changed) / day
  const freshness = 2 ** (-age / halfLife)
  const standing = (Math.min(10, Math.max(1, importance)) - 1) / 9
  return (1 + recency * freshness + weight * standing) / (1 + recency + weight)
}
