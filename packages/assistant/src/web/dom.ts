/** Documents of HTML. Those of linkedom grow slow with depth, so that what becomes one is bounded before. */
import { Parser } from "htmlparser2"
import { parseHTML } from "linkedom"
import TurndownService from "turndown"
import type { Piece } from "./reduced.js"

/** What a page of a service stays below; a page of DuckDuckGo has a tenth of it. */
const most = { depth: 200, elements: 30_000, texts: 100_000 }

/** All of a page that a known service gives. Undefined where it is so deep or long that searching it would take minutes. */
export const parsePage = (html: string): Document | undefined =>
  isBounded(html) ? parseHTML(html).document : undefined

const isBounded = (html: string): boolean => {
  let [depth, elements, texts, isWithin] = [0, 0, 0, true]
  const parser = new Parser({
    onopentag: () => {
      depth++
      elements++
      isWithin &&= depth <= most.depth && elements <= most.elements
    },
    onclosetag: () => depth--,
    ontext: () => (isWithin &&= ++texts <= most.texts)
  })
  for (let start = 0; start < html.length && isWithin; start += pieceLength) {
    parser.write(html.slice(start, start + pieceLength))
  }
  parser.end()
  return isWithin
}

const pieceLength = 16 * 1024

/** A document with head and body, as Readability expects it. linkedom's parser makes a node of every `&`. */
export const documentOf = (pieces: ReadonlyArray<Piece>, title: string): Document => {
  const { document } = parseHTML("<html><head><title></title></head><body></body></html>")
  document.title = title
  let within: Element = document.body
  for (const piece of pieces) {
    if (piece === undefined) within = within.parentElement ?? document.body
    else if (typeof piece === "string") within.appendChild(document.createTextNode(piece))
    else {
      const element = document.createElement(piece.name)
      for (const [name, value] of Object.entries(piece.attributes)) element.setAttribute(name, value)
      within = within.appendChild(element)
    }
  }
  return document
}

/** A service of its own each time: rules are added to it, and it is not shared. */
export const markdownOf = (element: HTMLElement): string => {
  const service = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" })
  service.addRule("picture", { filter: "img", replacement: (_, node) => words(node.getAttribute("alt")) })
  service.addRule("cell", { filter: ["td", "th"], replacement: (content) => `| ${oneLine(content)} ` })
  service.addRule("row", { filter: "tr", replacement: (content) => `${content.trim()} |\n` })
  return service.turndown(element)
}

const oneLine = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ")

const words = (text: string | null): string => (text === null || text.trim() === "" ? "" : `[image: ${text.trim()}]`)
