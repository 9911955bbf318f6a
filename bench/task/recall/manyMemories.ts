/**
 * As many memories as wanted, the same in every run: words as frequent as in
 * English (by Zipf's law, from a list of the most frequent ones), so that a word
 * of a question stands in as many of them as it would.
 */
import type { SearchIndex } from "@wield/assistant"

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
export const randomOf = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const wordsOfMemory = 20

export const manyMemories = (
  count: number,
  frequentFirst: ReadonlyArray<string>,
  now: number
): ReadonlyArray<SearchIndex.Item> => {
  const random = randomOf(1)
  const word = () => frequentFirst[Math.floor(frequentFirst.length ** random()) - 1] ?? "the"
  const words = (length: number) => Array.from({ length }, word).join(" ")
  return Array.from({ length: count }, (_, index) => ({
    type: "memory",
    id: String(index),
    title: words(3),
    text: words(wordsOfMemory),
    importance: 1 + Math.floor(random() * 10),
    changed: now - Math.floor(random() * 2 * 365 * 86_400_000)
  }))
}
