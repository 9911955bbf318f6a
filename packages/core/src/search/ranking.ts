/**
 * BM25F over the documents: the parts of a tool weigh differently, what stands in a long tool counts less, and a rare
 * word counts more. The two constants are those with which `pnpm corpus tools` finds most. All that depends on the other tools is computed when it is first asked for after a change, from
 * whole numbers and in one order, so that no history of changes leaves a trace.
 */
import type { Document } from "./fields.js"

const saturation = 1.2
const lengthPart = 0.7

interface Postings {
  /** Numbers of tools. */
  readonly tools: Uint32Array
  /** What the word gives to the score of each. */
  readonly scores: Float64Array
}

export interface Ranked {
  readonly id: string
  readonly score: number
}

export class Ranking {
  readonly #postings = new Map<string, Postings>()
  /** In the order of their ids: of equal ones the first comes first. */
  readonly ids: ReadonlyArray<string>
  readonly #scores: Float64Array

  constructor(documents: ReadonlyMap<string, Document>) {
    this.ids = [...documents.keys()].sort()
    const all = this.ids.map((id) => documents.get(id)).filter((document) => document !== undefined)
    const average = all.reduce((sum, { length }) => sum + length, 0) / all.length
    const holders = new Map<string, { readonly tools: Array<number>; readonly amounts: Array<number> }>()
    all.forEach(({ counts, length }, number) => {
      const factor = 1 - lengthPart + (lengthPart * length) / average
      for (const [stem, count] of counts) {
        let known = holders.get(stem)
        if (known === undefined) holders.set(stem, (known = { tools: [], amounts: [] }))
        known.tools.push(number)
        known.amounts.push(count / factor)
      }
    })
    for (const [stem, { amounts, tools }] of holders) {
      const rarity = Math.log(1 + (all.length - tools.length + 0.5) / (tools.length + 0.5))
      const scores = Float64Array.from(amounts, (amount) => (rarity * amount) / (saturation + amount))
      this.#postings.set(stem, { tools: Uint32Array.from(tools), scores })
    }
    this.#scores = new Float64Array(all.length)
  }

  /** The best by these words, each of which counts once. */
  best(stems: ReadonlySet<string>, limit: number): ReadonlyArray<Ranked> {
    const scores = this.#scores
    const found = this.#add(stems)
    const best = top(found, scores, limit).map((number) => ({ id: this.ids[number] ?? "", score: scores[number] ?? 0 }))
    for (const number of found) scores[number] = 0
    return best
  }

  /** The score of every tool, in the order of the ids. */
  all(stems: ReadonlySet<string>): Float64Array {
    this.#add(stems)
    const all = this.#scores.slice()
    this.#scores.fill(0)
    return all
  }

  #add(stems: ReadonlySet<string>): ReadonlyArray<number> {
    const sums = this.#scores
    const found: Array<number> = []
    for (const stem of stems) {
      const postings = this.#postings.get(stem)
      if (postings === undefined) continue
      const { scores, tools } = postings
      for (let index = 0; index < tools.length; index++) {
        // Each index and number is within its array.
        const number = tools[index] as number
        const sum = sums[number] as number // as above
        if (sum === 0) found.push(number)
        sums[number] = sum + (scores[index] as number) // as above
      }
    }
    return found
  }
}

/** The numbers with the highest scores, best first; of equal ones the lower. */
export const top = (
  numbers: Iterable<number>,
  scores: { readonly [number: number]: number },
  limit: number
): ReadonlyArray<number> => {
  const best: Array<number> = []
  const isBefore = (one: number, other: number): boolean => {
    const difference = (scores[one] ?? 0) - (scores[other] ?? 0)
    return difference > 0 || (difference === 0 && one < other)
  }
  // What the last of a full list has: most are below it.
  let least = -1
  for (const number of numbers) {
    if ((scores[number] ?? 0) < least) continue
    if (best.length === limit && !isBefore(number, best[limit - 1] ?? 0)) continue
    let place = best.length
    while (place > 0 && isBefore(number, best[place - 1] ?? 0)) place--
    best.splice(place, 0, number)
    if (best.length > limit) best.pop()
    if (best.length === limit) least = scores[best[limit - 1] ?? 0] ?? 0
  }
  return best
}
