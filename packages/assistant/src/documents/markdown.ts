/**
 * The blocks of Markdown. A long text is read in pieces of whole blocks, and
 * without what is in its paragraphs: that takes a tenth of the time, and leaves
 * turns to others.
 */
import type { Nodes, RootContent } from "mdast"
import * as Effect from "effect/Effect"
import { fromMarkdown } from "mdast-util-from-markdown"
import { breathe } from "./breathe.js"
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
    const blocks: Array<number> = []
    const headings: Array<Heading> = []
    let isAfterHeading = false
    let from = afterFrontMatter(text)
    if (from > 0) blocks.push(from)
    for (from = afterBlanks(text, from); from < text.length; from = afterBlanks(text, from)) {
      const to = endOfPiece(text, from)
      const piece = text.slice(from, to)
      for (const block of fromMarkdown(piece, { extensions: [blocksOnly] }).children) {
        const at = from + startOf(block)
        if (block.type === "heading") headings.push({ at, depth: block.depth, title: titleOf(block) })
        if (block.type === "heading" || !isAfterHeading) blocks.push(at)
        isAfterHeading = block.type === "heading"
        for (const inner of innerBlocks(block)) blocks.push(from + inner)
      }
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

/** The words of a heading, without its markup. */
const titleOf = (heading: RootContent): string => {
  const raw = wordsOf(heading)
  return wordsOf({ type: "root", children: fromMarkdown(raw).children })
    .replace(/\s+/g, " ")
    .trim()
}

const wordsOf = (node: Nodes): string => {
  if ("value" in node) return node.type === "html" ? "" : node.value
  if ("alt" in node) return node.alt ?? ""
  return "children" in node ? node.children.map(wordsOf).join("") : ""
}

/** Metadata in front of a text would be read as a heading with a line under it. */
const afterFrontMatter = (text: string): number =>
  /^---[ \t]*\r?\n[^]*?\n(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/.exec(text)?.[0].length ?? 0

/** In code units. A piece takes some ten milliseconds. */
const pieceSize = 65_536

/** A piece in which there is no end of a block is cut anywhere: it is longer than any chunk. */
const longestPiece = 4 * pieceSize

/** The parser takes time that grows with the square of the number of blank lines in a row. */
const mostBlanks = 16

const afterBlanks = (text: string, from: number): number => {
  let at = from
  for (let next = nextLine(text, at); next > at && text.slice(at, next).trim() === ""; next = nextLine(text, at)) {
    at = next
  }
  return at
}

const nextLine = (text: string, at: number): number => {
  const newline = text.indexOf("\n", at)
  return newline === -1 ? text.length : newline + 1
}

/** After a blank line before text that belongs to no list, and outside of fenced code. */
const endOfPiece = (text: string, from: number): number => {
  let fence: string | undefined
  let blanks = 0
  for (let at = from; at < text.length;) {
    const next = nextLine(text, at)
    if (blanks > mostBlanks) return at
    if (next - from > longestPiece) return at > from ? at : safe(text, from + longestPiece)
    const line = text.slice(at, next)
    const isText = /^[^\s>*+\-0-9]/.test(line)
    if (fence === undefined && blanks > 0 && isText && at - from >= pieceSize) return at
    const sign = /^ {0,3}(`{3,}|~{3,})([^\n]*)/.exec(line)
    if (sign?.[1] !== undefined) {
      if (fence === undefined) fence = sign[1]
      else if (sign[1].startsWith(fence) && sign[2]?.trim() === "") fence = undefined
    }
    blanks = line.trim() === "" ? blanks + 1 : 0
    at = next
  }
  return text.length
}

/** Not between the two halves of a character. */
const safe = (text: string, at: number): number => ((text.codePointAt(at - 1) ?? 0) > 0xffff ? at + 1 : at)
