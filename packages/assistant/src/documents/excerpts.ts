/** The excerpts of a text, and how the search has them. */
import * as Effect from "effect/Effect"
import { type Cutting, Excerpt } from "../Document.js"
import type { FoundExcerpt } from "../Documents.js"
import type { Hit, Item } from "../SearchIndex.js"
import { cutByOutline } from "./cut.js"
import { outlineOf } from "./outline.js"
import type { Text } from "./read.js"

export const excerptsOf = (
  address: string,
  { isMarkdown, pages, text }: Text,
  cutting: Cutting
): Effect.Effect<ReadonlyArray<Excerpt>> =>
  Effect.gen(function* () {
    const { blocks, headings } = yield* outlineOf(text, isMarkdown)
    const outline = {
      headings,
      // A page is a block of its own; where its text begins there is one already, or none.
      blocks: pages === undefined ? blocks : [...new Set([...blocks, ...pages.filter((at) => at > 0)])].sort(ascending)
    }
    const chunks = yield* cutByOutline(text, outline, cutting)
    return chunks.map(
      ({ end, headings, start }, index) =>
        new Excerpt({
          address,
          index,
          headings,
          start,
          end,
          pages: pages === undefined ? undefined : [pageAt(pages, start), pageAt(pages, end - 1)],
          text: text.slice(start, end)
        })
    )
  })

const ascending = (left: number, right: number): number => left - right

const pageAt = (pages: ReadonlyArray<number>, at: number): number =>
  Math.max(1, pages.findLastIndex((start) => start <= at) + 1)

/**
 * What the search gives back says all of an excerpt that is told: whatever is
 * ingested meanwhile, a text is told with the address and heading that it had.
 */
export const itemOf = (document: string, { address, headings, index, text }: Excerpt, changed: number): Item => ({
  type: "excerpt",
  id: itemId(document, index),
  title: headings.length === 0 ? address : `${address}\n${headings.join(" › ")}`,
  text,
  importance: 5,
  changed
})

export const itemId = (document: string, index: number): string => `${document}/${index}`

export const foundOf = ({ by, id, score, text, title }: Hit): FoundExcerpt => {
  // An address is one line.
  const [address = "", ...headings] = title.split("\n")
  return { address, index: Number(id.slice(id.lastIndexOf("/") + 1)), heading: headings.join("\n"), text, score, by }
}
