/**
 * The blocks of Markdown, without what is in its paragraphs. A text is read in
 * pieces of whole blocks: between them others have their turn.
 */
import * as Effect from "effect/Effect"
import MarkdownIt, { type Token } from "markdown-it"
import { makeBreathe } from "./breathe.js"
import { endOfPiece } from "./markdownPiece.js"
import type { Heading, Outline } from "./outline.js"

/** What stands in paragraphs is no matter of blocks, and where links lead is a paragraph like others. */
const parser = new MarkdownIt("commonmark")
parser.core.ruler.enableOnly(["normalize", "block"])
parser.block.ruler.disable("reference")

export const markdownOutline = (text: string): Effect.Effect<Outline> =>
  Effect.gen(function* () {
    const breathe = yield* makeBreathe
    const blocks: Array<number> = []
    const headings: Array<Heading> = []
    let isAfterHeading = false
    let fence: string | undefined
    let from = afterFrontMatter(text)
    if (from > 1) blocks.push(from)
    while (from < text.length) {
      const { fence: open, to } = endOfPiece(text, from, fence)
      // Code that goes on from the piece before is opened again, and begins before this piece.
      const again = fence === undefined ? "" : `${fence}\n`
      const piece = again + text.slice(from, to)
      const lines = lineStarts(piece)
      const shift = from - again.length
      let outer = -1
      const tokens = parser.parse(piece, {})
      for (const [index, token] of tokens.entries()) {
        if (token.map === null || token.type === "inline") continue
        const at = shift + (lines[token.map[0]] ?? 0)
        if (at < from) continue
        if (token.level > 0) {
          // Items of lists, and what is quoted, can be told apart like paragraphs.
          if (at !== outer) blocks.push(at)
          continue
        }
        outer = at
        const isHeading = token.type === "heading_open"
        if (isHeading || !isAfterHeading) blocks.push(at)
        isAfterHeading = isHeading
        if (isHeading)
          headings.push({ at, depth: Number(token.tag.slice(1)), title: titleOf(tokens[index + 1]?.content ?? "") })
      }
      fence = open
      from = to
      yield* breathe
    }
    return { blocks: [...new Set(blocks)].sort((left, right) => left - right), headings }
  })

/** Where each line begins, as the parser counts them. */
const lineStarts = (text: string): ReadonlyArray<number> => [
  0,
  ...Array.from(text.matchAll(/\r\n?|\n/g), ({ 0: end, index }) => index + end.length)
]

/** Nobody reads more of a heading, in code units. */
const longestTitle = 200

const inline = new MarkdownIt("commonmark")

/** The words of a heading, without its markup. */
const titleOf = (raw: string): string => {
  const beginning = raw.slice(0, longestTitle)
  return wordsOf(inline.parseInline(beginning, {})).replace(/\s+/g, " ").trim()
}

const wordsOf = (tokens: ReadonlyArray<Token>): string =>
  tokens
    .map(({ children, content, type }) => {
      if (children !== null) return wordsOf(children)
      if (type === "softbreak" || type === "hardbreak") return " "
      return type === "html_inline" ? "" : content
    })
    .join("")

/** A byte order mark is no part of the text. Metadata in front of it would be read as a heading with a line under it. */
const afterFrontMatter = (text: string): number =>
  /^\uFEFF?(?:---[ \t]*\r?\n[^]*?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$))?/.exec(text)?.[0].length ?? 0
