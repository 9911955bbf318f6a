/** The nearest of many vectors, without holding on to what is not among them. */

export interface Nearest {
  /** `rank` is how near the item is: the more, the nearer. */
  readonly add: (key: number, rank: number) => void
  /** How near those are that were nearest, by their keys, the nearest first. */
  readonly take: () => ReadonlyMap<number, number>
}

export const makeNearest = (limit: number): Nearest => {
  let kept: Array<{ readonly key: number; readonly rank: number }> = []
  let least = Number.NEGATIVE_INFINITY
  const cut = () => {
    // Of equals the newer, as the databases have it.
    kept.sort((left, right) => right.rank - left.rank || right.key - left.key)
    if (kept.length < limit) return
    kept = kept.slice(0, limit)
    least = kept.at(-1)?.rank ?? Number.POSITIVE_INFINITY
  }
  return {
    add: (key, rank) => {
      if (rank < least) return
      kept.push({ key, rank })
      // Sorting now and then is a hundredth of the work of finding the place of each.
      if (kept.length >= 8 * limit + 64) cut()
    },
    take: () => {
      cut()
      return new Map(kept.map(({ key, rank }) => [key, rank]))
    }
  }
}
