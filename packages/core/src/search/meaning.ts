/**
 * Meaning beside words: vectors of the application's own embedder, of tools and requests. A vector that cannot be
 * compared, an embedder that fails or takes too long, leave the search by words as it is.
 */
import type { Duration } from "effect"
import * as Effect from "effect/Effect"
import type { Embedder, SearchedTool } from "../ToolSearch.js"
import { top } from "./ranking.js"

/** Texts that are embedded at once: of those that are done by then, none is embedded again. */
const together = 128

/** Characters of a tool's text. */
const longest = 2_000

/** What meaning may add, by what the best tool by words has. */
const share = 0.3

/**
 * How far above the average of all tools, in standard deviations, the meaning of the first ten by words must be.
 * Vectors that know nothing of the request are above it by chance once in a thousand requests; useful ones are by far.
 */
const agreement = 1

export class Meaning {
  /** By tool: another definition is another object. */
  readonly #vectors = new WeakMap<SearchedTool, Vector>()

  constructor(
    readonly embedder: Embedder,
    readonly patience: Duration.DurationInput
  ) {}

  /** The scores by words with meaning mixed in, where there is some. */
  mix(query: string, tools: ReadonlyArray<SearchedTool>, words: Float64Array): Effect.Effect<Float64Array> {
    return Effect.gen(this, function* () {
      const missing = tools.filter((tool) => !this.#vectors.has(tool))
      for (let index = 0; index < missing.length; index += together) {
        const some = missing.slice(index, index + together)
        const vectors = yield* this.#embed(some.map(textOf))
        some.forEach((tool, place) => {
          const vector = vectors[place]
          if (vector !== undefined) this.#vectors.set(tool, vector)
        })
      }
      const [asked] = yield* this.#embed([query.slice(0, longest)])
      return asked === undefined ? words : this.#mixed(asked, tools, words)
    }).pipe(
      Effect.timeoutTo({ duration: this.patience, onSuccess: (mixed) => mixed, onTimeout: () => words }),
      // Whatever is wrong with the embedder, the words are searched.
      Effect.catchAllCause((cause) =>
        Effect.as(Effect.logDebug("Tools are searched by their words only: the embedder failed", cause), words)
      )
    )
  }

  #mixed(asked: Vector, tools: ReadonlyArray<SearchedTool>, words: Float64Array): Float64Array {
    const near = new Float64Array(tools.length)
    for (const [number, tool] of tools.entries()) {
      const vector = this.#vectors.get(tool)
      if (vector?.length !== asked.length) return words
      near[number] = cosine(asked, vector)
    }
    const first = top(words.keys(), words, 10).filter((number) => (words[number] ?? 0) > 0)
    const best = words[first[0] ?? -1] ?? 0
    const mean = near.reduce((sum, value) => sum + value, 0) / near.length
    const spread = Math.sqrt(near.reduce((sum, value) => sum + (value - mean) ** 2, 0) / near.length)
    const ofFirst = first.reduce((sum, number) => sum + (near[number] ?? 0), 0) / first.length
    // Also where there is no spread, or none was found by words.
    if (!(ofFirst - mean > agreement * spread * Math.sqrt(10 / Math.max(1, first.length))) || spread < 1e-9)
      return words
    const most = near.reduce((one, other) => Math.max(one, other), -1)
    return words.map(
      (score, number) => score + share * best * Math.max(0, ((near[number] ?? 0) - mean) / (most - mean))
    )
  }

  /** Fails where what comes back are not vectors of one length, one a text. */
  #embed(texts: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Vector>, unknown> {
    return Effect.flatMap(
      Effect.suspend(() => this.embedder.embed(texts)),
      (all) =>
        Array.isArray(all) &&
        all.length === texts.length &&
        all.every(isVector) &&
        new Set(all.map(lengthOf)).size === 1
          ? Effect.succeed(all)
          : Effect.fail("the embedder gives no vectors of one length, one a text")
    )
  }
}

type Vector = ArrayLike<number>

const lengthOf = ({ length }: Vector): number => length

const isVector = (value: unknown): value is Vector => {
  if (!Array.isArray(value) && !ArrayBuffer.isView(value)) return false
  // Of a view that is no typed array, such as a DataView, there is nothing to list.
  const numbers = Array.from(value as ArrayLike<unknown>)
  return numbers.length > 0 && numbers.every((number) => Number.isFinite(number))
}

const cosine = (one: Vector, other: Vector): number => {
  let [product, ofOne, ofOther] = [0, 0, 0]
  for (let index = 0; index < one.length; index++) {
    const [left = 0, right = 0] = [one[index], other[index]]
    product += left * right
    ofOne += left * left
    ofOther += right * right
  }
  return ofOne === 0 || ofOther === 0 ? 0 : product / Math.sqrt(ofOne * ofOther)
}

const textOf = ({ description, name, namespace, requests }: SearchedTool): string =>
  [namespace, name, description, ...(requests ?? [])]
    .filter((text) => typeof text === "string")
    .join("\n")
    .slice(0, longest)
