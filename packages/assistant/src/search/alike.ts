/** Items that mean nearly the same: by their vectors where both have one, by their words otherwise. */
import { stemmer } from "stemmer"
import type { Item } from "../SearchIndex.js"
import { tellingWords } from "./terms.js"
import { cosine } from "./vector.js"

interface Embedded {
  readonly item: Item
  readonly vector: Float32Array | undefined
}

export interface Pair {
  readonly left: Item
  readonly right: Item
  readonly likeness: number
}

export const pairs = (
  items: ReadonlyArray<Embedded>,
  atLeast: { readonly meaning: number; readonly words: number },
  limit: number
): ReadonlyArray<Pair> => {
  const stems = items.map(
    ({ item }) => new Set(tellingWords(`${item.title} ${item.text}`).map((word) => stemmer(word)))
  )
  const found: Array<Pair> = []
  items.forEach((left, index) => {
    for (let other = index + 1; other < items.length; other++) {
      const right = items[other]
      if (right === undefined) continue
      const isByMeaning =
        left.vector !== undefined &&
        right.vector !== undefined &&
        left.vector.length > 0 &&
        left.vector.length === right.vector.length
      const likeness = isByMeaning
        ? cosine(left.vector, right.vector)
        : shared(stems[index] ?? none, stems[other] ?? none)
      if (likeness >= (isByMeaning ? atLeast.meaning : atLeast.words))
        found.push({ left: left.item, right: right.item, likeness })
    }
  })
  return found.sort((left, right) => right.likeness - left.likeness).slice(0, limit)
}

const none: ReadonlySet<string> = new Set()

/** The share of the words that both have among all that they have. */
const shared = (left: ReadonlySet<string>, right: ReadonlySet<string>): number => {
  const both = [...left].filter((word) => right.has(word)).length
  const all = left.size + right.size - both
  return all === 0 ? 0 : both / all
}
