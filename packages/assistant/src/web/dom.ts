/**
 * A document made of pieces, as Readability expects it: with a head and a body.
 * linkedom's own parser would make a text node of every `&` and `<`.
 */
import { parseHTML } from "linkedom"
import type { Piece } from "./reduced.js"

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
