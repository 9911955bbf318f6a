/**
 * One order out of several. What several searches have found counts for more
 * than what one has; of two that are found alike, the newer and the more
 * important comes first.
 */
import type { Hit, ItemType, Weights } from "../SearchIndex.js"
import type { Candidate } from "./Backend.js"

export interface Ranked {
  readonly by: "words" | "meaning"
  readonly weight: number
  readonly candidates: ReadonlyArray<Candidate>
}

const day = 86_400_000

export const fused = (
  searches: ReadonlyArray<Ranked>,
  weights: Weights,
  now: number,
  limit: number
): ReadonlyArray<Hit> => {
  const found = new Map<number, { candidate: Candidate; score: number; by: Set<"words" | "meaning"> }>()
  for (const { by, candidates, weight } of searches) {
    let position = 0
    candidates.forEach((candidate, index) => {
      // Those that a search cannot tell apart have the same place in it.
      if (candidate.rank !== candidates[position]?.rank) position = index
      const known = found.get(candidate.key) ?? { candidate, score: 0, by: new Set() }
      known.score += weight / (weights.flatness + position + 1)
      known.by.add(by)
      found.set(candidate.key, known)
    })
  }
  const best = searches.reduce((sum, { weight }) => sum + weight, 0) / (weights.flatness + 1)
  return [...found.values()]
    .map(({ by, candidate, score }) => ({
      candidate,
      by: [...by],
      score: (score / best) * favour(candidate, weights, now)
    }))
    .sort((left, right) => right.score - left.score || right.candidate.key - left.candidate.key)
    .slice(0, limit)
    .map(({ by, candidate: { changed, id, importance, text, title, type }, score }) => ({
      type: type satisfies ItemType,
      id,
      title,
      text,
      importance,
      changed,
      score: Math.min(1, score),
      by
    }))
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
