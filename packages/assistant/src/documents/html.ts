/** All that a reader sees of a page, as Markdown. The web tools read its article only. */
import { documentOf, markdownOf } from "../web/dom.js"
import { reduceHtml } from "../web/reduced.js"
import { sliceText, tidyText } from "../web/tidy.js"

export interface HtmlDocument {
  readonly html: string
  readonly address: string
}

export interface Converted {
  readonly text: string
  /** Whether the document was longer than is looked at. */
  readonly isCut: boolean
}

export const convertHtml = ({ address, html }: HtmlDocument): Converted => {
  const { isCut, pieces, title: said } = reduceHtml(html, baseOf(address))
  // Of a page on the web its beginning would do; of a document nothing may be missing.
  if (isCut) return { text: "", isCut }
  const title = sliceText(tidyText(said), 0, longestTitle)
  const body = markdownOf(documentOf(pieces, title).body).trim()
  return { text: body === "" || title === "" || hasHeading(body, title) ? body : `# ${title}\n\n${body}`, isCut }
}

const longestTitle = 300

/** A link that says no more than a path leads nowhere from a file. */
const baseOf = (address: string): URL => (URL.canParse(address) ? new URL(address) : new URL("about:blank"))

const hasHeading = (text: string, title: string): boolean =>
  text.split("\n").some((line) => /^#{1,6} /.test(line) && line.replace(/^#+ /, "").trim() === title)
