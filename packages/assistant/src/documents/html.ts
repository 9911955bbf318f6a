/** What a reader sees of a page, as Markdown: what is read is what the web tools read of one. */
import * as Effect from "effect/Effect"
import type { NotReadable } from "../DocumentError.js"
import { readingOf } from "../web/html.js"

export const htmlToMarkdown = (
  address: string,
  html: string,
  refused: (detail: string) => NotReadable
): Effect.Effect<string, NotReadable> =>
  Effect.suspend(() => {
    const { isCut, text, title } = readingOf(html, baseOf(address))
    // Of a page on the web its beginning would do; of a document nothing may be missing.
    if (isCut) return refused("it has more text or elements than are read of HTML. Split it, or convert it to Markdown")
    const body = text.trim()
    // The heading that says the same as the title is left out of what is read.
    return Effect.succeed(body === "" || title === null || hasHeading(body, title) ? body : `# ${title}\n\n${body}`)
  })

/** A link that says no more than a path leads nowhere from a file. */
const baseOf = (address: string): URL => (URL.canParse(address) ? new URL(address) : new URL("about:blank"))

const hasHeading = (text: string, title: string): boolean =>
  text.split("\n").some((line) => /^#{1,6} /.test(line) && line.replace(/^#+ /, "").trim() === title)
