/** Vectors as databases hold them: 32-bit floats, little end first, as libsql and every processor of today have them. */

/** libsql takes a `Buffer` only: at another view of bytes it ends the process. */
export const toBytes = (vector: ReadonlyArray<number>): Uint8Array => Buffer.from(Float32Array.from(vector).buffer)

/** What a database gives may stand anywhere in memory; floats must begin at a multiple of four. */
export const fromBytes = (bytes: Uint8Array): Float32Array => new Float32Array(new Uint8Array(bytes).buffer)

/** The cosine of two vectors whose length is 1. Four sums take half the time of one, since none waits for another. */
export const dotProduct = (left: Float32Array, right: Float32Array): number => {
  let [first, second, third, fourth] = [0, 0, 0, 0]
  const { length } = left
  const at = (vector: Float32Array, place: number): number => vector[place] ?? 0
  let index = 0
  for (; index + 3 < length; index += 4) {
    first += at(left, index) * at(right, index)
    second += at(left, index + 1) * at(right, index + 1)
    third += at(left, index + 2) * at(right, index + 2)
    fourth += at(left, index + 3) * at(right, index + 3)
  }
  for (; index < length; index++) first += at(left, index) * at(right, index)
  return first + second + third + fourth
}

/** The vector of the same direction whose length is 1; as it is where it has no direction. */
export const toUnit = (vector: Float32Array): Float32Array => {
  let square = 0
  for (const value of vector) square += value * value
  return square === 0 ? vector : vector.map((value) => value / Math.sqrt(square))
}

export const makeNearest = (limit: number) => {
  let kept: Array<{ readonly key: number; readonly rank: number }> = []
  let least = Number.NEGATIVE_INFINITY
  const prune = () => {
    // Of equals the newer, as the databases have it.
    kept.sort((left, right) => right.rank - left.rank || right.key - left.key)
    if (kept.length < limit) return
    kept = kept.slice(0, limit)
    least = kept.at(-1)?.rank ?? Number.POSITIVE_INFINITY
  }
  return {
    /** `rank` is how near the item is: the more, the nearer. */
    add: (key: number, rank: number) => {
      if (rank < least) return
      kept.push({ key, rank })
      // Sorting now and then is a hundredth of the work of finding the place of each.
      if (kept.length >= 8 * limit + 64) prune()
    },
    /** The ranks of those that were nearest, by their keys, the nearest first. */
    take: () => {
      prune()
      return new Map(kept.map(({ key, rank }) => [key, rank]))
    }
  }
}
