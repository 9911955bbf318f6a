/** The peer: MiniSearch over the same texts, by words only. */
import type { SearchIndex } from "@wield/assistant"
import MiniSearch from "minisearch"

export const miniSearch = (
  items: ReadonlyArray<SearchIndex.Item>,
  options: { readonly fuzzy: number | false; readonly prefix: boolean }
): ((text: string, count: number) => ReadonlyArray<string>) => {
  const index = new MiniSearch({ fields: ["title", "text"], searchOptions: { boost: { title: 2 }, ...options } })
  index.addAll(items)
  return (text, count) =>
    index
      .search(text)
      .slice(0, count)
      .map(({ id }) => String(id))
}
