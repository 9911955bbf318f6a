/** What names stand for: each value stands behind all of its names, which spaces part. */
export const namesTo = <A>(...rows: ReadonlyArray<readonly [names: string, value: A]>): ReadonlyMap<string, A> =>
  new Map(rows.flatMap(([names, value]) => names.split(" ").map((name) => [name, value] as const)))
