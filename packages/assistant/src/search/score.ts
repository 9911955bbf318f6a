/**
 * How well items have the words of a query, the same over all databases: by BM25, where a synonym counts as its word.
 */
import { stemmer } from "stemmer"
import type { Weights } from "../SearchIndex.js"
import type { Candidate, Frequencies, SearchTerm } from "./Backend.js"
import { synonymsOf } from "./synonyms.js"
import { isUnspaced, removeMarks, timesIn, wordsOf } from "./terms.js"

/** How soon more of the same word adds little, and how much a long text is held against an item. As BM25 has them. */
const saturation = 1.2
const lengthMatters = 0.75

const inTitle = 2

export const searchTermsOf = (words: ReadonlyArray<string>, { having, total }: Frequencies) =>
  words.map((word, index) => {
    const count = having[index] ?? 0
    return { word, rarity: Math.log(1 + (Math.max(0, total - count) + 0.5) / (count + 0.5)) }
  })

/** What means the same as a word tells as much as the word. */
export const synonymTerms = (words: ReadonlyArray<SearchTerm>): ReadonlyArray<SearchTerm> => {
  const rarities = new Map(
    words.flatMap(({ rarity, word }) => synonymsOf(word).map((synonym) => [synonym, rarity] as const))
  )
  for (const { word } of words) rarities.delete(word)
  return [...rarities].slice(0, mostSynonyms).map(([word, rarity]) => ({ word, rarity }))
}

const mostSynonyms = 24

/**
 * From 0 to 1 by key: the best has the root of its share of what the words tell, so that they count for little where no
 * item has the telling ones.
 */
export const wordScores = (
  words: ReadonlyArray<SearchTerm>,
  candidates: ReadonlyArray<Candidate>,
  synonyms: number
): ReadonlyMap<number, number> => {
  const sought = words.map(({ rarity, word }) => ({ rarity, stems: stemsOf(word, synonyms) }))
  const wanted = new Set(sought.flatMap(({ stems }) => [...stems.keys()]))
  const counted = candidates.map((candidate) => ({ key: candidate.key, ...count(candidate, wanted) }))
  const usual = counted.reduce((sum, { length }) => sum + length, 0) / Math.max(1, counted.length)
  const scores = counted.map(({ counts, key, length }) => {
    const slowness = saturation * (1 - lengthMatters + (lengthMatters * length) / Math.max(1, usual))
    const score = sought.reduce((sum, { rarity, stems }) => {
      let best = 0
      for (const [stem, weight] of stems) {
        const times = counts.get(stem) ?? 0
        best = Math.max(best, (weight * times * (saturation + 1)) / (times + slowness))
      }
      return sum + rarity * best
    }, 0)
    return [key, score] as const
  })
  const best = scores.reduce((most, [, score]) => Math.max(most, score), 0)
  const possible = words.reduce((sum, { rarity }) => sum + rarity, 0)
  const trust = Math.sqrt(Math.min(1, best / possible))
  return new Map(scores.map(([key, score]) => [key, best === 0 ? 0 : (score / best) * trust]))
}

/** What stands for a word in a text, by how much it counts. */
const stemsOf = (word: string, synonyms: number): ReadonlyMap<string, number> => {
  const plain = wordsOf(removeMarks(word)).map((part) => stemmer(part))
  return new Map([
    ...(synonyms === 0 ? [] : synonymsOf(word).map((synonym) => [stemmer(synonym), synonyms] as const)),
    ...plain.map((stem) => [stem, 1] as const)
  ])
}

/** Stemming leaves the first two letters alone, so that most words need none. */
const beginning = (word: string): string => word.slice(0, 2)

/** Of a word that is written without spaces. */
const usualLetters = 2

const count = ({ text, title }: Candidate, wanted: ReadonlySet<string>) => {
  const beginnings = new Set([...wanted].map(beginning))
  const unspaced = [...wanted].filter(isUnspaced)
  const counts = new Map<string, number>()
  let length = 0
  for (const [part, weight] of [
    [title, inTitle],
    [text, 1]
  ] as const) {
    for (const word of wordsOf(removeMarks(part))) {
      if (isUnspaced(word)) {
        // Cutting what was found into words would take longer than finding it.
        length += Math.ceil(word.length / usualLetters)
        for (const stem of unspaced) {
          const times = timesIn(word, stem)
          if (times > 0) counts.set(stem, (counts.get(stem) ?? 0) + weight * times)
        }
        continue
      }
      length++
      if (!beginnings.has(beginning(word))) continue
      const stem = stemmer(word)
      if (wanted.has(stem)) counts.set(stem, (counts.get(stem) ?? 0) + weight)
    }
  }
  return { counts, length }
}

/** What a search is worth to each item it has found, between 0 and 1, by the item's key. */
export interface Scores {
  readonly by: "words" | "meaning"
  readonly weight: number
  readonly found: ReadonlyArray<Candidate>
  readonly scores: ReadonlyMap<number, number>
}

const day = 86_400_000

export const fuse = (searches: ReadonlyArray<Scores>, weights: Weights, now: number, limit: number) => {
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
