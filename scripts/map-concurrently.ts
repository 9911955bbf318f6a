/** `Promise.all` over at most `limit` items at a time; results keep the order of the items. */
export const mapConcurrently = async <A, B>(
  items: ReadonlyArray<A>,
  limit: number,
  transform: (item: A) => Promise<B>
): Promise<ReadonlyArray<B>> => {
  const results: Array<B> = []
  const remaining = items.entries()
  const work = async (): Promise<void> => {
    for (const [index, item] of remaining) results[index] = await transform(item)
  }
  await Promise.all(Array.from({ length: limit }, work))
  return results
}
