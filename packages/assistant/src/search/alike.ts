/** Items that mean nearly the same: by their vectors where both have one, by their words otherwise. */
import * as Effect from "effect/Effect"
import { stemmer } from "stemmer"
import { makeBreathe } from "../documents/breathe.js"
import type { Item } from "../SearchIndex.js"
import { tellingWords } from "./terms.js"
import { product, unit } from "./vector.js"

interface Embedded {
  readonly item: Item
  readonly vector: Float32Array | undefined
}

export interface Pair {
  readonly left: Item
  readonly right: Item
  readonly likeness: number
}

/** Each item is compared with those before it; others have their turn after each, for it takes seconds of many. */
export const pairs = (
  items: ReadonlyArray<Embedded>,
  atLeast: { readonly meaning: number; readonly words: number },
  limit: number
): Effect.Effect<ReadonlyArray<Pair>> =>
  Effect.gen(function* () {
    const breathe = yield* makeBreathe
    const vectors = items.map(({ vector }) => (vector === undefined || vector.length === 0 ? undefined : unit(vector)))
    const stems: Array<ReadonlySet<string>> = []
    /** Which of the items before have a stem. */
    const having = new Map<string, Array<number>>()
    const found: Array<Pair> = []
    for (const [index, { item }] of items.entries()) {
      const own = new Set(tellingWords(`${item.title} ${item.text}`).map((word) => stemmer(word)))
      const both = new Uint32Array(index)
      for (const stem of own) {
        const others = having.get(stem) ?? []
        for (const other of others) both[other] = (both[other] ?? 0) + 1
        having.set(stem, others)
        others.push(index)
      }
      stems.push(own)
      const vector = vectors[index]
      for (let other = 0; other < index; other++) {
        const left = items[other]
        if (left === undefined) continue
        const before = vectors[other]
        const isByMeaning = vector !== undefined && before !== undefined && vector.length === before.length
        const likeness = isByMeaning
          ? product(vector, before)
          : share(both[other] ?? 0, own.size, stems[other]?.size ?? 0)
        if (likeness >= (isByMeaning ? atLeast.meaning : atLeast.words)) {
          found.push({ left: left.item, right: item, likeness })
        }
      }
      yield* breathe
    }
    return found.sort((left, right) => right.likeness - left.likeness).slice(0, limit)
  })

/** The share of the words that both have among all that they have. */
const share = (both: number, left: number, right: number): number => {
  const all = left + right - both
  return all === 0 ? 0 : both / all
}
