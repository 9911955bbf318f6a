/** The readable text of HTML, as Markdown. */
import { Readability } from "@mozilla/readability"
import * as Option from "effect/Option"
import { decodeBytes, sliceText, tidyText } from "./tidy.js"
import { documentOf, markdownOf } from "./dom.js"
import { type Piece, reduceHtml } from "./reduced.js"

export interface Reading {
  readonly title: string | null
  readonly text: string
  readonly isCut: boolean
  /** Whether the page shows nothing until its scripts have run. */
  readonly isScriptOnly: boolean
  /** Where to read instead, of a page that only shows others or has moved; else nothing. */
  readonly leadsTo: ReadonlyArray<string>
}

const longestTitle = 300

/** "If you are not redirected, click here" is no text of its own. */
const leastSaid = 100

/** An article is longer; what is shorter may be a note beside what the page is about. */
const leastArticle = 200

const readingOf = (source: string, url: URL): Reading => {
  const { asksForScripts, hasScripts, isCut, leadsTo, pieces, title } = reduceHtml(source, url)
  const text = Option.getOrElse(articleOf(pieces, title), () => markdownOf(documentOf(pieces, title).body))
  const isScriptOnly = hasScripts && saysNothing(text.trim(), asksForScripts)
  return {
    title: title === "" ? headingOf(pieces) : sliceText(tidyText(title), 0, longestTitle),
    text,
    isCut,
    isScriptOnly,
    leadsTo: text.trim().length < leastSaid ? leadsTo : []
  }
}

/** Some words are there before the scripts have run, and are all that is said of the rest. */
const saysNothing = (text: string, asksForScripts: boolean): boolean =>
  text === "" ||
  (asksForScripts && text.length < 200) ||
  (text.length < 100 && /\b(loading|please wait|one moment|javascript)\b/i.test(text))

/** None where the page is no article, such as a list or a short note. */
const articleOf = (pieces: ReadonlyArray<Piece>, title: string): Option.Option<string> =>
  Option.liftThrowable(() => {
    const article = new Readability(documentOf(pieces, title), {
      serializer: (node) => node,
      charThreshold: leastArticle,
      disableJSONLD: true
    }).parse()
    // Its type says Node; it hands on the `div` that it has made for what it found.
    const found = article?.content as HTMLElement | null | undefined
    return found === null || found === undefined ? "" : markdownOf(found)
  })().pipe(Option.filter((text) => text.trim().length >= leastArticle))

const headingOf = (pieces: ReadonlyArray<Piece>): string | null => {
  const start = pieces.findIndex((piece) => typeof piece === "object" && piece.name === "h1")
  const heading = start === -1 ? undefined : pieces.slice(start).find((piece) => typeof piece === "string")
  return heading === undefined || heading.trim() === "" ? null : sliceText(tidyText(heading), 0, longestTitle)
}

export interface HtmlPage {
  readonly bytes: Uint8Array
  readonly contentType: string
  readonly url: string
}

/** Reads the bytes of an HTML page as text. It runs in the reader process. */
export const readPage = ({ bytes, contentType, url }: HtmlPage): Reading => {
  const reading = readingOf(decodeBytes(bytes, contentType, true).replaceAll("\0", ""), new URL(url))
  return { ...reading, text: tidyText(reading.text) }
}

export interface HtmlDocument {
  readonly html: string
  readonly address: string
}

export interface Converted {
  readonly text: string
  readonly isCut: boolean
}

/** All that a reader sees of a page; the web tools read its article only. It runs in the reader process. */
export const convertHtml = ({ address, html }: HtmlDocument): Converted => {
  const { isCut, pieces, title: said } = reduceHtml(html, baseOf(address))
  // Of a page on the web its beginning would do; of a document nothing may be missing.
  if (isCut) return { text: "", isCut }
  const title = sliceText(tidyText(said), 0, longestTitle)
  const body = markdownOf(documentOf(pieces, title).body).trim()
  return { text: body === "" || title === "" || hasHeading(body, title) ? body : `# ${title}\n\n${body}`, isCut }
}

/** A link that says no more than a path leads nowhere from a file. */
const baseOf = (address: string): URL => (URL.canParse(address) ? new URL(address) : new URL("about:blank"))

const hasHeading = (text: string, title: string): boolean =>
  text.split("\n").some((line) => /^#{1,6} /.test(line) && line.replace(/^#+ /, "").trim() === title)
