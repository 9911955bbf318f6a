/** What a reader sees of a page, as Markdown. */
import { Readability } from "@mozilla/readability"
import * as Effect from "effect/Effect"
import { parseHTML } from "linkedom"
import TurndownService from "turndown"
import type { NotReadable } from "../DocumentError.js"

export const htmlToMarkdown = (
  _address: string,
  html: string,
  refused: (detail: string) => NotReadable
): Effect.Effect<string, NotReadable> =>
  Effect.try({
    try: () => {
      const { document } = parseHTML(html)
      const title = document.title.replace(/\s+/g, " ").trim()
      const content = new Readability(document).parse()?.content ?? ""
      const body = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced" }).turndown(content).trim()
      return body === "" || title === "" || hasHeading(body, title) ? body : `# ${title}\n\n${body}`
    },
    catch: (cause) => refused(String(cause))
  })

const hasHeading = (text: string, title: string): boolean =>
  text.split("\n").some((line) => /^#{1,6} /.test(line) && line.replace(/^#+ /, "").trim() === title)
