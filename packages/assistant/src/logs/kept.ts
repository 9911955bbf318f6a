/** The last entries, at most so many and at most so many bytes of them. */

export interface Kept<A> {
  readonly add: (entry: A, bytes: number) => void
  readonly all: () => ReadonlyArray<A>
}

export const makeKept = <A>(most: number, mostBytes: number): Kept<A> => {
  let kept: Array<{ readonly entry: A; readonly bytes: number }> = []
  let first = 0
  let total = 0
  return {
    add: (entry, bytes) => {
      kept.push({ entry, bytes })
      total += bytes
      while (kept.length - first > most || total > mostBytes) total -= kept[first++]?.bytes ?? 0
      // Not at each entry: moving the rest takes as long as there are entries.
      if (first > most) {
        kept = kept.slice(first)
        first = 0
      }
    },
    all: () => kept.slice(first).map(({ entry }) => entry)
  }
}
