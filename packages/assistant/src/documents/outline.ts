/** Where the blocks of a text begin, and what its headings are. */
import * as Effect from "effect/Effect"
import { markdownOutline } from "./markdown.js"

export interface Heading {
  readonly at: number
  /** From 1 to 6. */
  readonly depth: number
  readonly title: string
}

export interface Outline {
  /** Where a paragraph, an item of a list or a heading begins, in ascending order. What follows a heading stays with it. */
  readonly blocks: ReadonlyArray<number>
  /** In the order in which they stand. */
  readonly headings: ReadonlyArray<Heading>
}

export const outlineOf = (text: string, isMarkdown: boolean): Effect.Effect<Outline> =>
  isMarkdown ? markdownOutline(text) : Effect.sync(() => ({ blocks: paragraphs(text), headings: [] }))

/** Paragraphs of a text without markup begin after a blank line. */
export const paragraphs = (text: string): ReadonlyArray<number> => {
  const found: Array<number> = []
  let isAfterBlank = false
  for (let at = 0; at < text.length;) {
    const newline = text.indexOf("\n", at)
    const next = newline === -1 ? text.length : newline + 1
    const isBlank = text.slice(at, next).trim() === ""
    if (isAfterBlank && !isBlank) found.push(at)
    isAfterBlank = isBlank
    at = next
  }
  return found
}
