/**
 * HTML cut down to what can be read: shallow, bounded, without runs of blanks. What works on documents calls itself at
 * each level: 200,000 nested elements, or as many blanks, take linkedom a minute.
 */
import { Parser } from "htmlparser2"
import { longestSheet, makeHiding } from "./hidden.js"
import { sliceText } from "./tidy.js"

/** A text, the beginning of an element, or `undefined` for its end. */
export type Piece = string | { readonly name: string; readonly attributes: Record<string, string> } | undefined

/** Characters of text. A long article has a tenth of it. */
const maxText = 400_000

const maxElements = 12_000

/** Deeper elements are left out, their text is not. */
const maxDepth = 200

/** Real pages are flatter; the parser itself grows slow at such a depth. */
const maxOpen = 5000

const pieceLength = 64 * 1024

export const reduceHtml = (source: string, url: URL) => {
  const pieces: Array<Piece> = []
  const open: Array<{ readonly name: string; readonly isUnread: boolean; readonly isWritten: boolean }> = []
  let base = url
  let text = ""
  let title = ""
  let noscript = ""
  const written = { text: 0, elements: 0, depth: 0 }
  /** How many elements are open that are not read, and how many of them say what stands in for scripts. */
  let unread = 0
  let noscripts = 0
  let preformatted = 0
  let endsInBlank = true
  let hasScripts = false
  let isCut = false
  const leadsTo = new Set<string>()
  const hiding = makeHiding()
  let sheet = ""

  const flush = () => {
    if (text === "") return
    const shown = preformatted > 0 ? text.replace(/\s{200,}/g, (run) => run.slice(0, 200)) : inline(text, endsInBlank)
    text = ""
    endsInBlank = /\s$/.test(shown) || (shown === "" && endsInBlank)
    written.text += shown.length
    if (shown !== "") pieces.push(shown)
  }

  const parser = new Parser({
    onopentag: (name, attributes) => {
      hasScripts ||= name === "script"
      if (name === "base" && URL.canParse(attributes["href"] ?? "", url)) base = new URL(attributes["href"] ?? "", url)
      const target = targetOf(name, attributes)
      if (target !== undefined && leadsTo.size < 10 && URL.canParse(target, base)) {
        const { href, protocol } = new URL(target, base)
        if (/^https?:$/.test(protocol) && href.length <= 2000) leadsTo.add(href)
      }
      const isUnread = unread > 0 || unreadable.has(name) || (!wholes.has(name) && hiding.isHidden(name, attributes))
      if (isUnread) unread++
      if (name === "noscript") noscripts++
      const isBare = unwritten.has(name) || (name === "img" && (attributes["alt"] ?? "").trim() === "")
      const isWritten = !isUnread && !isBare && written.depth < maxDepth
      open.push({ name, isUnread, isWritten })
      if (open.length > maxOpen || written.elements > maxElements) isCut = true
      if (!isWritten) return
      flush()
      written.elements++
      written.depth++
      if (name === "pre") preformatted++
      pieces.push({ name, attributes: readableAttributes(attributes, base) })
    },
    ontext: (piece) => {
      if (unread === 0) {
        const room = maxText - written.text - text.length
        text += sliceText(piece, 0, Math.max(room, 0))
        isCut ||= piece.length > room
      } else if (unread === 1 && open.at(-1)?.name === "title" && title.length < 1000) {
        // Pictures in SVG have titles too, further inside.
        title += piece
      } else if (unread === 1 && open.at(-1)?.name === "style") {
        if (sheet.length < longestSheet) sheet += piece
      } else if (noscripts > 0 && noscript.length < 10_000) noscript += piece
    },
    onclosetag: () => {
      const element = open.pop()
      if (element === undefined) return
      if (element.isUnread) unread--
      if (element.name === "style") {
        hiding.addSheet(sheet)
        sheet = ""
      }
      if (element.name === "noscript") noscripts--
      if (!element.isWritten) return
      flush()
      written.depth--
      if (element.name === "pre") preformatted--
      pieces.push(undefined)
    }
  })
  for (let start = 0; start < source.length && !isCut; start += pieceLength) {
    parser.write(source.slice(start, start + pieceLength))
  }
  parser.end()
  flush()
  return {
    pieces,
    title: title.replace(/\s+/g, " ").trim(),
    isCut,
    hasScripts,
    /** Whether it says, to who does not run scripts, that they are needed. */
    asksForScripts: /javascript/i.test(noscript),
    /** The pages that it shows in frames, or has a browser go on to. */
    leadsTo: [...leadsTo]
  }
}

const targetOf = (name: string, attributes: Record<string, string>): string | undefined => {
  if (name === "frame" || name === "iframe") return attributes["src"]
  if (name !== "meta" || attributes["http-equiv"]?.toLowerCase() !== "refresh") return undefined
  // Without a URL, the page itself is loaded again.
  return /^\s*[\d.]+\s*[;,\s]\s*(?:url\s*=\s*)?["']?([^"'\s]+)/i.exec((attributes["content"] ?? "").slice(0, 2100))?.[1]
}

const inline = (text: string, isAfterBlank: boolean): string => {
  const single = text.replace(/\s+/g, " ")
  return isAfterBlank && single.startsWith(" ") ? single.slice(1) : single
}

/** Neither they nor what is in them is read. */
const unreadable = new Set(
  "script style noscript noframes template iframe frame object embed svg canvas audio video map select textarea button title".split(
    " "
  )
)

/** What is in them is read as if they were not there. */
const unwritten = new Set("html head body base meta link form input plaintext xmp listing slot font".split(" "))

/** Many pages hide all of themselves until a script shows them. */
const wholes = new Set(["html", "body"])

const names = ["alt", "class", "id", "role", "itemprop", "lang", "dir", "datetime", "start"] as const

/** A longer one is not a useful name or word. */
const maxLength = 200

const maxLink = 2000

const readableAttributes = (attributes: Record<string, string>, base: URL): Record<string, string> => {
  const kept: Record<string, string> = {}
  for (const name of names) {
    const value = attributes[name]
    if (value !== undefined && value !== "") kept[name] = value.slice(0, maxLength)
  }
  const link = linkOf(attributes["href"], base)
  if (link !== undefined) kept["href"] = link
  // Of a picture its words are read; Readability leaves out one that has no source.
  if (attributes["alt"] !== undefined) kept["src"] = "about:blank"
  return kept
}

/** Those of scripts and of data go nowhere that could be read. */
const linkOf = (target: string | undefined, base: URL): string | undefined => {
  if (target === undefined || target.length > maxLink || !URL.canParse(target, base)) return undefined
  const { href, protocol } = new URL(target, base)
  return /^(https?|mailto):$/.test(protocol) && href.length <= maxLink ? href : undefined
}
