/** What search engines found, in the shape that all of them share. */
import type { SearchResult } from "../WebSearch.js"
import { cut, tidied } from "./tidy.js"

export interface Found {
  readonly title?: string | null | undefined
  readonly url: string
  readonly snippet?: string | null | undefined
}

/** Each address once, and pages of the web only. */
export const resultsOf = (found: ReadonlyArray<Found>, limit: number): ReadonlyArray<SearchResult> => {
  const results = new Map<string, SearchResult>()
  for (const { snippet, title, url } of found) {
    if (results.size >= limit) break
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) continue
    const { href } = new URL(url)
    if (href.length > 2000 || results.has(href)) continue
    const summary = line(snippet, 300)
    results.set(href, { title: line(title, 200) || href, url: href, ...(summary === "" ? {} : { snippet: summary }) })
  }
  return [...results.values()]
}

const line = (text: string | null | undefined, length: number): string =>
  cut(tidied(text ?? "").replace(/\s+/g, " "), 0, length)
