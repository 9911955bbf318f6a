/** All that a reader sees of a page, as Markdown. The web tools read its article only. */
import * as Effect from "effect/Effect"
import type { NotReadable } from "../DocumentError.js"
import { documentOf } from "../web/dom.js"
import { markdownOf } from "../web/markdown.js"
import { reduced } from "../web/reduced.js"
import { cut, tidied } from "../web/tidy.js"

export const htmlToMarkdown = (
  address: string,
  html: string,
  refused: (detail: string) => NotReadable
): Effect.Effect<string, NotReadable> =>
  Effect.suspend(() => {
    const { isCut, pieces, title: said } = reduced(html, baseOf(address))
    // Of a page on the web its beginning would do; of a document nothing may be missing.
    if (isCut) return refused("it has more text or elements than are read of HTML. Split it, or convert it to Markdown")
    const title = cut(tidied(said), 0, longestTitle)
    const body = markdownOf(documentOf(pieces, title).body).trim()
    return Effect.succeed(body === "" || title === "" || hasHeading(body, title) ? body : `# ${title}\n\n${body}`)
  })

const longestTitle = 300

/** A link that says no more than a path leads nowhere from a file. */
const baseOf = (address: string): URL => (URL.canParse(address) ? new URL(address) : new URL("about:blank"))

const hasHeading = (text: string, title: string): boolean =>
  text.split("\n").some((line) => /^#{1,6} /.test(line) && line.replace(/^#+ /, "").trim() === title)
