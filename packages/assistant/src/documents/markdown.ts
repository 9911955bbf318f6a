/**
 * The blocks of Markdown. A long text is read in pieces of whole blocks, and
 * without what is in its paragraphs: that takes a tenth of the time, and leaves
 * turns to others.
 */
import type { Nodes, RootContent } from "mdast"
import * as Effect from "effect/Effect"
import { fromMarkdown } from "mdast-util-from-markdown"
import { makeBreathe } from "./breathe.js"
import { endOfPiece, startOfPiece } from "./markdownPiece.js"
import type { Heading, Outline } from "./outline.js"

/** What stands in paragraphs is no matter of blocks. */
const blocksOnly = {
  disable: {
    null: [
      "attention",
      "autolink",
      "characterEscape",
      "characterReference",
      "codeText",
      "hardBreakEscape",
      "htmlText",
      "labelEnd",
      "labelStartImage",
      "labelStartLink"
    ]
  }
}

export const markdownOutline = (text: string): Effect.Effect<Outline> =>
  Effect.gen(function* () {
    const breathe = yield* makeBreathe
    const blocks: Array<number> = []
    const headings: Array<Heading> = []
    let isAfterHeading = false
    let fence: string | undefined
    let from = afterFrontMatter(text)
    if (from > 0) blocks.push(from)
    for (from = startOfPiece(text, from, fence); from < text.length; from = startOfPiece(text, from, fence)) {
      const { fence: open, to } = endOfPiece(text, from, fence)
      // Code that goes on from the piece before is opened again, and begins before this piece.
      const again = fence === undefined ? "" : `${fence}\n`
      const shift = from - again.length
      for (const block of fromMarkdown(again + shortened(text.slice(from, to)), { extensions: [blocksOnly] })
        .children) {
        const at = shift + startOf(block)
        if (at < from) continue
        if (block.type === "heading") headings.push({ at, depth: block.depth, title: titleOf(block) })
        if (block.type === "heading" || !isAfterHeading) blocks.push(at)
        isAfterHeading = block.type === "heading"
        for (const inner of innerBlocks(block)) blocks.push(shift + inner)
      }
      fence = open
      from = to
      yield* breathe
    }
    return { blocks: [...new Set(blocks)].sort((left, right) => left - right), headings }
  })

const startOf = (node: Nodes): number => node.position?.start.offset ?? 0

/** Items of lists, and what is quoted, can be told apart like paragraphs. */
const innerBlocks = (block: RootContent): ReadonlyArray<number> => {
  const found: Array<number> = []
  const left: Array<RootContent> = [block]
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (node.type !== "list" && node.type !== "listItem" && node.type !== "blockquote") continue
    for (const child of node.children) {
      // The first paragraph of an item begins behind the item's sign.
      if (node.type !== "listItem" || child !== node.children[0]) found.push(startOf(child))
      left.push(child)
    }
  }
  return found.filter((at) => at !== startOf(block))
}

/** Nobody reads more of a heading, in code units. */
const longestTitle = 200

/** The words of a heading, without its markup. */
const titleOf = (heading: RootContent): string => {
  const raw = wordsOf(heading).slice(0, longestTitle)
  // Most have none, and this takes longer than all the rest.
  const words = /[*_`[\]<>&\\!]/.test(raw) ? wordsOf({ type: "root", children: fromMarkdown(raw).children }) : raw
  return words.replace(/\s+/g, " ").trim()
}

const wordsOf = (node: Nodes): string => {
  if ("value" in node) return node.type === "html" ? "" : node.value
  if ("alt" in node) return node.alt ?? ""
  return "children" in node ? node.children.map(wordsOf).join("") : ""
}

/**
 * A line of nothing but signs, such as `1. 1. 1. …`, takes time that grows with
 * the square of its length. What it is shows in its beginning; the rest is put
 * out of the parser's sight, and every place stays where it is.
 */
const shortened = (piece: string): string =>
  piece.replace(
    /^([^\n]{500})([^\n]{500,})/gm,
    (_, beginning: string, rest: string) => beginning + "x".repeat(rest.length)
  )

/** Metadata in front of a text would be read as a heading with a line under it. */
const afterFrontMatter = (text: string): number =>
  /^\uFEFF?---[ \t]*\r?\n[^]*?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/.exec(text)?.[0].length ?? 0
