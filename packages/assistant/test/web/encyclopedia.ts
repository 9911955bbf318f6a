/**
 * A wiki that answers as the Action API of MediaWiki does by its documentation:
 * pages by title, a search over titles and texts, and pages as HTML.
 */
import type { Answering } from "./site.js"

export interface Entry {
  readonly extract?: string
  /** The HTML of a page of meanings. */
  readonly meanings?: string
  readonly redirect?: string
}

export const encyclopedia =
  (entries: Record<string, Entry>): Answering =>
  (asked, response) => {
    const { searchParams: sent } = new URL(asked.url, "http://wiki")
    const end = (value: unknown) => {
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify(value))
    }
    const described = (title: string, index?: number) => {
      const entry = entries[title]
      if (entry === undefined) return { title, missing: true }
      return {
        pageid: 1,
        ns: 0,
        title,
        extract: entry.extract ?? "",
        fullurl: `https://en.wikipedia.org/wiki/${title.replaceAll(" ", "_")}`,
        ...(index === undefined ? {} : { index }),
        ...(entry.meanings === undefined ? {} : { pageprops: { disambiguation: "" } })
      }
    }
    if (sent.get("action") === "parse") {
      return end({ parse: { title: sent.get("page"), text: entries[sent.get("page") ?? ""]?.meanings ?? "" } })
    }
    const words = (sent.get("gsrsearch") ?? "").toLowerCase()
    if (words !== "") {
      const found = Object.entries(entries).filter(
        ([title, { extract = "", redirect }]) =>
          redirect === undefined && `${title} ${extract}`.toLowerCase().includes(words)
      )
      // Without results there is no `query`; the pages come in no order.
      return end(
        found.length === 0
          ? { batchcomplete: true }
          : { query: { pages: found.map(([title], at) => described(title, at + 1)).reverse() } }
      )
    }
    const titles = (sent.get("titles") ?? "").split("|")
    const capital = (title: string) => title.charAt(0).toUpperCase() + title.slice(1)
    const normalized = titles.filter((title) => capital(title) !== title)
    const redirects = titles.map(capital).filter((title) => entries[title]?.redirect !== undefined)
    return end({
      query: {
        ...(normalized.length === 0 ? {} : { normalized: normalized.map((from) => ({ from, to: capital(from) })) }),
        ...(redirects.length === 0
          ? {}
          : { redirects: redirects.map((from) => ({ from, to: entries[from]?.redirect })) }),
        pages: titles.map((title) => described(entries[capital(title)]?.redirect ?? capital(title)))
      }
    })
  }
